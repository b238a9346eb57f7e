#include "stimuli/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stimuli/program_reader.h"

namespace heddle {

namespace {

ApiKernel read_kernel(const std::string& name, const config::Section& section, std::uint64_t& time_ps) {
  ApiKernel kernel;
  kernel.name = name;
  kernel.blocks = static_cast<std::uint64_t>(section.integer("blocks", {1, std::int64_t{1} << 48}));
  time_ps = section.time_ps("time");
  kernel.shape.threads = static_cast<std::uint32_t>(section.integer("threads", {1, 1 << 16}));
  kernel.shape.registers_per_thread = static_cast<std::uint32_t>(section.integer("registers", {0, 65536}));
  const std::uint64_t shared = section.bytes("shared_memory");
  if (shared > (1u << 30)) section.value("shared_memory").problem("more than 1 GiB");
  kernel.shape.shared_bytes = static_cast<std::uint32_t>(shared);
  return kernel;
}

}  // namespace

Application read_application(const config::Section& root, const HostSpec& host) {
  Application application;
  ApiProgram& program = application.program;
  program.name = root.text("application");
  root.text("description");
  application.source = root.text("source");
  application.measured_on = root.text("measured_on");
  if (root.has("buffers")) {
    const config::Section buffers = root.section("buffers");
    for (const std::string& name : buffers.keys()) program.buffers.push_back({name, buffers.bytes(name)});
  }
  const config::Section kernels = root.section("kernels");
  for (const std::string& name : kernels.keys()) {
    std::uint64_t time_ps = 0;
    program.kernels.push_back(read_kernel(name, kernels.section(name), time_ps));
    application.kernel_time_ps.push_back(time_ps);
  }
  read_program(root, host, program);
  application.launches = launches_per_execution(program);
  return application;
}

std::uint64_t residence_cycles(const ApiKernel& kernel, std::uint64_t kernel_time_ps, const GpuSpec& measured) {
  const std::uint64_t resident =
      std::uint64_t{measured.sm.count} * residency_of(kernel.shape, measured.sm.limits).blocks;
  if (resident == 0) return 0;
  const auto waves = static_cast<double>((kernel.blocks + resident - 1) / resident);
  const double cycles = static_cast<double>(kernel_time_ps) * 1e-12 * measured.core_hz;
  const auto launch = static_cast<double>(measured.engine.kernel_launch_latency + measured.engine.set_up_cycles());
  const double residence =
      (cycles - launch - waves * static_cast<double>(measured.engine.block_issue_latency)) / waves;
  return residence < 1.0 ? 0 : static_cast<std::uint64_t>(std::llround(residence));
}

double mean_block_time_ps(const Application& application) {
  double launches = 0;
  double sum = 0;
  for (std::size_t i = 0; i < application.launches.size(); ++i) {
    const auto count = static_cast<double>(application.launches[i]);
    launches += count;
    sum += count * static_cast<double>(application.kernel_time_ps[i]) /
           static_cast<double>(application.program.kernels[i].blocks);
  }
  return launches == 0 ? 0 : sum / launches;
}

void check_fits(const config::Section& root, const Application& application, const GpuSpec& spec) {
  const ApiProgram& program = application.program;
  if (program.streams.size() > spec.queues.streams)
    root.problem(fmt::format("{} streams; the platform has {} per context", program.streams.size(),
                             spec.queues.streams));
  if (program.events.size() > spec.queues.events)
    root.problem(fmt::format("{} events; the platform has {} per context", program.events.size(),
                             spec.queues.events));
  const config::Section kernels = root.section("kernels");
  for (const ApiKernel& kernel : program.kernels) {
    const Residency residency = residency_of(kernel.shape, spec.sm.limits);
    if (residency.blocks == 0)
      kernels.section(kernel.name)
          .problem(fmt::format("a block does not fit an SM of '{}': too much of its {}", spec.name,
                               name_of(residency.bound)));
  }
}

}  // namespace heddle
