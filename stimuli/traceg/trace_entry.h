#pragma once
// The compact form of one instruction that a warp executed, and of the addresses that go with it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

// How an entry's addresses are kept, in the order of their warp's entries.
enum class AddressForm : std::uint8_t {
  kNone,
  kStride,  // base, 8 bytes; stride between neighbouring lanes, 4
  kDeltas,  // base, 8 bytes; from each lane that takes part to the next one, 4 each
  kList,    // 8 bytes for each lane that takes part
};

class TraceEntry {
 public:
  static constexpr std::uint32_t kCodes = std::uint32_t{1} << 30U;

  TraceEntry() = default;
  TraceEntry(std::uint32_t code, AddressForm form, std::uint32_t mask)
      : code_(code | static_cast<std::uint32_t>(form) << 30U), mask_(mask) {}

  std::uint32_t code() const { return code_ & (kCodes - 1); }  // index of its Instruction
  AddressForm form() const { return static_cast<AddressForm>(code_ >> 30U); }
  std::uint32_t mask() const { return mask_; }

 private:
  std::uint32_t code_ = 0;
  std::uint32_t mask_ = 0;
};
static_assert(sizeof(TraceEntry) == 8);

// The addresses of one instruction as its line gives them.
struct LaneAddresses {
  AddressForm form = AddressForm::kNone;
  std::uint32_t count = 0;  // lanes that take part
  Address base = 0;
  std::int32_t stride = 0;
  Address least = 0;  // over the lanes
  Address most = 0;
  std::array<std::int64_t, kLanes> deltas{};  // kDeltas: count - 1
  std::array<Address, kLanes> list{};         // kList: count

  void move_down(Address by);  // subtracts from all; at most `least`
};

// Appends the bytes that expand() takes.
void append(std::vector<std::byte>& bytes, const LaneAddresses& addresses);

// Fills the addresses of the lanes in `entry.mask()`, and maybe others; gives what follows the bytes taken.
const std::byte* expand(TraceEntry entry, const std::byte* bytes, std::array<Address, kLanes>& addresses);

}  // namespace heddle
