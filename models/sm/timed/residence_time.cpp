#include "models/sm/timed/residence_time.h"

#include <cmath>

#include "models/core/base/random.h"

namespace heddle {

std::uint64_t residence_of(const KernelLaunch& launch, BlockId block) {
  if (launch.jitter_permille == 0) return launch.block_cycles;
  Random random(launch.seed + block.value * 0x9e3779b97f4a7c15ULL);
  random.next();
  const auto spread = static_cast<double>(launch.block_cycles) * launch.jitter_permille / 1000.0;
  const double shift = (2.0 * random.unit() - 1.0) * spread;
  const double cycles = static_cast<double>(launch.block_cycles) + shift;
  return cycles < 1.0 ? 1 : static_cast<std::uint64_t>(std::llround(cycles));
}

}  // namespace heddle
