#include "models/host/requests/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace heddle {

namespace {

constexpr double kMostTokens = 1e9;  // of a prompt or an answer

std::uint64_t tokens_of(const Request& request, std::size_t parameter, const char* what) {
  const double value = request.values[parameter];
  if (value < 1 || value > kMostTokens || value != std::floor(value))
    throw std::runtime_error(fmt::format("request {}: its {} has {} tokens, and must have 1 to 10^9",
                                         request.number, what, value));
  return static_cast<std::uint64_t>(value);
}

}  // namespace

RequestValues BatchStep::values() const {
  RequestValues values{};
  const std::array<std::uint64_t, kStepParameters.size()> counts{
      prefill_tokens, prefill_sequences, prefill_pairs, decode_sequences, decode_context, outputs};
  for (std::size_t i = 0; i < counts.size(); ++i) values[i] = static_cast<double>(counts[i]);
  return values;
}

Batch::Batch(const BatchSpec& spec) : spec_(spec), pages_(spec.cache_tokens / spec.page_tokens) {}

std::uint64_t Batch::pages_of(std::uint64_t tokens) const {
  return (tokens + spec_.page_tokens - 1) / spec_.page_tokens;
}

// The last token of an answer is not an input of a further step, so that the cache never holds its keys and
// values.
std::uint64_t Batch::pages_at_start(const Sequence& sequence) const {
  return pages_of(spec_.reserves_output ? most_cached(sequence.prompt, sequence.output) : sequence.known());
}

std::uint64_t Batch::most_cached(std::uint64_t prompt, std::uint64_t output) const {
  return spec_.phase == BatchSpec::Phase::kPrefill ? prompt : prompt + output - 1;
}

void Batch::hold(Sequence& sequence, std::uint64_t pages) {
  used_pages_ += pages - sequence.pages;
  sequence.pages = pages;
}

void Batch::open() {
  step_ = {};
  left_ = spec_.most_tokens;
  if (spec_.chunks_prompts) {
    plan_decodes();
    plan_prefills();
  }
  resume_evicted();
}

const BatchStep& Batch::close() {
  if (!spec_.chunks_prompts && step_.prefill_sequences == 0) plan_decodes();
  return step_;
}

Batch::Oldest Batch::oldest() const {
  Oldest oldest;
  for (const Sequence& sequence : running_)
    if (sequence.generated == 0)
      oldest.unread_arrival_ps = std::min(oldest.unread_arrival_ps, sequence.request.arrival_ps);
    else
      oldest.token_ps = std::min(oldest.token_ps, sequence.last_ps);
  return oldest;
}

void Batch::plan_decodes() {
  for (std::size_t i = 0; i < running_.size() && left_ > 0; ++i) {
    if (!running_[i].decodes() || running_[i].step_tokens > 0) continue;
    const std::uint64_t pages = std::max(running_[i].pages, pages_of(running_[i].known()));
    while (i < running_.size() && !has_pages(pages - running_[i].pages)) evict_last();
    if (i == running_.size()) return;
    hold(running_[i], pages);
    decode(running_[i]);
  }
}

void Batch::decode(Sequence& sequence) {
  sequence.step_tokens = 1;
  --left_;
  ++step_.decode_sequences;
  ++step_.outputs;
  step_.decode_context += sequence.known();
}

void Batch::plan_prefills() {
  for (Sequence& sequence : running_)
    if (left_ > 0 && sequence.step_tokens == 0 && !sequence.decodes()) read(sequence);
}

// Reads as much of the sequence as the step has room for, or all of it without chunks.
void Batch::read(Sequence& sequence) {
  const std::uint64_t tokens = spec_.chunks_prompts ? std::min(left_, sequence.unread()) : sequence.unread();
  sequence.step_tokens = tokens;
  left_ -= std::min(left_, tokens);
  step_.prefill_tokens += tokens;
  ++step_.prefill_sequences;
  step_.prefill_pairs += tokens * sequence.cached + tokens * (tokens + 1) / 2;
  if (tokens == sequence.unread()) ++step_.outputs;
}

