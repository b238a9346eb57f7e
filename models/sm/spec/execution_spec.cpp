#include "models/sm/spec/execution_spec.h"

namespace heddle {

const char* name_of(UnitKind unit) {
  static constexpr std::array<const char*, kUnitKinds> kNames{"sp",     "int",     "dp",    "sfu",
                                                              "tensor", "uniform", "memory"};
  return kNames[static_cast<std::size_t>(unit)];
}

}  // namespace heddle
