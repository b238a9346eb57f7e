#pragma once
// This file has the compact form of one instruction that a warp executed, and of its addresses.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

// An AddressForm states how the addresses of an entry are stored. The addresses of a warp have the order of
// its entries.
enum class AddressForm : std::uint8_t {
  kNone,
  kStride,  // base, 8 bytes; stride from each lane to the next one, 4 bytes
  kDeltas,  // base, 8 bytes; 4 bytes for the delta from each active lane to the next one
  kList,    // 8 bytes for each active lane
};

class TraceEntry {
 public:
  static constexpr std::uint32_t kCodes = std::uint32_t{1} << 29U;
  // A flag: the warp has taken a branch, and its next instruction is not the one that follows in the code.
  static constexpr std::uint32_t kTaken = kCodes;

  TraceEntry() = default;
  TraceEntry(std::uint32_t code, AddressForm form, std::uint32_t mask)
      : code_(code | static_cast<std::uint32_t>(form) << 30U), mask_(mask) {}

  std::uint32_t code() const { return code_ & (kCodes - 1); }           // index of its Instruction
  bool has(std::uint32_t flags) const { return (code_ & flags) != 0; }  // kTaken, or 0 for none
  void set(std::uint32_t flag) { code_ |= flag; }
  AddressForm form() const { return static_cast<AddressForm>(code_ >> 30U); }
  std::uint32_t mask() const { return mask_; }

 private:
  std::uint32_t code_ = 0;
  std::uint32_t mask_ = 0;
};
static_assert(sizeof(TraceEntry) == 8);

// Returns the bytes of the stored addresses of an entry.
std::size_t address_bytes(TraceEntry entry);

// LaneAddresses has the addresses of one instruction as its line states them.
struct LaneAddresses {
  AddressForm form = AddressForm::kNone;
  std::uint32_t count = 0;  // active lanes
  Address base = 0;
  std::int32_t stride = 0;
  Address last = 0;                           // kStride: of the last active lane
  std::array<std::int64_t, kLanes> deltas{};  // kDeltas: count - 1 of them
  std::array<Address, kLanes> list{};         // kDeltas, kList: count of them

  // Returns whether all addresses are in the `bytes` from `begin` on; `bytes` is a power of two.
  bool within(Address begin, Address bytes) const;
  void keep_first(std::uint32_t lanes);  // drops the addresses of the active lanes after the first `lanes`
  void move_down(Address by);            // subtracts `by`, at most the least of them, from every address
};

// Appends the stored form of the addresses, which expand() reads.
void append(std::vector<std::byte>& bytes, const LaneAddresses& addresses);

// Fills the addresses of the lanes of `entry.mask()`; other lanes may change, too. Returns the position after
// the bytes that it read.
const std::byte* expand(TraceEntry entry, const std::byte* bytes, std::array<Address, kLanes>& addresses);

}  // namespace heddle
