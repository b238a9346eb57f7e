#include "stimuli/ptx/analysis/block_schedule.h"

#include <algorithm>
#include <queue>
#include <set>

#include "stimuli/ptx/analysis/live_values.h"

namespace heddle::ptx {
namespace {

// The order that dependences leave to the operations of a block.
class BlockSchedule {
 public:
  BlockSchedule(const MachineBlock& block, std::vector<std::uint32_t>& writer,
                std::vector<std::vector<std::uint32_t>>& readers)
      : operations_(block.operations), writer_(writer), readers_(readers) {
    const std::size_t count = operations_.size();
    before_.resize(count);
    waits_.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) add_dependences(i);
    for (const MachineOperation& operation : operations_) {
      for (const std::uint32_t name : operation.reads) forget(name);
      for (const std::uint32_t name : operation.writes) forget(name);
    }
  }

  // Chooses, from the start, the operation with the longest way to the end of the block.
  std::vector<std::uint32_t> order() {
    const auto count = static_cast<std::uint32_t>(operations_.size());
    std::vector<std::vector<Dependence>> after(count);
    std::vector<std::uint32_t> waits(count, 0);
    std::vector<std::uint64_t> height(count, 0);
    for (std::uint32_t i = count; i-- > 0;)
      for (const auto& [from, delay] : before_[i]) {
        after[from].push_back({i, delay});
        ++waits[i];
        height[from] = std::max(height[from], height[i] + delay);
      }
    std::vector<std::uint64_t> earliest = latest_starts();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t ahead = operations_[i].latency < kLong ? kAhead : 0;
      earliest[i] -= std::min(earliest[i], ahead);
    }
    std::vector<std::uint32_t> order;
    visit(true, after, waits, earliest, height, [&](std::uint32_t i, std::uint64_t) { order.push_back(i); });
    return delayed(order);
  }

