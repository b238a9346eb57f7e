#pragma once
// Everything a launch of an entry executes: the entry and what it calls, as steps, with its shared variables
// where they lie in a block of this entry.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/execute/image.h"
#include "stimuli/ptx/execute/step.h"

namespace heddle::ptx {

struct FunctionCode {
  // A row of the frame that holds the address of something in the call's local memory.
  struct LocalAddress {
    std::uint32_t row = 0;  // offset in the frame
    bool wide = false;
    std::uint64_t value = 0;  // from the start of the call's local memory
  };

  const Function* function = nullptr;  // null: not reached
  std::vector<Step> steps;
  std::vector<Instruction> instructions;
  std::vector<LocalAddress> local_addresses;
  std::uint32_t carry = 0;  // offset in the frame of CC.CF
  std::uint32_t frame_bytes = 0;
  bool starts_with_zeros = true;  // something may be read before it is written
};

struct SpecialRow {
  Special special = Special::kTidX;
  std::uint32_t bits = 32;   // of the value as it is used: 16, 32, 64
  std::uint32_t offset = 0;  // in the warp's rows
};

struct EntryCode {
  std::uint32_t entry = 0;              // of Module::functions
  std::vector<FunctionCode> functions;  // by Module::functions
  std::vector<Access> accesses;
  std::vector<CallSite> calls;
  std::vector<std::uint64_t> constants;  // rows of numbers
  std::vector<SpecialRow> specials;
  std::uint32_t warp_bytes = 0;  // of their rows
  // Bytes of local memory of a thread: of the deepest chain of calls, at least kRecursionBytes where calls
  // go round.
  std::uint64_t local_bytes = 0;
  bool recursive = false;

  static constexpr std::uint64_t kRecursionBytes = std::uint64_t{64} << 10U;
};

EntryCode decode_entry(const Image& image, std::uint32_t entry);

}  // namespace heddle::ptx