bool Batch::can_read(std::uint64_t tokens) const {
  if (spec_.chunks_prompts) return left_ > 0;
  return tokens <= left_ || step_.prefill_sequences == 0;
}

void Batch::resume_evicted() {
  while (!evicted_.empty()) {
    Sequence& next = evicted_.front();
    const std::uint64_t pages = pages_at_start(next);
    if (!has_pages(pages) || !can_read(next.unread())) return;
    running_.push_back(next);
    evicted_.pop_front();
    hold(running_.back(), pages);
    read(running_.back());
  }
}

// The sequence that came last gives its pages back. The step has nothing for it yet, because decodes are
// planned first and in the order of the sequences.
void Batch::evict_last() {
  Sequence& last = running_.back();
  hold(last, 0);
  last.cached = 0;
  ++last.evictions;
  ++evictions_;
  evicted_.push_front(last);
  running_.pop_back();
}

bool Batch::can_take(const Request& request) const {
  if (!evicted_.empty() || sequences() >= spec_.most_sequences) return false;
  const std::uint64_t prompt = tokens_of(request, spec_.prompt, "prompt");
  const std::uint64_t output = tokens_of(request, spec_.output, "answer");
  if (pages_of(most_cached(prompt, output)) > pages_) return true;  // take() says why it is refused
  const bool decodes = spec_.phase == BatchSpec::Phase::kDecode;
  const std::uint64_t tokens = spec_.reserves_output ? most_cached(prompt, output)
                               : decodes             ? prompt + 1
                                                     : prompt;
  return has_pages(pages_of(tokens)) && (decodes ? left_ > 0 : can_read(prompt));
}

void Batch::take(const Request& request, std::uint64_t now_ps) {
  Sequence sequence;
  sequence.request = request;
  sequence.start_ps = now_ps;
  sequence.prompt = tokens_of(request, spec_.prompt, "prompt");
  sequence.output = tokens_of(request, spec_.output, "answer");
  if (pages_of(most_cached(sequence.prompt, sequence.output)) > pages_)
    throw std::runtime_error(
        fmt::format("request {}: its prompt of {} and answer of {} tokens need more of the cache than the {} "
                    "tokens that fit",
                    request.number, sequence.prompt, sequence.output, pages_ * spec_.page_tokens));
  if (spec_.phase == BatchSpec::Phase::kPrefill) sequence.output = 1;
  if (spec_.phase == BatchSpec::Phase::kDecode) {
    sequence.generated = 1;
    sequence.cached = sequence.prompt;
    sequence.first_ps = sequence.last_ps = request.first_token_ps;
    if (sequence.output == 1)
      throw std::runtime_error(fmt::format(
          "request {}: its answer has one token, which it had before its prompt came here", request.number));
  }
  hold(sequence, pages_at_start(sequence));
  running_.push_back(sequence);
  if (!running_.back().decodes()) return read(running_.back());
  if (spec_.chunks_prompts) decode(running_.back());  // otherwise close() plans it with all others
}

void Batch::end(std::uint64_t now_ps, const Generated& generated, const Ended& ended) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Sequence& sequence = running_[i];
    sequence.cached += std::exchange(sequence.step_tokens, 0);
    bool has_ended = false;
    if (sequence.unread() == 0) {
      const std::uint64_t gap_ps = sequence.generated == 0 ? 0 : now_ps - sequence.last_ps;
      if (sequence.generated++ == 0) sequence.first_ps = now_ps;
      sequence.last_ps = now_ps;
      sequence.longest_gap_ps = std::max(sequence.longest_gap_ps, gap_ps);
      generated(sequence, gap_ps);
      has_ended = sequence.generated == sequence.output;
    }
    if (has_ended) {
      hold(sequence, 0);
      ended(sequence);
    } else {
      if (kept != i) running_[kept] = sequence;
      ++kept;
    }
  }
  running_.resize(kept);
}

}  // namespace heddle
