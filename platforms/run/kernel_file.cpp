#include "platforms/run/kernel_file.h"

#include <iterator>

#include "models/stats/writers.h"
#include "platforms/run/output.h"

namespace heddle {

KernelFile::KernelFile(const std::string& path, Machine& machine)
    : path_(path), machine_(machine), file_(path, std::ios::binary) {
  file_ << "launch,application,kernel,context,stream,ksr,blocks,threads_per_block,registers_per_thread,"
           "shared_memory_per_block [byte],loaded [cycle],active [cycle],start [cycle],end [cycle],wait "
           "[cycle],"
           "start [ns],duration "
           "[ns],halted,blocks_issued,blocks_done,warp_instructions,thread_instructions,ipc\n";
  machine_.kernel_log().record([this](const LaunchRecord& record) { write(record); });
}

void KernelFile::finish() {
  machine_.stats();
  machine_.kernel_log().visit_open([this](const LaunchRecord& record) { write(record); });
  file_.close();
  if (!file_) throw OutputError("cannot write " + path_);
}

void KernelFile::write(const LaunchRecord& record) {
  const KernelLaunch& launch = record.launch;
  const ClockDomain& core = machine_.gpu().core();
  const sc_core::sc_time ns(1, sc_core::SC_NS);
  std::optional<std::uint64_t> wait;
  std::optional<double> start_ns;
  std::optional<double> duration_ns;
  std::optional<double> ipc;
  if (record.started) {
    wait = *record.started - record.activated.value_or(*record.started);
    start_ns = core.time_of(*record.started) / ns;
  }
  if (record.started && record.ended) {
    duration_ns = (core.time_of(*record.ended) - core.time_of(*record.started)) / ns;
    if (record.work.warp_instructions > 0)  // timed SMs issue none
      ipc = static_cast<double>(record.work.warp_instructions) /
            static_cast<double>(*record.ended - *record.started);
  }
  row_.clear();
  cell(launch.kernel.value);
  cell(quoted_csv(std::string(record.application)));
  cell(quoted_csv(std::string(record.kernel)));
  cell(launch.context.value);
  cell(launch.stream.value);
  cell(record.ksr.value);
  cell(launch.blocks);
  cell(launch.shape.threads);
  cell(launch.shape.registers_per_thread);
  cell(launch.shape.shared_bytes);
  cell(record.loaded.value);
  cell(record.activated);
  cell(record.started);
  cell(record.ended);
  cell(wait);
  cell(start_ns);
  cell(duration_ns);
  cell(record.is_halted ? 1 : 0);
  cell(record.blocks_issued);
  cell(record.blocks_done);
  cell(record.work.warp_instructions);
  cell(record.work.thread_instructions);
  cell(ipc);
  row_.push_back('\n');
  file_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

template <class T>
void KernelFile::cell(const T& value) {
  if (row_.size() > 0) row_.push_back(',');
  fmt::format_to(std::back_inserter(row_), "{}", value);
}

template <class T>
void KernelFile::cell(const std::optional<T>& value) {
  if (value) return cell(*value);
  row_.push_back(',');
}

void KernelFile::cell(const std::optional<Cycle>& cycle) {
  cell(cycle ? std::optional(cycle->value) : std::nullopt);
}

}  // namespace heddle
