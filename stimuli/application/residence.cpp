// How the blocks of an application's measured kernels follow from their times.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "stimuli/application/application.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostBlockCycles = std::uint64_t{1} << 48;  // the limit of models/host/command.h

// Of the kernel with the number, as a request or the file states it.
MeasuredKernel measured_kernel(const Application& application, const ApiKernel& kernel, std::size_t number,
                               std::uint64_t time_ps) {
  return {kernel.shape, kernel.blocks, time_ps, application.measured_sms[number], application.bytes[number]};
}

// Returns why the blocks cannot be; empty if they can.
std::string problem_of(const MeasuredBlocks& blocks, const GpuSpec& measured) {
  if (!blocks.problem.empty()) return blocks.problem;
  if (blocks.block.block_cycles == 0)
    return fmt::format("no time is left for its blocks beside the latencies of '{}'", measured.name);
  if (blocks.block.block_cycles > kMostBlockCycles)
    return fmt::format("a block of more than 2^48 cycles of '{}'", measured.name);
  return "";
}

void set_block(ApiKernel& kernel, const BlockTraffic& block) {
  kernel.block_cycles = block.block_cycles;
  kernel.dram_sectors = block.dram_sectors;
  kernel.l2_sectors = block.l2_sectors;
  kernel.port_load = block.port_load;
  kernel.product_load = block.product_load;
}

// Sets the blocks of the kernel for each request anew.
void follow_requests(const config::Section& section, Application& application, std::size_t number,
                     const GpuSpec& measured, const GpuSpec& runs_on) {
  struct Of {
    MeasuredKernel kernel;
    GpuSpec measured;
    GpuSpec runs_on;
  };
  const ApiKernel& typical = application.program.kernels[number];
  const auto of =
      std::make_shared<const Of>(Of{measured_kernel(application, typical, number, 0), measured, runs_on});
  const auto set = [number, of](ApiProgram& program, const RequestAmounts::Present& present) {
    MeasuredKernel kernel = of->kernel;
    kernel.blocks = program.kernels[number].blocks;
    if (kernel.blocks == 0) return;
    kernel.time_ps = present.kernel_time_ps[number];
    const MeasuredBlocks blocks = blocks_of(kernel, of->measured, of->runs_on);
    const std::string problem = problem_of(blocks, of->measured);
    if (!problem.empty()) throw std::runtime_error(problem);
    set_block(program.kernels[number], blocks.block);
  };
  application.amounts->derive(section.value("time"), set);
}

void set_kernel(const config::Section& section, Application& application, std::size_t number,
                const GpuSpec& measured, const GpuSpec& runs_on) {
  ApiKernel& kernel = application.program.kernels[number];
  const std::uint32_t sms = application.measured_sms[number];
  if (sms > measured.sm.count)
    return section.problem(fmt::format("measured_sms: its time was measured on {} SMs, and '{}' has {}", sms,
                                       measured.name, measured.sm.count));
  if (residency_of(kernel.shape, measured.sm.limits).blocks == 0)
    return section.problem(fmt::format("a block does not fit an SM of '{}', where its time was measured: {}",
                                       measured.name, shortage_of(kernel.shape, measured.sm.limits)));
  const MeasuredBlocks blocks = blocks_of(
      measured_kernel(application, kernel, number, application.kernel_time_ps[number]), measured, runs_on);
  const std::string problem = problem_of(blocks, measured);
  const bool of_bytes = !blocks.problem.empty() && section.has("bytes");
  if (!problem.empty()) section.value(of_bytes ? "bytes" : "time").problem(problem);
  set_block(kernel, blocks.block);
  application.bounds[number] = blocks.bound;
}

}  // namespace

void set_residence(const config::Section& root, Application& application, const GpuSpec& measured,
                   const GpuSpec& runs_on) {
  const config::Section kernels = root.section("kernels");
  application.is_moved = measured.name != runs_on.name || measured.core_hz != runs_on.core_hz;
  for (std::size_t i = 0; i < application.program.kernels.size(); ++i) {
    const ApiKernel& kernel = application.program.kernels[i];
    if (kernel.program || (application.model && application.model->has(i))) continue;
    const config::Section section = kernels.section(kernel.name);
    set_kernel(section, application, i, measured, runs_on);
    if (application.amounts && (application.amounts->depends(section.value("blocks")) ||
                                application.amounts->depends(section.value("time"))))
      follow_requests(section, application, i, measured, runs_on);
  }
}

std::string moved_times(const Application& application, const GpuSpec& measured, const GpuSpec& runs_on) {
  std::vector<std::string> by_clock;
  std::vector<std::string> by_bytes;
  for (std::size_t i = 0; i < application.program.kernels.size(); ++i) {
    const ApiKernel& kernel = application.program.kernels[i];
    if (kernel.program || (application.model && application.model->has(i))) continue;
    const bool follows = runs_on.bandwidth.kernels && application.bounds[i] != TimeBound::kBlocks;
    (follows ? by_bytes : by_clock).push_back(kernel.name);
  }
  std::string text = fmt::format("'{}' was measured on '{}'", application.program.name, measured.name);
  if (!by_clock.empty())
    text += fmt::format(
        "; blocks of {} keep their core cycles ({:.0f} to {:.0f} MHz), which is right only where "
        "the core decides their time",
        fmt::join(by_clock, ", "), measured.core_hz / 1e6, runs_on.core_hz / 1e6);
  if (!by_bytes.empty())
    text += fmt::format("; {} {} bound by bandwidth and {} that of '{}'", fmt::join(by_bytes, ", "),
                        by_bytes.size() == 1 ? "is" : "are", by_bytes.size() == 1 ? "follows" : "follow",
                        runs_on.name);
  return text;
}

}  // namespace heddle