  // Chooses, from the end, the operation that leaves the fewest registers live before it.
  std::vector<std::uint32_t> narrow_order(const std::vector<std::uint8_t>& units,
                                          std::vector<std::uint8_t>& live) {
    const auto count = static_cast<std::uint32_t>(operations_.size());
    std::set<std::uint32_t, std::greater<>> ready;
    for (std::uint32_t i = 0; i < count; ++i)
      if (waits_[i] == 0) ready.insert(i);
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
      std::uint32_t best = *ready.begin();
      int least = 1 << 30;
      std::uint32_t seen = 0;
      for (const std::uint32_t i : ready) {
        if (++seen > kLookBack) break;
        int change = 0;
        for (const std::uint32_t name : operations_[i].writes)
          if (live[name] != 0 && !operations_[i].keeps_old) change -= units[name];
        for (const std::uint32_t name : operations_[i].reads)
          if (live[name] == 0) change += units[name];
        if (change < least) {
          least = change;
          best = i;
        }
      }
      ready.erase(best);
      order.push_back(best);
      if (!operations_[best].keeps_old)
        for (const std::uint32_t name : operations_[best].writes) live[name] = 0;
      for (const std::uint32_t name : operations_[best].reads) live[name] = 1;
      for (const auto& [from, delay] : before_[best])
        if (--waits_[from] == 0) ready.insert(from);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  using Dependence = std::pair<std::uint32_t, std::uint32_t>;  // the other operation, cycles
  static constexpr std::uint32_t kLong = 30;  // cycles of a latency that other operations hide
  // Cycles that a short operation may start before it has to: less than the latency of global memory, so that
  // it moves behind a load whose result it does not need, but not before the load.
  static constexpr std::uint64_t kAhead = 150;

  // Returns for each operation the cycle at which it starts if each starts as late as the others let it.
  std::vector<std::uint64_t> latest_starts() const {
    const std::size_t count = operations_.size();
    std::vector<std::uint64_t> depth(count, 0);
    for (std::size_t i = 0; i < count; ++i)
      for (const auto& [from, delay] : before_[i]) depth[i] = std::max(depth[i], depth[from] + delay);
    std::vector<std::uint64_t> starts(count, 0);
    std::uint64_t last = 0;
    visit(false, before_, waits_, std::vector<std::uint64_t>(count, 0), depth,
          [&](std::uint32_t i, std::uint64_t cycle) {
            starts[i] = cycle;
            last = cycle;
          });
    for (std::uint64_t& start : starts) start = last - start;
    return starts;
  }

  // Returns the order with the operations that do not issue as late as the others let them be.
  std::vector<std::uint32_t> delayed(const std::vector<std::uint32_t>& order) const {
    std::vector<std::uint32_t> late;
    std::vector<bool> placed(order.size(), false);
    std::vector<std::uint32_t> open;
    const auto place = [&](std::uint32_t last) {
      for (open.push_back(last); !open.empty();) {
        const std::uint32_t i = open.back();
        const std::size_t depth = open.size();
        for (const auto& [from, delay] : before_[i])
          if (!placed[from]) open.push_back(from);
        if (open.size() > depth) continue;
        open.pop_back();
        if (!placed[i]) late.push_back(i);
        placed[i] = true;
      }
    };
    for (const std::uint32_t i : order)
      if (operations_[i].issues) place(i);
    for (const std::uint32_t i : order) place(i);
    return late;
  }

  // Calls issue for one operation a cycle, of those that can start the one with the highest priority.
  // `next` are the operations that wait for each, and `waits` says for how many each waits.
  template <class Issue>
  void visit(bool forwards, const std::vector<std::vector<Dependence>>& next,
             std::vector<std::uint32_t> waits, std::vector<std::uint64_t> earliest,
             const std::vector<std::uint64_t>& priority, const Issue& issue) const {
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;  // by cycle
    std::priority_queue<Entry> ready;                                        // by priority
    for (std::uint32_t i = 0; i < waits.size(); ++i)
      if (waits[i] == 0) waiting.push({earliest[i], i});
    // Of equal ones, that nearest to where the visit starts in the code.
    const std::uint32_t tie = forwards ? ~std::uint32_t{0} : 0;
    for (std::uint64_t cycle = 0; !waiting.empty() || !ready.empty();) {
      if (ready.empty()) cycle = std::max(cycle, waiting.top().first);
      for (; !waiting.empty() && waiting.top().first <= cycle; waiting.pop())
        ready.push({priority[waiting.top().second], waiting.top().second ^ tie});
      const std::uint32_t i = ready.top().second ^ tie;
      ready.pop();
      issue(i, cycle);
      for (const auto& [other, delay] : next[i]) {
        earliest[other] = std::max(earliest[other], cycle + delay);
        if (--waits[other] == 0) waiting.push({earliest[other], other});
      }
      if (operations_[i].issues) ++cycle;
    }
  }

  void forget(std::uint32_t name) {
    writer_[name] = Graph::kNone;
    readers_[name].clear();
  }
  void depend(std::uint32_t from, std::uint32_t to, std::uint32_t delay) {
    if (from == Graph::kNone || from == to) return;
    before_[to].push_back({from, delay});
    ++waits_[from];
  }
  void add_dependences(std::uint32_t i) {
    const MachineOperation& operation = operations_[i];
    for (const std::uint32_t name : operation.reads) {
      if (writer_[name] != Graph::kNone) depend(writer_[name], i, operations_[writer_[name]].latency);
      readers_[name].push_back(i);
    }
    for (const std::uint32_t name : operation.writes) {
      for (const std::uint32_t reader : readers_[name]) depend(reader, i, 0);
      depend(writer_[name], i, 1);
      writer_[name] = i;
      readers_[name].clear();
    }
    depend(call_, i, 1);
    if (operation.ends_block || operation.calls)
      for (std::uint32_t before = call_ == Graph::kNone ? 0 : call_; before < i; ++before)
        depend(before, i, 0);
    if (operation.calls) call_ = i;
    add_memory_order(i);
  }
  static bool may_alias(const MachineOperation& a, const MachineOperation& b) {
    if (a.space != b.space && a.space != Space::kGeneric && b.space != Space::kGeneric) return false;
    if (a.base != b.base || a.base == Graph::kNone) return true;
    return b.offset - a.offset < a.bytes || a.offset - b.offset < b.bytes;  // addresses wrap around
  }
  void add_memory_order(std::uint32_t i) {
    const MachineOperation& operation = operations_[i];
    if (operation.memory == MachineOperation::Memory::kNone) return;
    depend(fence_, i, 1);
    if (operation.memory == MachineOperation::Memory::kFence) {
      for (const std::uint32_t load : loads_) depend(load, i, 0);
      for (const std::uint32_t store : stores_) depend(store, i, 0);
      loads_.clear();
      stores_.clear();
      fence_ = i;
      return;
    }
    if (operation.memory == MachineOperation::Memory::kLoad) {
      if (operation.read_only) return;
      for (std::size_t j = stores_.size(); j-- > 0;)
        if (stores_.size() - j > kLookBack || may_alias(operations_[stores_[j]], operation)) {
          depend(stores_[j], i, 1);
          break;
        }
      loads_.push_back(i);
      return;
    }
    if (!stores_.empty()) depend(stores_.back(), i, 1);
    std::vector<std::uint32_t> kept;
    for (std::size_t j = 0; j < loads_.size(); ++j) {
      if (loads_.size() - j > kLookBack || may_alias(operations_[loads_[j]], operation))
        depend(loads_[j], i, 0);
      else
        kept.push_back(loads_[j]);
    }
    loads_ = std::move(kept);
    stores_.push_back(i);
  }

  static constexpr std::size_t kLookBack = 64;
  const std::vector<MachineOperation>& operations_;
  std::vector<std::uint32_t>& writer_;
  std::vector<std::vector<std::uint32_t>>& readers_;
  std::vector<std::vector<Dependence>> before_;  // by operation: those that it waits for
  std::vector<std::uint32_t> waits_;             // by operation: how many wait for it
  std::uint32_t fence_ = Graph::kNone;
  std::uint32_t call_ = Graph::kNone;
  std::vector<std::uint32_t> loads_;
  std::vector<std::uint32_t> stores_;
};

}  // namespace

void schedule(MachineCode& code, ScheduleGoal goal) {
  const bool narrow = goal == ScheduleGoal::kRegisters;
  std::vector<std::uint32_t> writer(code.units.size(), Graph::kNone);
  std::vector<std::vector<std::uint32_t>> readers(code.units.size());
  std::vector<std::uint8_t> live(code.units.size());
  const LiveValues live_in(code);
  for (MachineBlock& block : code.blocks) {
    BlockSchedule made(block, writer, readers);
    if (narrow)
      for (const std::uint32_t next : block.successors)
        live_in.visit(next, [&](std::uint32_t name) { live[name] = 1; });
    const std::vector<std::uint32_t> order = narrow ? made.narrow_order(code.units, live) : made.order();
    std::vector<MachineOperation> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t i : order) sorted.push_back(std::move(block.operations[i]));
    block.operations = std::move(sorted);
    if (!narrow) continue;
    for (const MachineOperation& operation : block.operations)
      for (const std::uint32_t name : operation.reads) live[name] = 0;
    for (const std::uint32_t next : block.successors)
      live_in.visit(next, [&](std::uint32_t name) { live[name] = 0; });
  }
}

}  // namespace heddle::ptx
