#include "models/machine/launch_totals.h"

namespace heddle {

void LaunchTotals::add_application(const ExecutionSpec& spec, const std::vector<Group*>& groups) {
  std::vector<Kernel>& kernels = kernels_.emplace_back(groups.size());
  for (std::size_t tag = 0; tag < groups.size(); ++tag)
    kernels[tag].stats = std::make_unique<LaunchStats>(spec, *groups[tag]);
}

void LaunchTotals::start() {
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.present = kernel.closed;
}

void LaunchTotals::publish() {
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.stats->set(kernel.present);
}

void LaunchTotals::reset() {
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.closed = {};
}

}  // namespace heddle
