#include "platforms/run/handover_file.h"

#include <filesystem>
#include <iterator>
#include <utility>

#include "models/stats/writers.h"

namespace heddle {

HandoverFile::HandoverFile(std::string path, Machine& machine)
    : path_(std::move(path)), machine_(machine), file_(path_), launches_(machine.spec().gpu.engine.ksrs) {
  file_ << "handover,sm,application,kernel,launch,way,decided [cycle],end [cycle],latency [ns]\n";
  machine.gpu().observe(static_cast<EngineObserver&>(*this));
}

void HandoverFile::kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  if (event == KernelEvent::kLoaded) launches_[ksr.value] = launch;
}

void HandoverFile::handed_over(Cycle now, SmId sm, KsrId ksr, HandoverWay way, std::uint64_t cycles) {
  const KernelLaunch& launch = launches_[ksr.value];
  const ApiProgram& program = machine_.spec().processes[launch.context.value].program;
  const ClockDomain& core = machine_.gpu().core();
  const Cycle decided{now.value - cycles};
  const double ns = (core.time_of(now) - core.time_of(decided)) / sc_core::sc_time(1, sc_core::SC_NS);
  row_.clear();
  fmt::format_to(std::back_inserter(row_), "{},{},{},{},{},{},{},{},{}\n", rows_++, sm.value,
                 quoted_csv(program.name), quoted_csv(program.kernels[launch.tag].name), launch.kernel.value,
                 name_of(way), decided.value, now.value, ns);
  file_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

void HandoverFile::finish() {
  file_.finish();
  if (rows_ == 0) std::filesystem::remove(path_);
}

}  // namespace heddle
