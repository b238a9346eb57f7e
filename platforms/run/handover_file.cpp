#include "platforms/run/handover_file.h"

#include <filesystem>
#include <iterator>
#include <utility>

#include "models/stats/writers.h"

namespace heddle {

HandoverFile::HandoverFile(std::string path, Machines& machines)
    : path_(std::move(path)), is_split_(machines.is_split()), file_(path_) {
  file_ << (is_split_ ? "handover,instance,sm" : "handover,sm")
        << ",application,kernel,launch,way,decided [cycle],end [cycle],latency [ns]\n";
  for (std::size_t i = 0; i < machines.count(); ++i) {
    watches_.push_back(std::make_unique<Watch>(*this, machines[i], i));
    machines[i].gpu().observe(static_cast<EngineObserver&>(*watches_.back()));
  }
}

HandoverFile::Watch::Watch(HandoverFile& file, const Machine& machine, std::size_t instance)
    : file_(file), machine_(machine), instance_(instance), launches_(machine.spec().gpu.engine.ksrs) {}

void HandoverFile::Watch::kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  if (event == KernelEvent::kLoaded) launches_[ksr.value] = launch;
}

void HandoverFile::Watch::handed_over(Cycle now, SmId sm, KsrId ksr, HandoverWay way, std::uint64_t cycles) {
  const KernelLaunch& launch = launches_[ksr.value];
  const ApiProgram& program = machine_.spec().processes[launch.context.value].program;
  const ClockDomain& core = machine_.gpu().core();
  const Cycle decided{now.value - cycles};
  const double ns = (core.time_of(now) - core.time_of(decided)) / sc_core::sc_time(1, sc_core::SC_NS);
  fmt::memory_buffer& row = file_.row_;
  row.clear();
  fmt::format_to(std::back_inserter(row), "{},", file_.rows_++);
  if (file_.is_split_) fmt::format_to(std::back_inserter(row), "{},", instance_);
  fmt::format_to(std::back_inserter(row), "{},{},{},{},{},{},{},{}\n", sm.value, quoted_csv(program.name),
                 quoted_csv(program.kernels[launch.tag].name), launch.kernel.value, name_of(way),
                 decided.value, now.value, ns);
  file_.file_.write(row.data(), static_cast<std::streamsize>(row.size()));
}

void HandoverFile::finish() {
  file_.finish();
  if (rows_ == 0) std::filesystem::remove(path_);
}

}  // namespace heddle
