#include "models/sm/sm_module.h"

#include <algorithm>

namespace heddle {

SmModule::SmModule(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs,
                   std::uint64_t set_up_cycles, ClockDomain& core, std::uint64_t shares)
    : sc_core::sc_module(name),
      spec_(spec),
      core_(core),
      sleeper_(core.add(*this)),
      stats_(basename()),
      set_up_cycles_(set_up_cycles),
      inbox_(basename(), core, sleeper_,
             // A block in each slot, which is issued and saved or flushed; a set-up, a halt, a sample and
             // limits of each KSR; a sample of the engine.
             2 * spec.limits.block_slots + 5 * ksrs + 1 + shares),
      programs_(ksrs),
      setting_up_(ksrs),
      sampler_(ksrs) {
  dispatch.bind(inbox_);
  replies_.reserve(spec.limits.block_slots + ksrs + 1);
  stats_.add(blocks_started_, "blocks_started", "block",
             "thread blocks started, or taken back from swap space");
  stats_.add(blocks_done_, "blocks_done", "block", "thread blocks that ran to their end");
  stats_.add(blocks_saved_, "blocks_saved", "block",
             "thread blocks that left for swap space before their end");
  if (spec_.may_flush)
    stats_.add(blocks_flushed_, "blocks_flushed", "block",
               "thread blocks that left before their end to start over; they are started again");
  stats_.add(busy_cycles_, "busy_cycles", "cycle", "core cycles with at least one block resident");
  stats_.add(idle_cycles_, "idle_cycles", "cycle", "core cycles without a block resident");
  stats_.add(block_cycles_, "block_cycles", "block*cycle", "resident blocks summed over core cycles");
  stats_.add(
      slot_cycles_, "slot_cycles", "block*cycle",
      "blocks of the kernel at hand that would fit, summed over the core cycles with a block resident");
  stats_.add(register_cycles_, "register_cycles", "register*cycle",
             "registers that resident blocks hold, summed over core cycles");
  stats_.add(shared_cycles_, "shared_cycles", "byte*cycle",
             "shared memory that resident blocks hold, summed over core cycles");
  stats_.add_level("resident_blocks", "block", "blocks resident", [this] { return used_.blocks; });
  stats_.add_level("warp_slots_held", "warp", "warp slots that resident blocks hold",
                   [this] { return used_.warps; });
  stats_.add_level("registers_held", "register", "registers that resident blocks hold",
                   [this] { return used_.registers; });
  stats_.add_level("shared_memory_held", "byte", "shared memory that resident blocks hold",
                   [this] { return used_.shared_bytes; });
  stats_.add_formula("fill", "1", "resident blocks per block that would fit, while busy", {block_cycles_},
                     {slot_cycles_});
}

void SmModule::reset() {
  inbox_.reset();
  replies_.clear();
  std::fill(programs_.begin(), programs_.end(), Program{});
  setting_up_.clear();
  sampler_.reset();
  stalls_ = {};
  used_ = {};
  slots_ = 0;
  accounted_ = Cycle{0};
  stats_.reset();
}

void SmModule::take_requests(Cycle now) {
  for (; inbox_.has(now); inbox_.pop())
    std::visit([this, now](const auto& request) { take(request, now); }, inbox_.front());
}

void SmModule::share(const BandwidthTable&, Cycle now) {
  HEDDLE_CHECK(false, basename(), now, "a share of bandwidth for an SM that has a model of its memory");
}

void SmModule::take(const SetUpSlice& request, Cycle now) {
  const KernelSetUp& kernel = *request.kernel;
  Program& program = programs_[request.ksr.value];
  program.launch = kernel.launch;
  program.need = resources_of(kernel.launch.shape, spec_.limits);
  program.residency = residency_of(kernel.launch.shape, spec_.limits).blocks;
  program.registers = {kernel.launch.context, kernel.page_table, kernel.texture_table};
  account(now);
  slots_ = program.residency;
  sampler_.set_kernel(request.ksr, kernel.launch.kernel, counts_of(request.ksr), stalls(request.ksr));
  setting_up_.push({now + set_up_cycles_, request.ksr});
  set_up(program, request.ksr);
}

void SmModule::take(const IssueBlock& request, Cycle now) {
  Program& program = programs_[request.ksr.value];
  HEDDLE_CHECK(program.residency > 0, basename(), now, "block {} before its set-up", request.block.value);
  HEDDLE_CHECK(fits(used_, program.need, spec_.limits), basename(), now, "block {} does not fit",
               request.block.value);
  account(now);
  used_ += program.need;
  ++program.resident;
  ++blocks_started_;
  if (request.saved == nullptr)
    start(request.ksr, request.block, request.cluster, now);
  else
    go_on(request.ksr, request.block, request.saved, now);
}

void SmModule::take(const TakeSample& request, Cycle now) {
  sampler_.begin(now, cycles_until(now));
  for (std::uint32_t i = 0; i < programs_.size(); ++i)
    sampler_.add(KsrId{i}, programs_[i].resident, counts_of(KsrId{i}), stalls(KsrId{i}));
  replies_.emplace_back(SmSampled{sampler_.sample(), request.asked});
}

void SmModule::answer_set_ups(Cycle now) {
  for (; !setting_up_.empty() && setting_up_.front().ready <= now; setting_up_.pop())
    replies_.emplace_back(SliceReady{setting_up_.front().ksr});
}

void SmModule::send_replies() {
  for (const SmReply& reply : replies_) dispatch->receive(reply, 1);
  replies_.clear();
}

void SmModule::give_back(Program& program, Cycle now) {
  account(now);
  used_ -= held_at_end(program.need, spec_.limits);
  --program.resident;
}

void SmModule::block_saved(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
                           Cycle now) {
  give_back(programs_[ksr.value], now);
  ++blocks_saved_;
  replies_.emplace_back(BlockSaved{ksr, block, saved});
}

void SmModule::block_flushed(KsrId ksr, BlockId block, const SmWork& work, Cycle now) {
  give_back(programs_[ksr.value], now);
  ++blocks_flushed_;
  replies_.emplace_back(BlockFlushed{ksr, block, work});
}

void SmModule::block_done(KsrId ksr, BlockId block, const SmWork& work, Cycle now) {
  give_back(programs_[ksr.value], now);
  ++programs_[ksr.value].ended;
  ++blocks_done_;
  replies_.emplace_back(BlockDone{ksr, block, work});
}

void SmModule::block_restored(KsrId ksr, BlockId block) {
  replies_.emplace_back(BlockRestored{ksr, block});
}

void SmModule::state_moved() {
  replies_.emplace_back(StateMoved{});
}

void SmModule::warp_done() {
  --used_.warps;
  replies_.emplace_back(WarpDone{});
}

void SmModule::room_changed(KsrId ksr, std::uint64_t room) {
  replies_.emplace_back(RoomChanged{ksr, room});
}

void SmModule::resources_changed(std::uint32_t registers, std::uint32_t shared_bytes, Cycle now) {
  account(now);
  used_.registers = registers;
  used_.shared_bytes = shared_bytes;
}

const KernelStalls* SmModule::stalls(KsrId ksr) {
  if (!counts_stalls()) return nullptr;
  stalls_ = stalls_of(ksr);
  return &stalls_;
}

KernelCounts SmModule::counts_of(KsrId ksr) const {
  KernelCounts counts;
  counts.blocks = programs_[ksr.value].ended;
  return counts;
}

Cycle SmModule::next_request(Cycle now) const {
  return setting_up_.empty() ? inbox_.due(now) : std::min(inbox_.due(now), setting_up_.front().ready);
}

void SmModule::account(Cycle now) {
  const std::uint64_t cycles = now - accounted_;
  accounted_ = now;
  if (used_.blocks == 0) {
    idle_cycles_ += cycles;
    return;
  }
  busy_cycles_ += cycles;
  block_cycles_ += cycles * used_.blocks;
  slot_cycles_ += cycles * std::max(slots_, used_.blocks);
  register_cycles_ += cycles * used_.registers;
  shared_cycles_ += cycles * used_.shared_bytes;
}

void SmModule::update_stats(Cycle now) {
  account(now);
}

}  // namespace heddle
