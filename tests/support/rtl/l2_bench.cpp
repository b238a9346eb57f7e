// Cases of the L2's tags: some requests each, to few lines of few sets. Every handshake is held up at random.
// Besides the answers and the commands to memory, in their order, a case counts violations of the handshake.

#include <list>
#include <map>

#include "models/cache/tag_array.h"
#include "models/core/base/random.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::uint32_t kSets = 64;
constexpr std::uint32_t kWays = 8;
constexpr std::uint32_t kLineBytes = 128;
constexpr std::uint64_t kWriteBack = std::uint64_t{1} << 63;  // of a command to memory; else it is a read

struct Request {
  std::uint64_t address = 0;
  bool write = false;
  std::uint64_t id = 0;
};

// Drives the unit until all requests are answered.
class L2Run {
 public:
  L2Run(RtlInstance& unit, const std::vector<Request>& requests, std::uint64_t seed)
      : unit_(unit),
        requests_(requests),
        random_(seed),
        hurry_(random_.below(3)),
        patient_(random_.below(4) == 0),
        eager_(random_.below(4) == 0) {}

  std::vector<std::uint64_t> choices() {
    for (std::uint64_t ticks = 0; ticks < kMostTicks && idle_ < 4; ++ticks) run_tick();
    for (const std::vector<std::uint64_t>* part : {&answers_, &commands_})
      answers_and_commands_.insert(answers_and_commands_.end(), part->begin(), part->end());
    answers_and_commands_.push_back(violations_ + (reading_ ? 1 : 0));
    return answers_and_commands_;
  }

 private:
  static constexpr std::uint64_t kMostTicks = 2000;

  // The outputs that must not depend on a ready, and must stand while they wait.
  std::vector<std::uint64_t> answer() const {
    return {get(unit_, "answer_valid_o"), get(unit_, "answer_id_o"), get(unit_, "answer_hit_o")};
  }
  std::vector<std::uint64_t> command() const {
    return {get(unit_, "memory_valid_o"), get(unit_, "memory_address_o"), get(unit_, "memory_write_o")};
  }

  bool often() { return random_.below(4) < 1 + hurry_; }

  void run_tick() {
    offers_ = next_ < requests_.size() && (offers_ || often());
    fills_ = eager_ || (reading_ && (fills_ || often()));
    const Request request = offers_ ? requests_[next_] : Request{random_.below(1 << 20), true, 0};
    set(unit_, "request_valid_i", offers_ ? 1 : 0);
    set(unit_, "request_address_i", request.address);
    set(unit_, "request_write_i", request.write ? 1 : 0);
    set(unit_, "request_id_i", request.id);
    set(unit_, "fill_valid_i", fills_ ? 1 : 0);
    const bool answer_ready = often() && (!patient_ || !waiting_answer_.empty());
    const bool memory_ready = often() && (!patient_ || !waiting_command_.empty());
    set_ready(!answer_ready, !memory_ready);
    const std::vector<std::uint64_t> first_answer = answer();
    const std::vector<std::uint64_t> first_command = command();
    set_ready(answer_ready, memory_ready);
    if (answer() != first_answer || command() != first_command) ++violations_;
    if (!waiting_answer_.empty() && answer() != waiting_answer_) ++violations_;
    if (!waiting_command_.empty() && command() != waiting_command_) ++violations_;
    take(answer_ready, memory_ready);
    tick(unit_);
  }

  void set_ready(bool answer, bool memory) {
    set(unit_, "answer_ready_i", answer ? 1 : 0);
    set(unit_, "memory_ready_i", memory ? 1 : 0);
    unit_.eval();
  }

  void take(bool answer_ready, bool memory_ready) {
    const std::vector<std::uint64_t> said = answer();
    const std::vector<std::uint64_t> asked = command();
    waiting_answer_ = said[0] != 0 && !answer_ready ? said : std::vector<std::uint64_t>{};
    waiting_command_ = asked[0] != 0 && !memory_ready ? asked : std::vector<std::uint64_t>{};
    if (said[0] != 0 && answer_ready) answers_.insert(answers_.end(), {said[1], said[2]});
    if (fills_ && get(unit_, "fill_ready_o") != 0) {
      if (!reading_) ++violations_;
      fills_ = reading_ = false;
    }
    if (asked[0] != 0 && memory_ready) {
      commands_.push_back(asked[1] | (asked[2] != 0 ? kWriteBack : 0));
      if (reading_) ++violations_;
      reading_ = asked[2] == 0;
    }
    if (offers_ && get(unit_, "request_ready_o") != 0) {
      ++next_;
      offers_ = false;
    }
    if (answers_.size() >= 2 * requests_.size()) ++idle_;
  }

  RtlInstance& unit_;
  const std::vector<Request>& requests_;
  Random random_;
  const std::uint64_t hurry_;  // how seldom a handshake is held up
  const bool patient_;         // no ready before its valid
  const bool eager_;           // a line is offered before it is asked for
  std::size_t next_ = 0;       // the request that is or will be offered
  bool offers_ = false;
  bool reading_ = false;  // a read has been sent whose line has not come
  bool fills_ = false;    // its line is offered
  int idle_ = 0;          // ticks after the last answer
  std::vector<std::uint64_t> waiting_answer_;
  std::vector<std::uint64_t> waiting_command_;
  std::vector<std::uint64_t> answers_;
  std::vector<std::uint64_t> commands_;
  std::vector<std::uint64_t> answers_and_commands_;
  std::uint64_t violations_ = 0;
};

