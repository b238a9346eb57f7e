#include "platforms/cli/bench/bench_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

constexpr std::uint64_t kStarvationPs = 1'000'000'000'000;

}  // namespace

GpuSpec large_fermi(std::uint32_t sms, std::uint32_t channels) {
  config::Document document = load_platform_document("gtx480");
  set_platform_key(document, fmt::format("sm.count={}", sms));
  set_platform_key(document, fmt::format("dram.channels={}", channels));
  GpuSpec gpu = read_platform(document.root());
  document.finish();
  gpu.name = fmt::format("gtx480 with {} SMs", sms);
  return gpu;
}

MachineSpec bench_machine(const GpuSpec& gpu, const Application& application) {
  MachineSpec machine;
  machine.gpu = gpu;
  machine.starvation_limit_ps = kStarvationPs;
  HostProcessSpec process;
  process.program = application.program;
  process.tokens = static_cast<std::int32_t>(gpu.sm.count);
  process.copies = false;
  machine.processes.push_back(process);
  return machine;
}

Job bench_job(const std::string& name, const GpuSpec& gpu, const std::vector<std::string>& sets) {
  config::Document document = load_application_document(find_data("stimuli/applications", name));
  for (const std::string& set : sets) document.set(set);
  Job job;
  job.label = fmt::format("{} on {}", name, gpu.name);
  job.machine = bench_machine(gpu, read_application(document.root(), gpu.host));
  document.finish();
  return job;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace heddle
