#include "platforms/import/application_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"
#include "stimuli/application/names.h"

namespace heddle::imported {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;  // kernels that a note names

ApiKernel api_kernel(const KernelShape& shape) {
  ApiKernel kernel;
  kernel.blocks = shape.blocks();
  kernel.shape.threads = static_cast<std::uint32_t>(shape.threads());
  kernel.shape.registers_per_thread = static_cast<std::uint32_t>(shape.registers);
  kernel.shape.shared_bytes = static_cast<std::uint32_t>(shape.static_shared + shape.dynamic_shared);
  return kernel;
}

void check_fit(const RecordedApplication& application, const GpuSpec& spec, const ImportOptions& options) {
  std::vector<std::string> problems;
  for (const RecordedKernel& kernel : application.kernels) {
    const ApiKernel made = api_kernel(kernel.shape);
    if (residency_of(made.shape, spec.sm.limits).blocks > 0) continue;
    problems.push_back(fmt::format("{}: a block of '{}' does not fit an SM of '{}': {}", options.input,
                                   comment_text(kernel.shape.short_name), spec.name,
                                   shortage_of(made.shape, spec.sm.limits)));
  }
  const std::size_t streams = application.streams.size() > 1 ? application.streams.size() + 1 : 1;
  if (streams > spec.queues.streams)
    problems.push_back(fmt::format("{}: {} streams, and the default one; '{}' has {} per context",
                                   options.input, application.streams.size(), spec.name,
                                   spec.queues.streams));
  if (!problems.empty()) throw config::Error(problems);
}

// Returns the shortest time that an application may state for a kernel on this platform. Of a shorter one,
// nothing would be left for the blocks after the launch latencies; each block lasts one cycle at least.
std::uint64_t least_time_ps(const ApiKernel& kernel, const GpuSpec& spec) {
  const std::uint64_t resident =
      std::uint64_t{spec.sm.count} * residency_of(kernel.shape, spec.sm.limits).blocks;
  const std::uint64_t waves = (kernel.blocks + resident - 1) / resident;
  const std::uint64_t cycles = spec.engine.kernel_launch_latency + spec.engine.set_up_cycles() +
                               waves * (spec.engine.block_issue_latency + 1);
  auto time = static_cast<std::uint64_t>(std::ceil(static_cast<double>(cycles) / spec.core_hz * 1e12));
  while (residence_cycles(kernel, time, spec) == 0) time += 1;
  return time;
}

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

std::vector<std::uint64_t> raised_times(const RecordedApplication& application, const GpuSpec& spec,
                                        std::vector<std::string>& notes) {
  const std::vector<std::string> names = kernel_names(application);
  std::vector<std::uint64_t> raised(application.kernels.size(), 0);
  std::vector<std::string> of;
  std::uint64_t more_ps = 0;
  for (std::size_t i = 0; i < application.kernels.size(); ++i) {
    const ApiKernel kernel = api_kernel(application.kernels[i].shape);
    const KernelTimes& times = application.kernels[i].times;
    if (residence_cycles(kernel, times.mean_ps(), spec) > 0) continue;
    raised[i] = least_time_ps(kernel, spec);
    of.push_back(names[i]);
    more_ps += (raised[i] - times.mean_ps()) * times.launches;
  }
  if (!of.empty())
    notes.push_back(fmt::format("shorter than the latencies of '{}' allow, and made longer by {} in all: {}",
                                spec.name, time_text(more_ps), some_of(of)));
  return raised;
}

void tell(const RecordedApplication& application, const TextSummary& summary, const GpuSpec& spec,
          const ImportOptions& options, std::vector<std::string>& notes) {
  std::uint64_t launches = 0;
  std::uint64_t overlapped = 0;
  for (const RecordedKernel& kernel : application.kernels) {
    launches += kernel.times.launches;
    overlapped += kernel.times.overlapped;
  }
  if (overlapped > 0)
    notes.push_back(
        fmt::format("{} of {} launches started while other work ran: their times are not those of "
                    "kernels alone",
                    overlapped, launches));
  if (summary.left_out_gaps_ps > 0)
    notes.push_back(
        fmt::format("gaps of {} in all are no CPU time, because each is shorter than {} in the mean, or "
                    "than the host's own calls on '{}'",
                    time_text(summary.left_out_gaps_ps), time_text(options.least_gap_ps), spec.name));
  if (application.empty_copies > 0)
    notes.push_back(fmt::format("{} copies of no bytes are left out", application.empty_copies));
  if (spec.sm.executes())
    notes.push_back(
        fmt::format("the SMs of '{}' execute instructions, and the kernels have only times: run it with "
                    "--set sm.model=timed",
                    spec.name));
}

// Reads the YAML text with the reader that `heddle run` and `heddle check` use, so that a text which they
// would refuse is never written.
void read_again(const std::string& text, const RecordedApplication& application, const TextSummary& summary,
                const GpuSpec& spec, const ImportOptions& options) {
  try {
    const config::Document document = config::Document::parse(text, options.output);
    Application read = read_application(document.root(), spec.host);
    set_residence(document.root(), read, spec, spec);
    document.finish();
    for (std::size_t i = 0; i < read.launches.size(); ++i)
      if (read.launches[i] != application.kernels[i].times.launches)
        throw config::Error({fmt::format("{}: {} launches of '{}', and {} in what was written", options.input,
                                         application.kernels[i].times.launches, read.program.kernels[i].name,
                                         read.launches[i])});
  } catch (const config::Error& error) {
    throw config::Error(
        {fmt::format("{}: {} calls are left, and no application can be made of them; --from and --to "
                     "choose a part of it. The application reader says: {}",
                     options.input, summary.calls, error.problems().front())});
  }
}

}  // namespace

ApplicationImport import_application(const RecordedApplication& application, const ImportOptions& options) {
  const GpuSpec spec = load_platform(options.measured_on);
  check_fit(application, spec, options);
  ApplicationImport result;
  TextOptions text;
  text.name = plain_name(options.name.empty() ? fs::path(options.output).stem().string() : options.name);
  text.source = options.source;
  text.measured_on =
      is_file_name(options.measured_on) ? fs::absolute(options.measured_on).string() : options.measured_on;
  text.host = {spec.host.launch_latency_ps, spec.host.copy_latency_ps, spec.host.return_latency_ps};
  text.least_gap_ps = options.least_gap_ps;
  text.raised_ps = raised_times(application, spec, result.notes);
  result.text = application_text(application, text, result.summary);
  tell(application, result.summary, spec, options, result.notes);
  read_again(result.text, application, result.summary, spec, options);
  return result;
}

}  // namespace heddle::imported
