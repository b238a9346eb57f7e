#include "platforms/run/result/alone_run.h"

#include "platforms/run/result/request_measures.h"

namespace heddle {

AloneRun::AloneRun(const RunResult& run) {
  const ApplicationResult& application = run.applications.front();
  turnaround_ps = application.turnaround_ps;
  warp_instructions = application.warp_instructions;
  blocks_done = application.blocks_done();
  if (!application.requests) return;
  service_ps = application.requests->service.mean_ps.value_or(0);
  response_ps = application.requests->response.mean_ps.value_or(0);
  throughput = measure_requests(*application.requests, {}).throughput.value_or(0);
}

}  // namespace heddle
