#pragma once
// A role is what a block in RTL can do in the machine: it makes a decision, or stands in the place of a block
// of the memory path. It has signals that the pins of the block are connected to. The tables of all roles are
// in rtl_role.cpp and rtl_interface_roles.cpp; `heddle list rtl-roles` prints them.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class RtlKind : std::uint8_t {
  kFlag,     // one bit
  kMask,     // a bit for each of the role's things, such as the warp slots of an SM; a pin may have more bits
  kNumber,   // one number, in a pin of any width that it fits
  kNumbers,  // a number for each of the role's things, in elements of one pin, the first in the lowest bits
  kData,     // bytes, that of the lowest address in the lowest bits; the width of the pin says how many
  kEnables,  // a bit for each byte of the data beside it
};
const char* name_of(RtlKind kind);

struct RtlRoleSignal {
  const char* name;
  bool is_input;  // of the block
  RtlKind kind;
  const char* description;
  // Of an output: the flag without which it means nothing. Null: it always means something.
  const char* when = nullptr;
};

struct RtlRole {
  const char* name;
  // The decision at which `rtl.NAME` may be named; for an interface the key of the platform.
  const char* decision;
  const char* domain;  // the clock domain of its ticks
  const char* things;  // what masks have a bit for
  // A unit works for several ticks between start and done, for this policy. A block of any other role chooses
  // within one tick; this is null.
  const char* asked_by;
  std::vector<RtlRoleSignal> signals;
  // Lists of outputs; at least one of each list is connected.
  std::vector<std::vector<const char*>> needed;
  // An interface answers requests of the memory path, over many ticks.
  bool is_interface = false;

  static constexpr std::size_t kNoSignal = ~std::size_t{0};
  std::size_t find(const std::string& signal) const;  // returns its index in `signals`, or kNoSignal
};

std::vector<RtlRole> rtl_interface_roles();
const std::vector<RtlRole>& rtl_roles();                // all of them
const RtlRole* find_rtl_role(const std::string& name);  // null if there is none

}  // namespace heddle
