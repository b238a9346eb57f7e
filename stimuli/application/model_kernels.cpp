#include "stimuli/application/model_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "stimuli/transformer/work_blocks.h"

namespace heddle {

namespace {

constexpr const char* kModel = "model";
constexpr config::Range kAmount{0, 1000000000000000};  // of a number of a step

constexpr const char* kLayersAtOnce = "layers_at_once";

// The kernel does its work `times` in a row. A block that would move more than 137 GB counts as one of 137
// GB, which is what 32 bits can count in sectors.
void set_kernel(ApiKernel& kernel, const WorkBlocks& blocks, std::uint32_t times) {
  const auto sectors = [times](std::uint32_t once) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{once} * times, std::numeric_limits<std::uint32_t>::max()));
  };
  kernel.blocks = blocks.blocks;
  kernel.shape = blocks.shape;
  kernel.block_cycles = blocks.block.block_cycles * times;
  kernel.dram_sectors = sectors(blocks.block.dram_sectors);
  kernel.l2_sectors = sectors(blocks.block.l2_sectors);
  kernel.port_load = blocks.block.port_load;
  kernel.product_load = blocks.block.product_load;
}

}  // namespace

std::shared_ptr<ModelKernels> ModelKernels::read(const config::Section& root, RequestAmounts& amounts,
                                                 ApiProgram& program) {
  if (!root.has(kModel)) {
    for (const char* key : {"fusions", "step", kLayersAtOnce})
      if (root.has(key)) root.value(key).problem("there is no 'model' that it is of");
    return nullptr;
  }
  auto kernels = std::make_shared<ModelKernels>();
  kernels->model_ = read_language_model(root.section(kModel));
  kernels->forward_ = forward_of(kernels->model_, read_fusions(root.optional_section("fusions")));
  kernels->read_layers_at_once(root);
  kernels->first_ = program.kernels.size();
  kernels->read_step(root, amounts);
  for (const ForwardKernel& of : kernels->forward_.kernels) {
    const auto same = [&](const ApiKernel& kernel) { return kernel.name == of.name; };
    if (std::any_of(program.kernels.begin(), program.kernels.end(), same))
      root.value(kModel).problem(fmt::format("the application has a kernel '{}' of its own", of.name));
    ApiKernel kernel;
    kernel.name = of.name;
    kernel.blocks = 1;
    kernel.shape.threads = 1;
    program.kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void ModelKernels::read_layers_at_once(const config::Section& root) {
  layers_at_once_ = static_cast<std::uint32_t>(root.integer(kLayersAtOnce, {1, 4096}, 1));
  if (layers_at_once_ > 0 && model_.layers % layers_at_once_ == 0) return;
  root.value(kLayersAtOnce)
      .problem(fmt::format("the {} layers of '{}' are not a multiple of it", model_.layers, model_.name));
}

bool ModelKernels::is_of_layer(std::size_t kernel) const {
  return std::find(forward_.layer.begin(), forward_.layer.end(), kernel) != forward_.layer.end();
}

void ModelKernels::read_step(const config::Section& root, RequestAmounts& amounts) {
  const config::Section stated = root.optional_section("step");
  bool is_told = false;
  for (std::size_t i = 0; i < kStepParameters.size(); ++i) {
    const char* const name = kStepParameters[i];
    const auto set = [i](ApiProgram&, RequestAmounts::Present& present, std::uint64_t value) {
      present.step[i] = value;
    };
    const bool is_stated = stated.has(name);
    is_told = is_told || is_stated || amounts.has(name);
    typical_.push_back(is_stated           ? amounts.whole(stated.value(name), kAmount, set)
                       : amounts.has(name) ? amounts.whole_parameter(name, root.value(kModel), kAmount, set)
                                           : 0);
  }
  amounts.set_step(typical_);
  if (!is_told)
    root.value(kModel).problem(
        fmt::format("neither 'step' nor a parameter tells the step: {}", fmt::join(kStepParameters, ", ")));
}

void ModelKernels::begin(const Guard& guard, const ApiCall& launch, ApiProgram& program) {
  ApiCall call = launch;
  call.kind = ApiCall::Kind::kRepeat;
  call.count = guard.rounds;
  guards_.push_back(guard);
  guards_.back().call = program.calls.size();
  program.calls.push_back(call);
}

void ModelKernels::end(const ApiCall& launch, ApiProgram& program) {
  ApiCall call = launch;
  call.kind = ApiCall::Kind::kEnd;
  program.calls.push_back(call);
}

void ModelKernels::add_launches(const std::vector<std::size_t>& kernels, const ApiCall& launch,
                                ApiProgram& program) {
  for (const std::size_t kernel : kernels) {
    Guard guard;
    guard.kernel = kernel;
    begin(guard, launch, program);
    ApiCall call = launch;
    call.kind = ApiCall::Kind::kLaunch;
    call.kernel = static_cast<std::uint32_t>(first_ + kernel);
    program.calls.push_back(call);
    end(launch, program);
  }
}

void ModelKernels::add_calls(const ApiCall& launch, ApiProgram& program) {
  Guard step;
  step.is_step = true;
  begin(step, launch, program);
  add_launches(forward_.before, launch, program);
  Guard layers = step;
  layers.rounds = model_.layers / layers_at_once_;
  begin(layers, launch, program);
  add_launches(forward_.layer, launch, program);
  end(launch, program);
  add_launches(forward_.behind, launch, program);
  end(launch, program);
}

bool ModelKernels::is_possible() const {
  return problem_of(work_of_step(typical_)).empty();
}

StepWork ModelKernels::work_of_step(const std::vector<std::uint64_t>& step) {
  std::array<double, kStepParameters.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(step[i]);
  return heddle::step_of(values);
}

StepWork ModelKernels::checked(const std::vector<std::uint64_t>& step) {
  const StepWork work = work_of_step(step);
  if (const std::string problem = problem_of(work); !problem.empty()) throw std::runtime_error(problem);
  return work;
}

void ModelKernels::set_calls(const std::vector<std::uint64_t>& step, ApiProgram& program) const {
  const StepWork work = checked(step);
  for (const Guard& guard : guards_) {
    const bool is_none =
        guard.is_step ? work.tokens() == 0 : work_of(forward_.kernels[guard.kernel], model_, work).is_none();
    program.calls[guard.call].count = is_none ? 0 : guard.rounds;
  }
}

void ModelKernels::set(const std::vector<std::uint64_t>& step, const GpuSpec& gpu,
                       ApiProgram& program) const {
  set_calls(step, program);
  if (!gpu.arithmetic.is_stated() || gpu.arithmetic.flops_of(model_.arithmetic) == 0)
    throw std::runtime_error(
        fmt::format("'{}' does not say what its SMs compute (arithmetic.efficiency, arithmetic.flops.{})",
                    gpu.name, kNumberTypes[static_cast<std::size_t>(model_.arithmetic)]));
  if (!gpu.bandwidth.kernels)
    throw std::runtime_error(fmt::format(
        "its kernels share bandwidth, and those of '{}' do not (contention.kernels is off)", gpu.name));
  const StepWork of_all = checked(step);
  for (std::size_t i = 0; i < forward_.kernels.size(); ++i) {
    const KernelWork work = work_of(forward_.kernels[i], model_, of_all);
    if (work.is_none()) continue;
    const WorkBlocks blocks = blocks_of_work(work, model_, gpu);
    if (blocks.blocks == 0)
      throw std::runtime_error(
          fmt::format("no tile of '{}' fits an SM of '{}'", forward_.kernels[i].name, gpu.name));
    set_kernel(program.kernels[first_ + i], blocks, is_of_layer(i) ? layers_at_once_ : 1);
  }
}

void set_model(const config::Section& root, const std::shared_ptr<const ModelKernels>& model,
               RequestAmounts& amounts, ApiProgram& program, const GpuSpec& gpu) {
  if (model == nullptr || !model->is_possible()) return;
  const config::Value place = root.value(kModel);
  try {
    model->set(model->typical_step(), gpu, program);
  } catch (const std::runtime_error& error) {
    place.problem(error.what());
    return;
  }
  if (amounts.is_empty()) return;  // every step is the same
  amounts.derive(place, [model, gpu = std::make_shared<const GpuSpec>(gpu)](
                            ApiProgram& of, const RequestAmounts::Present& present) {
    model->set(present.step, *gpu, of);
  });
}

}  // namespace heddle
