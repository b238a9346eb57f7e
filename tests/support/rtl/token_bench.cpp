// Cases of the token unit: the decisions of the token scheduler at one scheduling point, over random
// machines. Between them there are scans of arbitrary items and counts, unless a unit of a machine is asked.

#include <algorithm>
#include <deque>

#include "models/core/base/random.h"
#include "models/rtl/roles/rtl_units.h"
#include "policies/sm_partitioner/demand.h"
#include "policies/sm_partitioner/token.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::uint32_t kContexts = 64;
constexpr std::int64_t kImbalance = 1;  // of the policy of a machine
constexpr std::uint64_t kLatency = 4;   // of token_unit.yaml
enum Command : std::uint32_t { kNothing, kSet, kAdd, kCandidate, kVictim };

struct Item {
  std::uint32_t context = 0;
  bool preempted = false;
  std::uint32_t running = 0;
  std::size_t of = 0;  // the kernel or the SM that the item stands for
};

// What is at the inputs of the unit in one tick.
struct Inputs {
  Command command = kNothing;
  Item item;
  std::int64_t value = 0;
  std::int64_t below = 0;
  bool last = false;
};

class TokenBench final : public UnitBench {
 public:
  explicit TokenBench(std::uint64_t seed) : random_(seed) {}
  // The cases of a machine whose policy asks `unit`.
  TokenBench(std::uint64_t seed, std::unique_ptr<TokenUnit> unit)
      : random_(seed), policy_(std::make_unique<Token>(parameters(kImbalance), std::move(unit))) {}

  void draw() override {
    inputs_.clear();
    answer_ = {};
    resets_ = drawn_++ == 0 || (policy_ == nullptr && random_.below(100) == 0);
    if (resets_) {
      counts_.assign(kContexts, 0);
      candidates_ = victims_ = 0;
    }
    holders_.clear();
    model_.clear();
    if (policy_ != nullptr || random_.below(2) == 0)
      partition_machine();
    else
      scan_anything();
    answer_.counters = {candidates_, victims_};
    if (model_.empty()) model_ = answer_.choices;
  }

  const Answer& oracle() const override { return answer_; }
  const std::vector<std::uint64_t>& model() const override { return model_; }
  std::uint64_t model_choices() const override { return model_choices_; }

  // The choices are, for each tick with an answer, the number of the tick and the answer, and then what the
  // oracle gives each SM.
  Answer ask(RtlInstance& unit) const override {
    if (policy_ != nullptr) return ask_as_machine(unit);
    if (resets_) {
      drive(unit, {kCandidate, {}, 0, 0, false});  // a reset ends a scan
      unit.eval();
      tick(unit);
      reset(unit);
    }
    Answer answer;
    for (std::size_t i = 0; i <= inputs_.size(); ++i) {
      drive(unit, i < inputs_.size() ? inputs_[i] : Inputs{});
      unit.eval();
      if (get(unit, "done_o") != 0) {
        const bool found = get(unit, "found_o") != 0;
        answer.choices.insert(answer.choices.end(), {i, found ? 1u : 0u, found ? get(unit, "index_o") : 0});
      }
      tick(unit);
    }
    answer.choices.insert(answer.choices.end(), holders_.begin(), holders_.end());
    answer.counters = {get(unit, "candidates_o"), get(unit, "victims_o")};
    return answer;
  }

