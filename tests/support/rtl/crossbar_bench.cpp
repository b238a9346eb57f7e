// Cases of crossbar arbiters: packets of random ages come to the inputs of a crossbar with one output, whose
// buffer is drained at random. The packets go through a switch of the model, too.

#include <algorithm>

#include "models/core/base/random.h"
#include "models/noc/switch.h"
#include "models/rtl/roles/rtl_crossbar_arbiter.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

NocSpec spec_of_one_output() {
  NocSpec spec;
  spec.flit_bytes = spec.header_bytes = NocSpec::kMostData;
  spec.input_flits = spec.output_flits = 4;
  spec.latency = 1;
  return spec;
}

std::vector<std::unique_ptr<CrossbarArbiter>> of_one_output(std::unique_ptr<CrossbarArbiter> arbiter) {
  std::vector<std::unique_ptr<CrossbarArbiter>> arbiters;
  arbiters.push_back(std::move(arbiter));
  return arbiters;
}

class CrossbarBench final : public UnitBench {
 public:
  // `as_machine`: each request has an age of its own, and nothing is reset after the first case.
  CrossbarBench(std::uint32_t ports, std::uint32_t age_bits, bool oldest_first,
                std::unique_ptr<CrossbarArbiter> arbiter, bool as_machine, std::uint64_t seed)
      : ports_(ports),
        age_bits_(age_bits),
        oldest_first_(oldest_first),
        as_machine_(as_machine),
        random_(seed),
        switch_(spec_of_one_output(), ports, of_one_output(std::move(arbiter))),
        issued_(ports),
        requests_(ports),
        ages_(ports) {}

  void draw() override {
    ++now_.value;
    resets_ = drawn_++ == 0 || (!as_machine_ && random_.below(500) == 0);
    if (resets_) start_again();
    while (!switch_.loaded().empty() && switch_.due(0) <= now_ && random_.below(4) != 0) switch_.pop(0, now_);
    send_packets();
    if (oldest_first_) rank_ages();
    const bool asked = std::find(requests_.begin(), requests_.end(), true) != requests_.end();
    answer_.choices = {asked ? 1u : 0u, asked ? choose() : 0u};
    draw_taken();
    if (asked) ++choices_;
    if (taken_ != kNone) ++grants_;
    answer_.counters = {choices_, grants_};
  }

  const Answer& oracle() const override { return answer_; }
  const std::vector<std::uint64_t>& model() const override { return model_; }
  std::uint64_t model_choices() const override { return model_choices_; }

  Answer ask(RtlInstance& unit) const override {
    if (resets_) reset(unit);
    set_mask(unit, "requests_i", requests_);
    unit.find("taken_i")->clear();
    if (oldest_first_) {
      RtlSignal& ages = *unit.find("ages_i");
      for (std::uint32_t bit = 0; bit < age_bits_; ++bit)
        for (std::uint32_t i = 0; i < ports_; ++i) ages.set(bit * ports_ + i, 1, ages_[i] >> bit & 1);
    }
    unit.eval();
    Answer answer;
    answer.choices = {get(unit, "grant_valid_o"), get(unit, "grant_valid_o") != 0 ? get(unit, "grant_o") : 0};
    if (taken_ != kNone) unit.find("taken_i")->set(taken_, 1, 1);
    unit.eval();
    tick(unit);
    answer.counters = {get(unit, "choices_o"), get(unit, "grants_o")};
    return answer;
  }

 private:
  void start_again() {
    switch_.reset();
    std::fill(requests_.begin(), requests_.end(), false);
    waiting_.assign(ports_, false);
    choices_ = grants_ = 0;
    last_ = ports_ - 1;
    spread_ = 1 + random_.below(2 * ports_);
    dense_ = 1 + random_.below(20);
  }

  void send_packets() {
    for (std::uint32_t i = 0; i < ports_; ++i) {
      if (waiting_[i] || random_.below(4 * dense_) != 0) continue;
      Switch::Message packet;
      packet.last_flits = 1;
      packet.issued = issued_[i] = Cycle{random_.below(spread_)};
      switch_.push(i, packet, now_);
      waiting_[i] = true;
    }
    requests_ = waiting_;
  }

