#pragma once
// A Batch has the sequences of a batch server (batch_spec.h) that are in service. It plans what a step does
// with each, and knows at the end of the step which of them have a new token and which have ended. Pure
// logic.
//
//   open()            the sequences that were there before have their tokens of the step
//   can_take, take()  new ones, while there is room
//   close()           the step is complete
//   end()             each sequence has done what was planned
//
// A sequence whose known tokens are all but one in its cache decodes; one with more to read is in prefill.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "models/host/requests/batch_spec.h"
#include "models/host/requests/request_spec.h"
#include "models/host/requests/server_queue.h"

namespace heddle {

struct BatchStep {
  std::uint64_t prefill_tokens = 0;
  std::uint64_t prefill_sequences = 0;
  std::uint64_t prefill_pairs = 0;
  std::uint64_t decode_sequences = 0;
  std::uint64_t decode_context = 0;
  std::uint64_t outputs = 0;

  std::uint64_t sequences() const { return prefill_sequences + decode_sequences; }
  RequestValues values() const;  // in the order of kStepParameters
};

class Batch {
 public:
  struct Sequence {
    Request request;
    std::uint64_t start_ps = 0;        // of its service
    std::uint64_t prompt = 0;          // tokens
    std::uint64_t output = 0;          // tokens that it will have generated at its end
    std::uint64_t generated = 0;       // so far
    std::uint64_t cached = 0;          // tokens whose keys and values are in the cache
    std::uint64_t pages = 0;           // that it holds
    std::uint64_t step_tokens = 0;     // that the present step reads
    std::uint64_t first_ps = 0;        // when it had its first token, here or where it comes from
    std::uint64_t last_ps = 0;         // and its last one so far
    std::uint64_t longest_gap_ps = 0;  // between two tokens
    std::uint64_t evictions = 0;       // how often it has lost its pages

    std::uint64_t known() const { return prompt + generated; }
    std::uint64_t unread() const { return known() - cached; }
    bool decodes() const { return generated > 0 && unread() == 1; }
  };
  // Called with each sequence that has a new token, which is its first one, or comes `gap_ps` after the last.
  using Generated = std::function<void(const Sequence& sequence, std::uint64_t gap_ps)>;
  using Ended = std::function<void(const Sequence& sequence)>;

  explicit Batch(const BatchSpec& spec);

  void open();
  // Whether the request can begin in the present step.
  bool can_take(const Request& request) const;
  // Throws std::runtime_error if the request could not be served even if it were alone: no tokens, lengths
  // that are not whole, or more of them than fit the cache.
  void take(const Request& request, std::uint64_t now_ps);
  const BatchStep& close();
  // The order of the calls is that of the service of the sequences.
  void end(std::uint64_t now_ps, const Generated& generated, const Ended& ended);

  const BatchStep& step() const { return step_; }  // the present step, from close() on
  // The times of the sequences in service that have waited longest; kNoTime: there is no such sequence.
  struct Oldest {
    std::uint64_t unread_arrival_ps = kNoTime;  // the earliest arrival of one without a token
    std::uint64_t token_ps = kNoTime;           // the earliest last token of one that decodes
  };
  Oldest oldest() const;
  double cache_used() const { return static_cast<double>(used_pages_) / static_cast<double>(pages_); }

  bool is_empty() const { return running_.empty() && evicted_.empty(); }
  std::uint64_t sequences() const { return running_.size() + evicted_.size(); }
  std::uint64_t used_pages() const { return used_pages_; }
  std::uint64_t evictions() const { return evictions_; }

 private:
  std::uint64_t pages_of(std::uint64_t tokens) const;
  std::uint64_t pages_at_start(const Sequence& sequence) const;
  std::uint64_t most_cached(std::uint64_t prompt, std::uint64_t output) const;
  bool has_pages(std::uint64_t pages) const { return pages <= pages_ - used_pages_; }
  bool can_read(std::uint64_t tokens) const;
  void hold(Sequence& sequence, std::uint64_t pages);
  void plan_decodes();
  void decode(Sequence& sequence);
  void plan_prefills();
  void resume_evicted();
  void read(Sequence& sequence);
  void evict_last();

  const BatchSpec spec_;
  const std::uint64_t pages_;  // of the cache
  std::uint64_t used_pages_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t left_ = 0;         // tokens that the present step may still read
  std::vector<Sequence> running_;  // in the order in which they began
  std::deque<Sequence> evicted_;   // in the order in which they go on
  BatchStep step_;
};

}  // namespace heddle
