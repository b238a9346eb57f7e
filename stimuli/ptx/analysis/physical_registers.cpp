#include "stimuli/ptx/analysis/physical_registers.h"

#include <algorithm>
#include <utility>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/liveness.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kNever = ~std::uint32_t{0};

// A live range in half statements: a statement reads its sources in the first half and writes in the second.
struct Range {
  std::uint32_t first = kNever;
  std::uint32_t last = 0;
  std::uint32_t name = 0;
  std::uint32_t units = 1;

  void add(std::uint32_t statement, bool written) {
    first = std::min(first, 2 * statement + static_cast<std::uint32_t>(written));
    last = std::max(last, 2 * statement + static_cast<std::uint32_t>(written));
  }
  void take_whole_instructions() {
    first -= first % 2;
    last += 1 - last % 2;
  }
};

std::uint32_t allocation_units(const Function& function, std::uint32_t name) {
  return name < function.registers.size() && bits_of(function.registers[name].type) == 64 ? 2 : 1;
}

void add_operand(const Function& function, const Operand& operand, std::uint32_t at, bool written,
                 std::vector<Range>& ranges) {
  if (operand.kind == OperandKind::kRegister) ranges[operand.index].add(at, written);
  if (operand.kind == OperandKind::kPredicate)
    ranges[function.registers.size() + operand.index].add(at, written);
  if (operand.kind == OperandKind::kVector)
    for (std::uint32_t i = 0; i < operand.count; ++i)
      add_operand(function, function.operands[operand.index + i], at, written, ranges);
}

// Returns the live ranges by name as in Liveness.
std::vector<Range> live_ranges(const Function& function, bool& live_at_start) {
  const auto registers = static_cast<std::uint32_t>(function.registers.size());
  std::vector<Range> ranges(registers + function.predicates.size());
  for (std::uint32_t name = 0; name < ranges.size(); ++name) {
    ranges[name].name = name;
    ranges[name].units = allocation_units(function, name);
  }
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const Statement& statement = function.code[i];
    if (statement.guarded()) ranges[registers + statement.guard].add(i, false);
    for (std::uint32_t j = 0; j < statement.operands; ++j)
      add_operand(function, function.operands_of(statement)[j], i, j < statement.destinations, ranges);
  }
  const FlowGraph graph(function);
  const Liveness liveness(function, graph);
  const Graph backwards = graph.graph().reversed();
  for (std::uint32_t block = 0; block < graph.exit(); ++block) {
    const FlowGraph::Block& at = graph.blocks()[block];
    const std::vector<bool> live = liveness.live_before(at.first);
    for (std::uint32_t name = 0; name < ranges.size(); ++name) {
      if (!live[name]) continue;
      live_at_start = live_at_start || block == 0;
      ranges[name].add(at.first, false);
      // A name that is live into a block is live up to the end of each predecessor.
      for (const std::uint32_t before : backwards.successors(block))
        ranges[name].add(graph.blocks()[before].end - 1, true);
    }
  }
  ranges.erase(
      std::remove_if(ranges.begin(), ranges.end(), [](const Range& range) { return range.first == kNever; }),
      ranges.end());
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.first < b.first; });
  return ranges;
}

// Allocates numbers first .. end - 1, the lowest free one first.
class Scan {
 public:
  Scan(std::uint32_t first, std::uint32_t end) : first_(first), busy_until_(end - first, 0) {}

  std::uint32_t place(const Range& range) {
    const auto room = static_cast<std::uint32_t>(busy_until_.size());
    std::uint32_t at = 0;
    while (at + range.units <= room && !is_free(at, range)) at += range.units;
    if (at + range.units > room) at = range.name % (room / range.units) * range.units;
    for (std::uint32_t i = 0; i < range.units; ++i)
      busy_until_[at + i] = std::max(busy_until_[at + i], range.last + 1);
    end_ = std::max(end_, at + range.units);
    return first_ + at;
  }
  std::uint32_t end() const { return first_ + end_; }

 private:
  bool is_free(std::uint32_t at, const Range& range) const {
    for (std::uint32_t i = 0; i < range.units; ++i)
      if (busy_until_[at + i] > range.first) return false;
    return true;
  }

  std::uint32_t first_;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> busy_until_;  // by number: end of its last range
};

}  // namespace

PhysicalRegisters allocate_registers(const Function& function, RegisterId first) {
  PhysicalRegisters result;
  result.registers.resize(function.registers.size());
  result.rows.resize(function.registers.size());
  result.predicates.resize(function.predicates.size());
  // When callers hold nearly all registers, the function shares at least this many.
  constexpr std::uint32_t kLeast = 32;
  Scan registers(std::min((first + 1U) / 2 * 2, kFirstPredicate - kLeast), kFirstPredicate);
  Scan predicates(kFirstPredicate, kRegisterNames);
  Scan wide_rows(0, static_cast<std::uint32_t>(2 * function.registers.size()));
  Scan rows(0, static_cast<std::uint32_t>(function.registers.size()));
  for (Range& range : live_ranges(function, result.live_at_start)) {
    if (range.name >= function.registers.size()) {
      result.predicates[range.name - function.registers.size()] =
          static_cast<RegisterId>(predicates.place(range));
      continue;
    }
    result.registers[range.name] = static_cast<RegisterId>(registers.place(range));
    range.take_whole_instructions();
    result.rows[range.name] = (range.units == 2 ? wide_rows : rows).place(range);
  }
  for (std::uint32_t name = 0; name < function.registers.size(); ++name)
    if (units_of(function, name) == 1) result.rows[name] += wide_rows.end();
  result.end = static_cast<RegisterId>(registers.end());
  result.row_end = wide_rows.end() + rows.end();
  return result;
}

}  // namespace heddle::ptx
