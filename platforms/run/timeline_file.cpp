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
  shape.instance = spec.instance;
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
      servers.push_back({process.number, process.program.name, process.requests->has_limits(),
                         process.requests->batch.has_value()});
  return servers;
}

}  // namespace

TimelineFile::TimelineFile(const std::string& path, TimelineDetail detail, Machines& machines)
    : machines_(machines), file_(path), timeline_(file_), requests_(timeline_, servers_of(machines.spec())) {
  for (std::size_t i = 0; i < machines.count(); ++i) {
    Machine& machine = machines[i];
    auto& observer =
        observers_.emplace_back(std::make_unique<TimelineObserver>(timeline_, shape_of(detail, machine)));
    machine.gpu().observe(static_cast<EngineObserver&>(*observer));
    machine.gpu().observe(static_cast<TransferObserver&>(*observer));
    machine.request_log().observe([this, &machines, i](RequestRecord record) {
      record.process = static_cast<std::uint32_t>(machines.process_of(i, record.process));
      requests_.add(record);
    });
  }
}

void TimelineFile::finish() {
  for (std::size_t i = 0; i < observers_.size(); ++i)
    observers_[i]->run_ended(machines_[i].gpu().core().now());
  requests_.finish();
  timeline_.flush();
  file_.finish();
}

}  // namespace heddle
