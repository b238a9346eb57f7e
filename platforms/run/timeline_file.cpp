#include "platforms/run/timeline_file.h"

#include <vector>

namespace heddle {

namespace {

TimelineObserver::Shape shape_of(TimelineDetail detail, Machine& machine) {
  const auto ps = [](const ClockDomain& domain) {
    return [&domain](Cycle cycle) {
      return static_cast<std::uint64_t>(domain.time_of(cycle) / sc_core::sc_time(1, sc_core::SC_PS));
    };
  };
  const MachineSpec& spec = machine.spec();
  TimelineObserver::Shape shape;
  shape.detail = detail;
  shape.sms = spec.gpu.sm.count;
  shape.block_slots = spec.gpu.sm.limits.block_slots;
  shape.ksrs = spec.gpu.engine.ksrs;
  shape.core_ps = ps(machine.gpu().core());
  shape.pcie_ps = ps(machine.gpu().pcie());
  shape.application = [&spec](ContextId context) { return spec.processes[context.value].program.name; };
  shape.kernel = [&spec](ContextId context, std::uint32_t tag) {
    return spec.processes[context.value].program.kernels[tag].name;
  };
  return shape;
}

std::vector<RequestTimeline::Server> servers_of(const MachineSpec& spec) {
  std::vector<RequestTimeline::Server> servers;
  for (const HostProcessSpec& process : spec.processes)
    if (process.requests)
      servers.push_back({process.number, process.program.name, process.requests->deadline_ps != 0});
  return servers;
}

}  // namespace

TimelineFile::TimelineFile(const std::string& path, TimelineDetail detail, Machine& machine)
    : file_(path),
      timeline_(file_),
      observer_(timeline_, shape_of(detail, machine)),
      requests_(timeline_, servers_of(machine.spec())) {
  machine.gpu().observe(static_cast<EngineObserver&>(observer_));
  machine.gpu().observe(static_cast<TransferObserver&>(observer_));
  machine.request_log().observe([this](const RequestRecord& record) { requests_.add(record); });
}

void TimelineFile::finish() {
  requests_.finish();
  timeline_.flush();
  file_.finish();
}

}  // namespace heddle