  // Orders the requests by their cycles. In half of the cases each request has a rank of its own; in the
  // others requests of one cycle have one rank. In half of the cases the ages leave out numbers. Ports
  // without a request have any age. In the machine ranks are unique, none is left out, and the other ports
  // have age 0.
  void rank_ages() {
    const bool unique = as_machine_ || random_.below(2) == 0;
    const std::vector<std::uint64_t> ages = ages_by_rank(!as_machine_ && random_.below(2) == 0);
    for (std::uint32_t i = 0; i < ports_; ++i) {
      ages_[i] = as_machine_ ? 0 : random_.below(ports_);
      if (!requests_[i]) continue;
      std::uint32_t rank = 0;
      for (std::uint32_t k = 0; k < ports_; ++k)
        if (requests_[k] && (issued_[k] < issued_[i] || (unique && issued_[k] == issued_[i] && k < i)))
          ++rank;
      ages_[i] = ages[rank];
    }
  }

  std::vector<std::uint64_t> ages_by_rank(bool gaps) {
    const auto count = static_cast<std::size_t>(std::count(requests_.begin(), requests_.end(), true));
    std::uint64_t unused = gaps ? (std::uint64_t{1} << age_bits_) - count : 0;
    std::vector<std::uint64_t> ages;
    for (std::uint64_t next = 0; ages.size() < count; ages.push_back(next++)) {
      const std::uint64_t left_out = random_.below(unused + 1);
      next += left_out;
      unused -= left_out;
    }
    return ages;
  }

  std::uint32_t choose() const {
    std::uint32_t best = kNone;
    for (std::uint32_t step = 1; step <= ports_; ++step) {
      const std::uint32_t i = oldest_first_ ? step - 1 : (last_ + step) % ports_;
      if (!requests_[i]) continue;
      if (!oldest_first_) return i;
      if (best == kNone || issued_[i] < issued_[best]) best = i;
    }
    return best;
  }

  // The switch takes its own choice if the output has room. If it has none, the choice cannot be seen.
  void draw_taken() {
    model_ = answer_.choices;
    taken_ = kNone;
    const std::uint64_t passed = switch_.passed(0);
    switch_.arbitrate(now_);
    if (switch_.passed(0) == passed) return;
    for (std::uint32_t i = 0; i < ports_; ++i)
      if (waiting_[i] && switch_.waiting(i) == 0) taken_ = i;
    model_ = {1, taken_};
    ++model_choices_;
    waiting_[taken_] = false;
    last_ = taken_;
  }

  const std::uint32_t ports_;
  const std::uint32_t age_bits_;
  const bool oldest_first_;
  const bool as_machine_;
  Random random_;
  Switch switch_;
  Cycle now_{};
  std::uint64_t drawn_ = 0;
  std::uint64_t spread_ = 1;  // of the cycles of issue
  std::uint64_t dense_ = 1;
  std::uint32_t last_ = 0;  // the input that was granted last
  std::vector<bool> waiting_;
  std::vector<Cycle> issued_;
  std::uint64_t choices_ = 0;
  std::uint64_t grants_ = 0;

  bool resets_ = false;
  std::vector<bool> requests_;
  std::vector<std::uint64_t> ages_;
  std::uint32_t taken_ = kNone;
  Answer answer_;
  std::vector<std::uint64_t> model_;
  std::uint64_t model_choices_ = 0;
};

Unit unit(const std::string& name, const std::string& part, std::uint32_t ports, std::uint32_t age_bits,
          std::uint64_t cases, std::uint64_t choices) {
  const bool oldest_first = name == "crossbar_oldest";
  std::map<std::string, std::string> parameters{{"PORTS", std::to_string(ports)}};
  if (oldest_first) parameters["AGE_BITS"] = std::to_string(age_bits);
  const auto model = [=] {
    return PolicyRegistry<CrossbarArbiter>::make({oldest_first ? "oldest-first" : "round-robin", {}});
  };
  return {{name, {"index_of.sv", part, name + ".sv"}, parameters},
          cases,
          choices,
          [=](std::uint64_t seed) {
            return std::make_unique<CrossbarBench>(ports, age_bits, oldest_first, model(), false, seed);
          },
          [=](std::uint64_t seed, RtlBlock& block) {
            auto shadow = std::make_unique<RtlCrossbarArbiter>(block, "crossbar.output0", ports, model());
            return std::make_unique<CrossbarBench>(ports, age_bits, oldest_first, std::move(shadow), true,
                                                   seed);
          }};
}

}  // namespace

std::vector<Unit> crossbar_units() {
  return {unit("crossbar_round_robin", "first_after.sv", 32, 5, 140000, 100000),
          unit("crossbar_round_robin", "first_after.sv", 255, 8, 2000, 1000),
          unit("crossbar_oldest", "oldest_of.sv", 32, 5, 140000, 100000),
          unit("crossbar_oldest", "oldest_of.sv", 255, 8, 2000, 1000)};
}

}  // namespace heddle::test
