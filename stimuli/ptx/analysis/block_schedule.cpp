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
    depth_.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i)
      for (const auto& [from, delay] : before_[i]) depth_[i] = std::max(depth_[i], depth_[from] + delay);
  }

  // The last operation is chosen first: each operation starts as late as the others let it.
  std::vector<std::uint32_t> order() {
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    std::vector<std::uint64_t> earliest(operations_.size(), 0);  // cycles before the end of the block
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    std::priority_queue<Entry> ready;  // by depth, then later in the code
    const auto count = static_cast<std::uint32_t>(operations_.size());
    for (std::uint32_t i = 0; i < count; ++i)
      if (waits_[i] == 0) waiting.push({0, i});
    std::vector<std::uint32_t> order;
    std::uint64_t cycle = 0;
    while (order.size() < count) {
      while (!waiting.empty() && waiting.top().first <= cycle) {
        const std::uint32_t i = waiting.top().second;
        waiting.pop();
        ready.push({depth_[i], i});
      }
      if (ready.empty()) {
        cycle = waiting.top().first;
        continue;
      }
      const std::uint32_t i = ready.top().second;
      ready.pop();
      order.push_back(i);
      for (const auto& [from, delay] : before_[i]) {
        earliest[from] = std::max(earliest[from], cycle + delay);
        if (--waits_[from] == 0) waiting.push({earliest[from], from});
      }
      ++cycle;
    }
    std::reverse(order.begin(), order.end());
    return order;
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
    if (operation.ends_block)
      for (std::uint32_t before = 0; before < i; ++before) depend(before, i, 0);
    add_memory_order(i);
  }
  static bool may_alias(const MachineOperation& a, const MachineOperation& b) {
    if (a.space != b.space && a.space != Space::kGeneric && b.space != Space::kGeneric) return false;
    if (a.base != b.base || a.base == Graph::kNone) return true;
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
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
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> before_;  // by operation: others, cycles
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint64_t> depth_;
  std::uint32_t fence_ = Graph::kNone;
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
