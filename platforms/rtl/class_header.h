#pragma once
// The pins of a block, read from the header of the class that Verilator makes.

#include <cstdint>
#include <string>
#include <vector>

#include "models/rtl/heddle_rtl.h"

namespace heddle {

struct ClassPin {
  std::string name;    // as in the RTL, with an index for an element of an unpacked array: "data_i[2]"
  std::string member;  // of the class: "data_i[2]"
  std::uint32_t bits = 0;
  heddle_rtl_direction direction = HEDDLE_RTL_INPUT;
};

// Returns the pins in the order of the header. Throws config::Error for an inout pin.
std::vector<ClassPin> read_class_pins(const std::string& header);

// Returns the name in the RTL of an identifier of the generated class: Verilator writes '+' as "__02b", and
// "__SYM__int" for a name that C++ reserves.
std::string rtl_name(const std::string& identifier);

}  // namespace heddle
