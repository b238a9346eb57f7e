#pragma once
// These functions check what a block's spec says about pins and counters against the pins and variables of
// its library.

#include <optional>
#include <string>
#include <vector>

#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_spec.h"

namespace heddle {

// What a signal of a library is used for.
struct RtlUse {
  std::string signal;
  heddle_rtl_direction direction = HEDDLE_RTL_INPUT;
  std::uint32_t bits = 0;
  std::string use;  // such as "clock of icnt", "signal requests", "tied to 1"; empty: not used
};

// Throws config::Error with every problem: a pin or a counter's signal that the library does not have, an
// input or a bit of it without a use, an output that is driven, a signal of the role that two pins have or
// that has a pin of the other direction, a clock or a reset of several bits, a constant that does not fit,
// elements that do not fill a pin, bits that a signal does not have, fewer bits for `taken` than for what the
// block chooses from. Whether the role has the signals that the pins name is the role's to check.
void check_pins(const RtlSpec& spec, const RtlLibrary& library);

// The most of the role's things that a machine may have, and the pin that limits them.
struct RtlMost {
  std::uint32_t things = 0;
  std::string pin;
};
// Returns none if no signal of the role has a bit or an element for each thing.
std::optional<RtlMost> most_things(const RtlSpec& spec, const RtlLibrary& library);

// Returns what each signal is used for: the pins and then the published variables, in the order of the
// library, and last the vectors of the spec.
std::vector<RtlUse> signal_uses(const RtlSpec& spec, const RtlLibrary& library);

}  // namespace heddle
