#pragma once
// The decoded code of an entry: the steps of the entry and of all functions that it calls. Steps hold the
// addresses of shared variables, which depend on the entry.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/kernel/code_options.h"
#include "stimuli/ptx/analysis/phases.h"
#include "stimuli/ptx/schedule/code_schedule.h"
#include "stimuli/ptx/steps/group_step.h"
#include "stimuli/ptx/steps/image.h"
#include "stimuli/ptx/steps/step.h"

namespace heddle::ptx {

struct FunctionCode {
  // A row of the frame holds an address in the call's local memory.
  struct LocalAddress {
    std::uint32_t row = 0;  // bytes from the start of the frame
    bool wide = false;
    std::uint64_t value = 0;  // bytes from the start of the call's local memory
  };

  // Steps of statements without an instruction, which are executed with another step.
  struct FoldedSteps {
    std::vector<Step> before;
    std::vector<Step> after;
  };

  const Function* function = nullptr;     // null: the entry does not call the function
  std::vector<Step> steps;                // of the statements with an instruction
  std::vector<FoldedSteps> folded;        // by step; empty: no statement is folded
  std::vector<Instruction> instructions;  // by step
  std::vector<LocalAddress> local_addresses;
  std::uint32_t carry = 0;  // offset of the carry flag CC.CF in the frame
  std::uint32_t frame_bytes = 0;
  bool starts_with_zeros = true;  // code may read a register before it writes it
};

struct SpecialRow {
  Special special = Special::kTidX;
  std::uint32_t number = 0;  // of %envreg
  std::uint32_t bits = 32;   // 16, 32 or 64, as the code uses the value
  std::uint32_t offset = 0;  // bytes from the start of the warp's rows
};

struct EntryCode {
  std::uint32_t entry = 0;              // index in Module::functions
  std::vector<FunctionCode> functions;  // by index in Module::functions
  std::vector<Access> accesses;
  std::vector<CallSite> calls;
  std::vector<MatrixStep> matrices;
  std::vector<GroupStep> groups;
  std::vector<std::uint64_t> constants;  // rows of immediate values
  std::vector<SpecialRow> specials;
  std::uint32_t warp_bytes = 0;  // bytes of the special registers' rows
  // Bytes of a thread's local memory for the deepest chain of calls. Recursive code gets at least
  // kRecursionBytes.
  std::uint64_t local_bytes = 0;
  bool recursive = false;
  // By index in Module::functions: those that differ from the module's, because they have phase specifiers or
  // are scheduled. `functions` refers to them.
  std::vector<std::shared_ptr<const ScheduledFunction>> changed;
  std::vector<PhaseNeeds> phases;  // empty in code without specifiers

  static constexpr std::uint64_t kRecursionBytes = std::uint64_t{64} << 10U;
};

// `in_clusters`: a cluster of the launch has more than one block.
EntryCode decode_entry(const Image& image, std::uint32_t entry, const CodeForm& form,
                       bool in_clusters = false);
// Returns the code with the phase specifiers of a launch with these resources.
EntryCode decode_entry_with_phases(const Image& image, std::uint32_t entry, const PhaseLimits& limits,
                                   const CodeForm& form);

}  // namespace heddle::ptx
