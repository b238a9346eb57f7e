#include "stimuli/ptx/analysis/register_assignment.h"

#include <algorithm>
#include <vector>

#include "stimuli/ptx/analysis/live_values.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kStackRegister = 1;  // the register that holds it
constexpr std::uint32_t kUnassigned = ~std::uint32_t{0};

// The four banks of compute capability 3.5 (Lai and Seznec, CGO 2013).
std::uint32_t bank_of(std::uint32_t assigned) {
  return (assigned & 1U) | (assigned >> 2 & 1U) << 1;
}

class Assigner {
 public:
  Assigner(const MachineCode& code, std::uint32_t free)
      : code_(code),
        free_(free),
        beside_(code.units.size()),
        read_late_(code.units.size()),
        written_early_(code.units.size()),
        together_(code.units.size()),
        assigned_(code.units.size(), kUnassigned) {
    find_interference();
    for (const MachineBlock& block : code.blocks) {
      hold_sources(block);
      find_reads(block);
    }
  }

  std::uint32_t assign() {
    for (const std::uint32_t value : order()) {
      assigned_[value] = choose(value);
      end_ = std::max(end_, assigned_[value] + code_.units[value]);
    }
    return end_;
  }

 private:
  // Returns the values in the order in which the code writes them first, pairs before others.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> values;
    std::vector<bool> seen(code_.units.size());
    for (const MachineBlock& block : code_.blocks)
      for (const MachineOperation& operation : block.operations)
        for (const std::uint32_t value : operation.writes) {
          if (!seen[value] && code_.units[value] != 0) values.push_back(value);
          seen[value] = true;
        }
    std::stable_sort(values.begin(), values.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return code_.units[a] > code_.units[b]; });
    return values;
  }

  // Returns the lowest register that no other value has and whose bank no operand beside it has, or, if there
  // is none of the free ones, the lowest that no other value has.
  std::uint32_t choose(std::uint32_t value) const {
    const std::uint32_t units = code_.units[value];
    std::vector<bool> taken(end_);
    taken[kStackRegister] = true;
    for (const std::uint32_t other : beside_[value]) {
      if (assigned_[other] == kUnassigned) continue;
      const std::uint32_t end = assigned_[other] + code_.units[other];
      std::fill(taken.begin() + assigned_[other], taken.begin() + end, true);
    }
    for (const std::uint32_t other : written_early_[value])
      if (assigned_[other] < taken.size()) taken[assigned_[other]] = true;
    std::uint32_t lowest = kUnassigned;
    for (std::uint32_t first = 0;; first += units) {  // pairs are aligned
      bool unused = true;
      for (std::uint32_t i = first; i < first + units; ++i)
        unused = unused && (i >= taken.size() || !taken[i]);
      for (const std::uint32_t other : read_late_[value]) unused = unused && assigned_[other] != first;
      if (!unused) continue;
      lowest = std::min(lowest, first);
      if (first + units > free_) return lowest;
      if (!conflicts(value, first)) return first;
    }
  }
  bool conflicts(std::uint32_t value, std::uint32_t first) const {
    return std::any_of(together_[value].begin(), together_[value].end(), [&](std::uint32_t other) {
      return assigned_[other] != kUnassigned && bank_of(assigned_[other]) == bank_of(first);
    });
  }

  void interfere(std::uint32_t a, std::uint32_t b) {
    if (a == b || code_.units[a] == 0 || code_.units[b] == 0) return;
    beside_[a].push_back(b);
    beside_[b].push_back(a);
  }
  void find_interference() {
    const LiveValues live_in(code_);
    std::vector<std::uint32_t> live;
    const auto set = [&](std::uint32_t value, bool on) {
      const auto at = std::find(live.begin(), live.end(), value);
      if (on && at == live.end()) live.push_back(value);
      if (!on && at != live.end()) live.erase(at);
    };
    for (const MachineBlock& block : code_.blocks) {
      live.clear();
      for (const std::uint32_t next : block.successors)
        live_in.visit(next, [&](std::uint32_t value) { set(value, true); });
      for (std::size_t i = block.operations.size(); i-- > 0;) {
        const MachineOperation& operation = block.operations[i];
        for (const std::uint32_t written : operation.writes) {
          for (const std::uint32_t value : live) interfere(written, value);
          for (const std::uint32_t value : operation.writes) interfere(written, value);
          for (std::size_t j = 0; operation.in_halves && j < operation.reads.size(); ++j) {
            read_late_[written].push_back(operation.reads[j]);
            written_early_[operation.reads[j]].push_back(written);
          }
        }
        if (!operation.keeps_old)
          for (const std::uint32_t written : operation.writes) set(written, false);
        for (const std::uint32_t value : operation.reads) set(value, true);
      }
    }
  }

  // Hardware issues in order: a load has finished when an operation reads its result.
  void hold_sources(const MachineBlock& block) {
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
      const MachineOperation& load = block.operations[i];
      if (load.memory == MachineOperation::Memory::kNone || load.writes.empty()) continue;
      const std::size_t end = std::min(block.operations.size(), i + load.latency);
      for (std::size_t j = i + 1; j < end && !waits_for(block.operations[j], load); ++j)
        for (const std::uint32_t written : block.operations[j].writes)
          for (const std::uint32_t source : load.reads) interfere(written, source);
    }
  }
  static bool waits_for(const MachineOperation& operation, const MachineOperation& load) {
    return operation.calls ||
           std::find_first_of(operation.reads.begin(), operation.reads.end(), load.writes.begin(),
                              load.writes.end()) != operation.reads.end();
  }

  void find_reads(const MachineBlock& block) {
    for (const MachineOperation& operation : block.operations)
      for (const std::uint32_t a : operation.reads)
        for (const std::uint32_t b : operation.reads)
          if (a != b && code_.units[a] != 0 && code_.units[b] != 0) together_[a].push_back(b);
  }

  const MachineCode& code_;
  const std::uint32_t free_;
  std::uint32_t end_ = kStackRegister + 1;          // behind the highest register so far
  std::vector<std::vector<std::uint32_t>> beside_;  // by value: values that need another register
  // By value: values that the operation that writes it reads after it has written the low half, and the
  // inverse.
  std::vector<std::vector<std::uint32_t>> read_late_;
  std::vector<std::vector<std::uint32_t>> written_early_;
  std::vector<std::vector<std::uint32_t>> together_;  // by value: values that the same operation reads
  std::vector<std::uint32_t> assigned_;               // by value: the first register
};

}  // namespace

std::uint32_t registers_assigned(const MachineCode& code, std::uint32_t free) {
  return Assigner(code, free).assign();
}

}  // namespace heddle::ptx
