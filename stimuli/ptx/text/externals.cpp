#include "stimuli/ptx/text/externals.h"

#include <algorithm>
#include <string_view>

namespace heddle::ptx {
namespace {

struct Known {
  std::string_view name;
  External external;
  std::vector<std::uint32_t> returns;  // bytes of each
  std::vector<std::uint32_t> parameters;
};

const std::vector<Known>& all_known() {
  static const std::vector<Known> all = {{"vprintf", External::kVprintf, {4}, {8, 8}},
                                         {"__assertfail", External::kAssertfail, {}, {8, 8, 4, 8, 8}},
                                         {"malloc", External::kMalloc, {8}, {8}},
                                         {"free", External::kFree, {}, {8}}};
  return all;
}

bool has_sizes(const std::vector<FrameVariable>& frame, const std::vector<std::uint32_t>& bytes) {
  return std::equal(frame.begin(), frame.end(), bytes.begin(), bytes.end(),
                    [](const FrameVariable& variable, std::uint32_t size) { return variable.bytes == size; });
}

}  // namespace

External external_of(const Function& function) {
  for (const Known& known : all_known())
    if (known.name == function.name && has_sizes(function.returns, known.returns) &&
        has_sizes(function.parameters, known.parameters))
      return known.external;
  return External::kNone;
}

bool is_device_runtime(std::string_view name) {
  for (const std::string_view start : {"__cudaCDP2", "cudaLaunchDevice", "cudaGetParameterBuffer",
                                       "cudaDeviceSynchronize", "cudaStream", "cudaEvent"})
    if (name.substr(0, start.size()) == start) return true;
  return false;
}

}  // namespace heddle::ptx