class L2Bench final : public UnitBench {
 public:
  explicit L2Bench(std::uint64_t seed) : random_(seed), tags_({kSets, kWays, kLineBytes, kLineBytes}) {}

  void draw() override {
    resets_ = drawn_++ == 0 || random_.below(100) == 0;
    if (resets_) {
      sets_.clear();
      tags_.reset();
      hits_ = misses_ = write_backs_ = 0;
      first_set_ = random_.below(kSets);
    }
    requests_.resize(1 + random_.below(24));
    for (Request& request : requests_) request = {any_address(), random_.below(3) == 0, random_.below(256)};
    seed_ = random_.next();
    answer_.choices =
        serve([this](const Request& request, auto& commands) { return use_lists(request, commands); });
    answer_.counters = {hits_, misses_, write_backs_};
    model_choices_ += requests_.size();
    model_ = serve([this](const Request& request, auto& commands) { return use_model(request, commands); });
  }

  const Answer& oracle() const override { return answer_; }
  const std::vector<std::uint64_t>& model() const override { return model_; }
  std::uint64_t model_choices() const override { return model_choices_; }

  Answer ask(RtlInstance& unit) const override {
    if (resets_) {
      for (std::uint64_t i = 0; i < drawn_ % 8; ++i) {  // a reset drops what is in flight
        set(unit, "request_valid_i", 1);
        set(unit, "memory_ready_i", 1);
        unit.eval();
        tick(unit);
      }
      set(unit, "request_valid_i", 0);
      set(unit, "fill_valid_i", 0);
      reset(unit);
    }
    Answer answer;
    answer.choices = L2Run(unit, requests_, seed_).choices();
    answer.counters = {get(unit, "hits_o"), get(unit, "misses_o"), get(unit, "write_backs_o")};
    return answer;
  }

 private:
  using Commands = std::vector<std::uint64_t>;
  struct Line {
    std::uint64_t number = 0;
    bool dirty = false;
  };

  // Twelve lines in each of four sets. They differ in low and in high bits.
  std::uint64_t any_address() {
    const std::uint64_t set = (first_set_ + 21 * random_.below(4)) % kSets;
    const std::uint64_t tag = random_.below(12);
    return ((tag % 3 + (tag / 3 << 25)) * kSets + set) * kLineBytes + random_.below(kLineBytes);
  }

  // The choices of a case, with `use` for each request.
  template <class Use>
  std::vector<std::uint64_t> serve(Use use) {
    Commands commands;
    std::vector<std::uint64_t> choices;
    for (const Request& request : requests_)
      choices.insert(choices.end(), {request.id, use(request, commands) ? 1u : 0u});
    choices.insert(choices.end(), commands.begin(), commands.end());
    choices.push_back(0);  // violations
    return choices;
  }

  // A list for each set, with the latest line first.
  bool use_lists(const Request& request, Commands& commands) {
    const std::uint64_t number = request.address / kLineBytes;
    std::list<Line>& lines = sets_[number % kSets];
    for (auto at = lines.begin(); at != lines.end(); ++at) {
      if (at->number != number) continue;
      at->dirty = at->dirty || request.write;
      lines.splice(lines.begin(), lines, at);
      ++hits_;
      return true;
    }
    ++misses_;
    if (lines.size() == kWays) {
      if (lines.back().dirty) {
        commands.push_back(lines.back().number * kLineBytes | kWriteBack);
        ++write_backs_;
      }
      lines.pop_back();
    }
    commands.push_back(number * kLineBytes);
    lines.push_front({number, request.write});
    return false;
  }

  bool use_model(const Request& request, Commands& commands) {
    const std::uint32_t set = tags_.set_of(request.address);
    TagArray::Line line = tags_.find(set, tags_.line_of(request.address));
    const bool hit = line != TagArray::kNone;
    if (!hit) {
      line = tags_.victim(set);
      if (tags_.present(line) && tags_.dirty(line) != 0) commands.push_back(tags_.address(line) | kWriteBack);
      commands.push_back(tags_.line_of(request.address));
      tags_.install(line, tags_.line_of(request.address));
    }
    tags_.touch(line);
    if (request.write) tags_.set_dirty(line, 1);
    return hit;
  }

  Random random_;
  TagArray tags_;
  std::map<std::uint64_t, std::list<Line>> sets_;
  std::uint64_t drawn_ = 0;
  std::uint64_t first_set_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t write_backs_ = 0;

  bool resets_ = false;
  std::uint64_t seed_ = 0;  // of what is held up
  std::vector<Request> requests_;
  Answer answer_;
  std::vector<std::uint64_t> model_;
  std::uint64_t model_choices_ = 0;
};

}  // namespace

std::vector<Unit> l2_units() {
  return {{{"l2_tags", {"l2_tags.sv"}, {}}, 10000, 100000, [](std::uint64_t seed) {
             return std::make_unique<L2Bench>(seed);
           }}};
}

}  // namespace heddle::test
