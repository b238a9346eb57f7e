#include "stimuli/capture/replay/replay_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/core/config/config.h"
#include "stimuli/capture/replay/replay_buffers.h"
#include "stimuli/capture/replay/skipped_launch.h"
#include "stimuli/ptx/analysis/spilling.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {

namespace {

constexpr std::uint32_t kMostRegisters = 65536;  // of a thread

}  // namespace

std::shared_ptr<ptx::Module> ReplayKernels::read_module(const std::vector<std::byte>& text) const {
  const std::string name = fmt::format("module {}", modules_.size());
  auto module = std::make_shared<ptx::Module>(ptx::parse_module(
      {reinterpret_cast<const char*>(text.data()), text.size()}, name, ptx::Refusal::kFunction));
  ptx::spill_registers(*module, most_registers_);
  return module;
}

void ReplayKernels::add_module(ptx::Image image) {
  modules_.push_back({ptx::make_executable(std::move(image)), {}, {}});
}

const ptx::Function& ReplayKernels::entry_of(const CapturedCall& call) const {
  demand(call.module < modules_.size(), "there is no such module");
  const ptx::Module& module = *ptx::image_of(*modules_[call.module].code).module;
  demand(call.entry < module.functions.size() && module.functions[call.entry].entry,
         "there is no such kernel");
  return module.functions[call.entry];
}

const std::shared_ptr<const ptx::Executable>& ReplayKernels::module_of(const CapturedCall& call) const {
  entry_of(call);
  return modules_[call.module].code;
}

void ReplayKernels::count_registers(const CapturedCall& call) {
  entry_of(call);
  demand(call.registers > 0 && call.registers <= kMostRegisters, "no thread can have such registers");
  modules_[call.module].registers[call.entry] = call.registers;
}

std::uint32_t ReplayKernels::registers_of(const CapturedCall& call, const std::string& kernel) const {
  if (const auto stated = stated_.find(kernel); stated != stated_.end()) return stated->second;
  const auto& counts = modules_[call.module].registers;
  const auto counted = counts.find(call.entry);
  return counted == counts.end() ? 0 : std::min(counted->second, most_registers_);
}

std::uint32_t ReplayKernels::kernel_of(const CapturedCall& call, ptx::Launch& launch) {
  std::vector<ApiKernel>& kernels = application_.program.kernels;
  const std::string& entry = entry_of(call).name;
  const auto [found, is_new] =
      modules_[call.module].kernels.emplace(call.entry, static_cast<std::uint32_t>(kernels.size()));
  if (is_new) kernels.emplace_back().name = names_.add(plain_name(ptx::kernel_name(entry)));
  ApiKernel& kernel = kernels[found->second];
  launch.registers = registers_of(call, kernel.name);
  if (is_new) {
    kernel.blocks = launch.grid.count();
    kernel.shape = ptx::shape_of(launch);
    kernel.matrix_product = matrix_product_of(*launch.code, launch.entry);
    kernel.group_product = group_product_of(*launch.code, launch.entry);
    kernel.bulk_copy = bulk_copy_of(*launch.code, launch.entry);
    for (std::string& note : ptx::spill_notes(*ptx::image_of(*launch.code).module, launch.entry))
      application_.notes.push_back(std::move(note));
  }
  return found->second;
}

std::uint32_t ReplayKernels::skipped_kernel() {
  if (!skipped_) {
    std::vector<ApiKernel>& kernels = application_.program.kernels;
    skipped_ = static_cast<std::uint32_t>(kernels.size());
    ApiKernel& kernel = kernels.emplace_back();
    kernel.name = names_.add("skipped");
    kernel.blocks = 1;
    kernel.shape = shape_of_skipped_launch();
  }
  return *skipped_;
}

void ReplayKernels::check_stated(const std::string& file) const {
  std::vector<std::string> known;
  for (const ApiKernel& kernel : application_.program.kernels) known.push_back(kernel.name);
  for (const auto& [kernel, count] : stated_)
    if (std::find(known.begin(), known.end(), kernel) == known.end())
      throw config::Error({fmt::format("{}: registers of '{}', which the program does not launch; known: {}",
                                       file, kernel, fmt::join(known, ", "))});
}

}  // namespace heddle::capture
