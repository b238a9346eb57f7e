#include "models/core/kernel/instruction.h"

namespace heddle {

const char* name_of(Operation operation) {
  static constexpr std::array<const char*, kOperations> kNames{
      "int_add",   "int_max",   "int_mul",   "int_mad",   "int_div",  "shuffle",    "float_add",
      "float_max", "float_mul", "float_fma", "float_div", "double",   "double_div", "sfu",
      "move",      "branch",    "trace_int", "trace_sp",  "trace_dp", "trace_sfu",  "trace_tensor",
      "load",      "store",     "atomic",    "barrier",   "fence",    "nop",        "exit"};
  return kNames[static_cast<std::size_t>(operation)];
}

}  // namespace heddle
