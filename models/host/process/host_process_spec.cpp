#include "models/host/process/host_process_spec.h"

namespace heddle {

std::uint64_t HostProcessSpec::blocks_per_execution() const {
  if (program.make_script) return 0;
  const std::vector<std::uint64_t> launches = launches_per_execution(program);
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) blocks += launches[i] * program.kernels[i].blocks;
  return blocks;
}

}  // namespace heddle
