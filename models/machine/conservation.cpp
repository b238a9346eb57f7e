#include "models/machine/conservation.h"

#include "models/core/base/check.h"

namespace heddle {

namespace {

struct InEngine {  // of the kernels that the engine holds
  std::uint64_t kernels = 0;
  std::uint64_t running = 0;  // blocks on SMs
  std::uint64_t begun = 0;    // blocks that were issued and are not done
};

InEngine in_engine(const SmDriver& driver) {
  InEngine in;
  for (std::uint32_t i = 0; i < driver.ksrs().size(); ++i) {
    const Ksr& ksr = driver.ksrs()[KsrId{i}];
    if (ksr.state != Ksr::State::kLaunching && ksr.state != Ksr::State::kActive) continue;
    ++in.kernels;
    in.running += ksr.running();
    in.begun += ksr.begun();
  }
  return in;
}

// Adds the kernels of a context to the sum.
void add_context(const Gpu& gpu, const KernelLog& log, std::uint32_t context,
                 KernelLog::KernelCounters& sum) {
  const Cycle now = gpu.core().now();
  std::uint64_t instructions = 0;
  for (const KernelLog::KernelCounters& kernel : log.kernels(context)) {
    instructions += kernel.warp_instructions.value();
    sum.launched += kernel.launched.value();
    sum.ended += kernel.ended.value();
    sum.pieces += kernel.pieces.value();
    sum.pieces_ended += kernel.pieces_ended.value();
    sum.blocks_issued += kernel.blocks_issued.value();
    sum.blocks_done += kernel.blocks_done.value();
    sum.blocks_flushed += kernel.blocks_flushed.value();
    sum.lost_cycles += kernel.lost_cycles.value();
    HEDDLE_CHECK(kernel.lost_warp_instructions.value() <= kernel.warp_instructions.value(), "machine", now,
                 "kernel {} lost {} of {} instructions", kernel.name, kernel.lost_warp_instructions.value(),
                 kernel.warp_instructions.value());
  }
  HEDDLE_CHECK(instructions == gpu.instructions(ContextId{context}), "machine", now,
               "context {} issued {} instructions, its kernels {}", context,
               gpu.instructions(ContextId{context}), instructions);
}

// Checks what the kernels have done, as their counters say, against the engine.
void check_sum(const KernelLog::KernelCounters& sum, const SmDriver& driver, Cycle now) {
  const InEngine in = in_engine(driver);
  HEDDLE_CHECK(sum.pieces.value() == sum.pieces_ended.value() + in.kernels, "machine", now,
               "{} kernels or pieces launched, {} ended, {} resident", sum.pieces.value(),
               sum.pieces_ended.value(), in.kernels);
  HEDDLE_CHECK(sum.ended.value() <= sum.launched.value() && sum.launched.value() <= sum.pieces.value(),
               "machine", now, "{} kernels launched in {} pieces, {} ended", sum.launched.value(),
               sum.pieces.value(), sum.ended.value());
  HEDDLE_CHECK(sum.blocks_issued.value() == sum.blocks_done.value() + in.begun, "machine", now,
               "{} blocks issued, {} done, {} begun", sum.blocks_issued.value(), sum.blocks_done.value(),
               in.begun);
  HEDDLE_CHECK(sum.blocks_flushed.value() == driver.blocks_flushed().value() &&
                   sum.lost_cycles.value() == driver.lost_cycles().value(),
               "machine", now, "{} blocks flushed with {} cycles, their kernels' {} with {}",
               driver.blocks_flushed().value(), driver.lost_cycles().value(), sum.blocks_flushed.value(),
               sum.lost_cycles.value());
  std::uint64_t on_sms = 0;
  for (const Smsr& smsr : driver.smsrs()) on_sms += smsr.resources.used().blocks;
  HEDDLE_CHECK(on_sms == in.running, "machine", now, "{} blocks hold SM resources, {} run", on_sms,
               in.running);
}

}  // namespace

void check_kernels(const Gpu& gpu, const KernelLog& log) {
  KernelLog::KernelCounters sum;
  for (std::uint32_t context = 0; context < log.contexts(); ++context) add_context(gpu, log, context, sum);
  check_sum(sum, gpu.driver(), gpu.core().now());
}

void check_requests(const Gpu& gpu, const MachineHost& host, const RequestLog& log) {
  for (std::size_t i = 0; i < host.processes(); ++i) {
    const HostProcess& process = host.process(i);
    if (process.service() == nullptr) continue;
    const ServerQueue& queue = process.service()->queue();
    const RequestCounts& counts = log.totals(i).all;
    HEDDLE_CHECK(queue.arrived() == counts.all() + queue.present() &&
                     (queue.present() == 0 || !process.has_finished()),
                 "machine", gpu.core().now(),
                 "{}: {} requests arrived, {} were served, {} shed, {} cut off, {} wait or are in service",
                 process.spec().program.name, queue.arrived(), counts.served, counts.shed, counts.cut_off,
                 queue.present());
  }
}

void check_account(const Gpu& gpu, const RequestRecord& record, const std::string& server) {
  if (record.account == nullptr) return;
  HEDDLE_CHECK(record.account->queue.sum() == record.queueing_ps() &&
                   record.account->service.sum() == record.service_ps(),
               "machine", gpu.core().now(),
               "request {} of {}: {} ps of {} in the queue and {} of {} in service are accounted",
               record.number, server, record.account->queue.sum(), record.queueing_ps(),
               record.account->service.sum(), record.service_ps());
}

}  // namespace heddle