 private:
  static std::uint64_t bits(std::int64_t value, int width) {
    return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << width) - 1);
  }

  void drive(RtlInstance& unit, const Inputs& inputs) const {
    set(unit, "command_i", inputs.command);
    set(unit, "context_i", inputs.item.context);
    set(unit, "value_i", bits(inputs.value, 16));
    set(unit, "preempted_i", inputs.item.preempted ? 1 : 0);
    set(unit, "running_i", inputs.item.running);
    set(unit, "below_i", bits(inputs.below, 17));
    set(unit, "last_i", inputs.last ? 1 : 0);
  }

  // Sets the inputs that RtlTokenUnit sets, and waits for the answers as long as it does. Without an answer
  // the choices end.
  Answer ask_as_machine(RtlInstance& unit) const {
    Answer answer;
    drive(unit, {});
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Inputs& inputs = inputs_[i];
      const bool scans = inputs.command == kCandidate || inputs.command == kVictim;
      set(unit, "command_i", inputs.command);
      set(unit, "context_i", inputs.item.context);
      if (!scans) set(unit, "value_i", bits(inputs.value, 16));
      if (scans) set(unit, "last_i", inputs.last ? 1 : 0);
      if (inputs.command == kVictim) {
        set(unit, "preempted_i", inputs.item.preempted ? 1 : 0);
        set(unit, "running_i", inputs.item.running);
        set(unit, "below_i", bits(inputs.below, 17));
      }
      unit.eval();
      tick(unit);
      if (!inputs.last) continue;
      set(unit, "command_i", kNothing);
      set(unit, "last_i", 0);
      if (!wait_until_done(unit)) return answer;
      const bool found = get(unit, "found_o") != 0;
      answer.choices.insert(answer.choices.end(), {i + 1, found ? 1u : 0u, found ? get(unit, "index_o") : 0});
      tick(unit);
    }
    answer.choices.insert(answer.choices.end(), holders_.begin(), holders_.end());
    return answer;
  }

  static bool wait_until_done(RtlInstance& unit) {
    for (std::uint64_t ticks = 0; ticks <= kLatency; ++ticks) {
      unit.eval();
      if (get(unit, "done_o") != 0) return true;
      tick(unit);
    }
    return false;
  }

  // ---- the commands, and what the oracle answers

  void idle() {
    if (policy_ != nullptr || random_.below(8) != 0) return;
    Inputs inputs;  // nothing is asked, whatever stands at the other inputs
    inputs.item = {static_cast<std::uint32_t>(random_.below(kContexts)), random_.below(2) == 0, 0, 0};
    inputs.value = 1;
    inputs.last = random_.below(2) == 0;
    inputs_.push_back(inputs);
  }

  void change(Command command, std::uint32_t context, std::int64_t value) {
    idle();
    Inputs inputs;
    inputs.command = command;
    inputs.item.context = context;
    inputs.value = value;
    inputs_.push_back(inputs);
    counts_[context] = command == kSet ? value : counts_[context] + value;
  }

  void send(Command command, const std::vector<Item>& items, std::int64_t below, std::size_t best) {
    idle();
    for (std::size_t i = 0; i < items.size(); ++i)
      inputs_.push_back({command, items[i], 0, below, i + 1 == items.size()});
    const bool found = best != items.size();
    answer_.choices.insert(answer_.choices.end(), {inputs_.size(), found ? 1u : 0u, found ? best : 0u});
    if (command == kCandidate) ++candidates_;
    if (command == kVictim && found) ++victims_;
  }

  // Returns the item of the context with the highest count; the first one of equals.
  std::size_t candidate(const std::vector<Item>& items) {
    const auto best = std::max_element(items.begin(), items.end(), [this](const Item& a, const Item& b) {
      return counts_[a.context] < counts_[b.context];
    });
    send(kCandidate, items, 0, static_cast<std::size_t>(best - items.begin()));
    return static_cast<std::size_t>(best - items.begin());
  }

  // The items in the order in which they are given up, of which the first one may be given up.
  std::size_t victim(const std::vector<Item>& items, std::int64_t below) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Item& first = items[a];
      const Item& second = items[b];
      if (counts_[first.context] != counts_[second.context])
        return counts_[first.context] < counts_[second.context];
      if (first.preempted != second.preempted) return first.preempted;
      return first.running < second.running;
    });
    const std::size_t best = counts_[items[order[0]].context] < below ? order[0] : items.size();
    send(kVictim, items, below, best);
    return best;
  }

  // ---- the token scheduler on a random machine

  TestMachine random_machine() {
    const std::size_t contexts = 1 + random_.below(6);
    std::vector<ContextView> views;
    for (std::size_t i = 0; i < contexts; ++i)
      views.push_back({0, static_cast<std::int32_t>(random_.below(8))});
    TestMachine machine(1 + random_.below(16), views);
    const std::uint64_t kernels = 1 + random_.below(8);
    for (std::uint64_t i = 0; i < kernels; ++i)
      machine.kernel(static_cast<std::uint32_t>(random_.below(contexts)), random_.below(30),
                     static_cast<std::uint32_t>(1 + random_.below(4)));
    for (std::size_t sm = 0; sm < machine.view().sms.size(); ++sm) {
      const std::uint64_t way = random_.below(6);
      const int kernel = static_cast<int>(random_.below(kernels));
      const auto residency = machine.view().kernels[static_cast<std::size_t>(kernel)].residency;
      const auto blocks = static_cast<std::uint32_t>(1 + random_.below(residency));
      if (way == 1) machine.sets_up(sm, kernel);
      if (way >= 2) machine.slice(sm, kernel, way == 2 ? SliceState::kLeaving : SliceState::kRunning, blocks);
      if (way == 2 && random_.below(2) == 0 && kernels > 1)
        machine.waits(sm, (kernel + 1) % static_cast<int>(kernels));
    }
    return machine;
  }

  static PolicyParameters parameters(std::int64_t imbalance) {
    return PolicyParameters({{"imbalance", static_cast<double>(imbalance)}});
  }

  static bool has_candidate(const MachineView& view) {
    const Partition partition = standing(view);
    return std::any_of(view.kernels.begin(), view.kernels.end(),
                       [&](const KernelView& kernel) { return wants_sm(view, partition, kernel); });
  }

  void partition_machine() {
    TestMachine machine = random_machine();
    while (policy_ != nullptr && !has_candidate(machine.view())) machine = random_machine();
    machine.view().now = Cycle{drawn_};
    const MachineView& view = machine.view();
    const std::int64_t imbalance =
        policy_ != nullptr ? kImbalance : static_cast<std::int64_t>(1 + random_.below(3));
    Partition partition = standing(view);
    for (std::uint32_t i = 0; i < view.contexts.size(); ++i) change(kSet, i, view.contexts[i].tokens);
    for (std::size_t sm = 0; sm < partition.sms(); ++sm)
      if (partition.holder(sm).valid()) change(kAdd, context_of(view, partition, sm), -1);
    while (serve_one(view, partition, imbalance)) {
    }
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) holders_.push_back(partition.holder(sm).value);
    for (std::size_t i = 0; i < view.contexts.size(); ++i)
      holders_.push_back(static_cast<std::uint64_t>(counts_[i]));

    model_ = answer_.choices;
    model_choices_ += answer_.choices.size() / 3;  // a scan has three numbers
    answer_.choices.insert(answer_.choices.end(), holders_.begin(), holders_.end());

    Token fresh(parameters(imbalance));
    Token& policy = policy_ != nullptr ? *policy_ : fresh;
    Partition decided = standing(view);
    policy.partition(view, decided);
    for (std::size_t sm = 0; sm < decided.sms(); ++sm) model_.push_back(decided.holder(sm).value);
    for (const std::int64_t count : *policy.tokens()) model_.push_back(static_cast<std::uint64_t>(count));
  }

  static std::uint32_t context_of(const MachineView& view, const Partition& partition, std::size_t sm) {
    return view.kernel(partition.holder(sm)).context.value;
  }

  // Gives one candidate an SM. Returns false if there is none to give.
  bool serve_one(const MachineView& view, Partition& partition, std::int64_t imbalance) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < view.kernels.size(); ++i)
      if (wants_sm(view, partition, view.kernels[i]))
        items.push_back({view.kernels[i].context.value, false, 0, i});
    if (items.empty()) return false;
    const KernelView& kernel = view.kernels[items[candidate(items)].of];
    std::size_t sm = free_sm(view, partition, kernel.ksr);
    if (sm == partition.sms()) {
      items.clear();
      for (std::size_t i = 0; i < partition.sms(); ++i)
        if (partition.holder(i).valid())
          items.push_back({context_of(view, partition, i), view.sms[i].reserved(), view.sms[i].running(), i});
      const std::size_t best = victim(items, counts_[kernel.context.value] - imbalance);
      if (best == items.size()) return false;
      sm = items[best].of;
      change(kAdd, context_of(view, partition, sm), 1);
    }
    partition.give(sm, kernel.ksr);
    change(kAdd, kernel.context.value, -1);
    return true;
  }

  // ---- arbitrary scans

  std::int64_t any_count() {
    if (random_.below(4) == 0) return static_cast<std::int64_t>(random_.below(1 << 16)) - (1 << 15);
    return static_cast<std::int64_t>(random_.below(7)) - 3;
  }

  void scan_anything() {
    for (std::uint64_t i = random_.below(12); i > 0; --i)
      change(kSet, static_cast<std::uint32_t>(random_.below(kContexts)), any_count());
    std::vector<Item> items(1 + random_.below(random_.below(20) == 0 ? 300 : 12));
    const std::uint64_t contexts = random_.below(2) == 0 ? kContexts : 1 + random_.below(4);
    const std::uint64_t most = random_.below(4) == 0 ? 1 << 16 : 4;
    for (Item& item : items)
      item = {static_cast<std::uint32_t>(random_.below(contexts)), random_.below(2) == 0,
              static_cast<std::uint32_t>(random_.below(most)), 0};
    if (random_.below(2) == 0)
      candidate(items);
    else
      victim(items, random_.below(4) == 0 ? -(1 << 15) - 1024 : any_count());
  }

  Random random_;
  const std::unique_ptr<Token> policy_ = nullptr;  // of a machine
  std::uint64_t drawn_ = 0;
  std::vector<std::int64_t> counts_;
  std::uint64_t candidates_ = 0;
  std::uint64_t victims_ = 0;

  bool resets_ = false;
  std::vector<Inputs> inputs_;
  std::vector<std::uint64_t> holders_;
  Answer answer_;
  std::vector<std::uint64_t> model_;
  std::uint64_t model_choices_ = 0;
};

}  // namespace

std::vector<Unit> token_units() {
  return {{{"token_unit", {"token_unit.sv"}, {}},
           40000,
           100000,
           [](std::uint64_t seed) { return std::make_unique<TokenBench>(seed); },
           [](std::uint64_t seed, RtlBlock& block) {
             return std::make_unique<TokenBench>(seed, std::make_unique<RtlTokenUnit>(block, "partitioner"));
           }}};
}

}  // namespace heddle::test
