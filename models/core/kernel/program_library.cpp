#include "models/core/kernel/program_library.h"

#include "models/core/base/check.h"

namespace heddle {

std::unique_ptr<KernelProgram> ProgramLibrary::open(const KernelLaunch& launch) const {
  HEDDLE_CHECK(launch.context.value < kernels_.size() && launch.tag < kernels_[launch.context.value].size() &&
                   kernels_[launch.context.value][launch.tag] != nullptr,
               "program library", Cycle{}, "kernel {} of context {} has no instructions", launch.tag,
               launch.context.value);
  return kernels_[launch.context.value][launch.tag](launch);
}

KernelProgram& ProgramLibrary::program(const KernelLaunch& launch) {
  Opened& opened = launch.cut == 0 ? launched_[launch.kernel.value] : pieces_[cut_launch(launch)].opened;
  if (opened.program == nullptr) opened = {open(launch), launch.context.value, launch.tag};
  return *opened.program;
}

void ProgramLibrary::visit(const Visit& visit) const {
  const auto visit_one = [&](const Opened& opened) {
    if (opened.program != nullptr) visit(ContextId{opened.context}, opened.tag, *opened.program);
  };
  for (const auto& [kernel, opened] : launched_) visit_one(opened);
  for (const auto& [launch, pieces] : pieces_) visit_one(pieces.opened);
}

void ProgramLibrary::reset() {
  launched_.clear();
  pieces_.clear();
}

void ProgramLibrary::kernel_event(Cycle, KernelEvent event, KsrId, const KernelLaunch& launch) {
  if (launch.cut == 0) {
    if (event == KernelEvent::kEnded) launched_.erase(launch.kernel.value);
    return;
  }
  if (event == KernelEvent::kLoaded) {
    Pieces& pieces = pieces_[cut_launch(launch)];
    pieces.loaded_blocks += launch.blocks;
    if (launch.is_last) pieces.grid_blocks = launch.first_block + launch.blocks;
    ++pieces.open;
  }
  if (event != KernelEvent::kEnded) return;
  const auto found = pieces_.find(cut_launch(launch));
  --found->second.open;
  if (found->second.open == 0 && found->second.loaded_blocks == found->second.grid_blocks)
    pieces_.erase(found);
}

}  // namespace heddle
