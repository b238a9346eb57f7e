#include "models/core/kernel/program_library.h"

#include "models/core/base/check.h"

namespace heddle {

KernelProgram& ProgramLibrary::program(const KernelLaunch& launch) {
  std::unique_ptr<KernelProgram>& program = launched_[launch.kernel.value];
  if (program == nullptr) {
    HEDDLE_CHECK(launch.context.value < kernels_.size() &&
                     launch.tag < kernels_[launch.context.value].size() &&
                     kernels_[launch.context.value][launch.tag] != nullptr,
                 "program library", Cycle{}, "kernel {} of context {} has no instructions", launch.tag,
                 launch.context.value);
    program = kernels_[launch.context.value][launch.tag](launch);
  }
  return *program;
}

void ProgramLibrary::kernel_event(Cycle, KernelEvent event, KsrId, const KernelLaunch& launch) {
  if (event == KernelEvent::kEnded) launched_.erase(launch.kernel.value);
}

}  // namespace heddle
