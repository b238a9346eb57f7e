#include "models/machine/timeline_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/core/base/check.h"

namespace heddle {

TimelineObserver::TimelineObserver(Timeline& timeline, const Shape& shape)
    : timeline_(timeline),
      shape_(shape),
      names_{timeline.argument("launch"), timeline.argument("stream"),
             timeline.argument("grid"),   timeline.argument("threads_per_block"),
             timeline.argument("block"),  timeline.argument("blocks"),
             timeline.argument("bytes")},
      units_(has(TimelineDetail::kSms) ? shape.sms : 0),
      kernels_(shape.ksrs) {
  const std::string prefix = shape_.instance.empty() ? "" : shape_.instance + " ";
  const TrackId engine = timeline_.process(prefix + "execution engine");
  const TrackId active = timeline_.track(engine, "kernels");
  for (std::size_t ksr = 0; ksr < kernels_.size(); ++ksr)
    kernels_[ksr].track = timeline_.track(active, fmt::format("KSR {}", ksr));
  if (has(TimelineDetail::kSms)) {
    const TrackId sms = timeline_.process(prefix + "SMs");
    for (std::size_t sm = 0; sm < units_.size(); ++sm) {
      Unit& unit = units_[sm];
      unit.parent = timeline_.track(sms, fmt::format("SM {}", sm));
      unit.kernels.emplace_back(timeline_.track(unit.parent, fmt::format("SM {} kernels", sm)), 0);
      if (!has(TimelineDetail::kBlocks)) continue;
      unit.running_track = timeline_.counter(unit.parent, fmt::format("SM {} running blocks", sm), "blocks");
      while (unit.slots.size() < shape.block_slots) add_slot(unit, SmId{static_cast<std::uint32_t>(sm)});
    }
  }
  copies_ = timeline_.process(prefix + "copies");
}

void TimelineObserver::kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  Kernel& kernel = kernels_[ksr.value];
  if (event == KernelEvent::kLoaded) {
    kernel.name = timeline_.name(
        fmt::format("{}: {}", shape_.application(launch.context), shape_.kernel(launch.context, launch.tag)));
    kernel.begin_ps = shape_.core_ps(now);
    kernel.launch = launch.kernel.value;
    kernel.stream = launch.stream.value;
    kernel.grid = launch.blocks;
    kernel.threads = launch.shape.threads;
    kernel.loaded = true;
  } else if (event == KernelEvent::kEnded) {
    draw_kernel(kernel, shape_.core_ps(now));
  }
}

void TimelineObserver::draw_kernel(Kernel& kernel, std::uint64_t end_ps) {
  timeline_.slice(kernel.track, kernel.begin_ps, end_ps, kernel.name, {},
                  {{names_.grid, kernel.grid},
                   {names_.threads, kernel.threads},
                   {names_.launch, kernel.launch},
                   {names_.stream, kernel.stream}});
  kernel.loaded = false;
}

void TimelineObserver::slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) {
  if (!has(TimelineDetail::kSms)) return;
  Unit& unit = units_[sm.value];
  const std::uint64_t ps = shape_.core_ps(now);
  switch (event) {
    case SliceEvent::kSetUp:
      unit.setting_up.push_back({ksr, ps, false});
      break;
    case SliceEvent::kRunning:
      draw_handover(unit, sm, "set-up", finish(unit.setting_up, ksr, ps), ps, {unit.flow, true});
      unit.flow = 0;
      unit.residents.push_back({ksr, ps, 0});
      break;
    case SliceEvent::kLeaving:
      unit.leaving.push_back({ksr, ps, false});
      break;
    case SliceEvent::kReturned: {
      const std::string what = fmt::format("{} called off", way_of(unit, ksr));
      draw_handover(unit, sm, what.c_str(), finish(unit.leaving, ksr, ps), ps, {});
      break;
    }
    case SliceEvent::kFreed: {
      draw_resident(unit, sm, ksr, ps);
      finish(unit.setting_up, ksr, ps);
      const char* way = way_of(unit, ksr);
      const std::uint64_t begin_ps = finish(unit.leaving, ksr, ~std::uint64_t{0});
      if (begin_ps == ~std::uint64_t{0}) break;
      if (unit.flow == 0) unit.flow = ++flows_;
      draw_handover(unit, sm, way, begin_ps, ps, {unit.flow, false});
      break;
    }
    case SliceEvent::kReserved:
      break;
  }
}

void TimelineObserver::draw_handover(Unit& unit, SmId sm, const char* what, std::uint64_t begin_ps,
                                     std::uint64_t end_ps, Flow flow) {
  const TrackId track =
      lane(unit.handovers, unit.parent, fmt::format("SM {} hand-over", sm.value), begin_ps, end_ps);
  timeline_.slice(track, begin_ps, end_ps, timeline_.name(what), flow);
}

// Draws the time that the kernel held the SM, from the end of its set-up. A kernel that was never set up has
// none.
void TimelineObserver::draw_resident(Unit& unit, SmId sm, KsrId ksr, std::uint64_t end_ps) {
  const auto found = std::find_if(unit.residents.begin(), unit.residents.end(),
                                  [ksr](const Resident& resident) { return resident.ksr == ksr; });
  if (found == unit.residents.end()) return;
  const Kernel& kernel = kernels_[ksr.value];
  const TrackId track =
      lane(unit.kernels, unit.parent, fmt::format("SM {} kernels", sm.value), found->begin_ps, end_ps);
  timeline_.slice(track, found->begin_ps, end_ps, kernel.name, {},
                  {{names_.blocks, found->blocks},
                   {names_.grid, kernel.grid},
                   {names_.launch, kernel.launch},
                   {names_.stream, kernel.stream}});
  unit.residents.erase(found);
}

void TimelineObserver::block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  if (!has(TimelineDetail::kSms)) return;
  Unit& unit = units_[sm.value];
  for (Resident& resident : unit.residents)
    if (resident.ksr == ksr) ++resident.blocks;
  if (!has(TimelineDetail::kBlocks)) return;
  const auto free =
      std::find_if(unit.slots.begin(), unit.slots.end(), [](const Slot& slot) { return !slot.taken; });
  Slot& slot = free == unit.slots.end() ? add_slot(unit, sm) : *free;
  slot = {slot.track, true, ksr, block, shape_.core_ps(now)};
  timeline_.value(unit.running_track, shape_.core_ps(now), ++unit.running);
}

void TimelineObserver::block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&) {
  if (!has(TimelineDetail::kBlocks)) return;
  Unit& unit = units_[sm.value];
  const auto slot = std::find_if(unit.slots.begin(), unit.slots.end(), [&](const Slot& candidate) {
    return candidate.taken && candidate.ksr == ksr && candidate.block == block;
  });
  HEDDLE_CHECK(slot != unit.slots.end(), "timeline", now, "SM {} has no block {} of KSR {}", sm.value,
               block.value, ksr.value);
  draw_block(*slot, shape_.core_ps(now));
  timeline_.value(unit.running_track, shape_.core_ps(now), --unit.running);
}

void TimelineObserver::draw_block(Slot& slot, std::uint64_t end_ps) {
  const Kernel& kernel = kernels_[slot.ksr.value];
  timeline_.slice(slot.track, slot.begin_ps, end_ps, kernel.name, {},
                  {{names_.block, slot.block.value},
                   {names_.grid, kernel.grid},
                   {names_.launch, kernel.launch},
                   {names_.stream, kernel.stream}});
  slot.taken = false;
}

void TimelineObserver::block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  if (!has(TimelineDetail::kSms)) return;
  block_done(now, sm, ksr, block, {});
  for (Handover& handover : units_[sm.value].leaving)
    if (handover.ksr == ksr) handover.switches = true;
}

void TimelineObserver::block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  block_issued(now, sm, ksr, block);
}

void TimelineObserver::block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&,
                                     std::uint64_t) {
  if (!has(TimelineDetail::kSms)) return;
  block_done(now, sm, ksr, block, {});
  for (Handover& handover : units_[sm.value].leaving)
    if (handover.ksr == ksr) handover.flushes = true;
}

const char* TimelineObserver::way_of(const Unit& unit, KsrId ksr) {
  for (const Handover& handover : unit.leaving) {
    if (handover.ksr != ksr) continue;
    if (handover.switches && handover.flushes) return "switch and flush";
    return handover.switches ? "switch" : handover.flushes ? "flush" : "drain";
  }
  return "drain";
}

void TimelineObserver::run_ended(Cycle now) {
  const std::uint64_t ps = shape_.core_ps(now);
  for (Kernel& kernel : kernels_)
    if (kernel.loaded) draw_kernel(kernel, ps);
  for (std::uint32_t sm = 0; sm < units_.size(); ++sm) {
    Unit& unit = units_[sm];
    for (const Handover& handover : unit.setting_up)
      draw_handover(unit, SmId{sm}, "set-up", handover.begin_ps, ps, {});
    for (const Handover& handover : unit.leaving)
      draw_handover(unit, SmId{sm}, way_of(unit, handover.ksr), handover.begin_ps, ps, {});
    while (!unit.residents.empty()) draw_resident(unit, SmId{sm}, unit.residents.front().ksr, ps);
    for (Slot& slot : unit.slots)
      if (slot.taken) draw_block(slot, ps);
  }
  engine_reset();
}

void TimelineObserver::engine_reset() {
  for (Kernel& kernel : kernels_) kernel.loaded = false;
  for (Unit& unit : units_) {
    for (Slot& slot : unit.slots) slot.taken = false;
    unit.setting_up.clear();
    unit.leaving.clear();
    unit.residents.clear();
    unit.flow = 0;
    unit.running = 0;
  }
}

void TimelineObserver::transferred(Cycle begin, Cycle end, const Transfer& transfer) {
  const std::uint64_t from = shape_.pcie_ps(begin);
  const std::uint64_t to = shape_.pcie_ps(end);
  const auto way = std::min<std::size_t>(static_cast<std::size_t>(transfer.direction), ways_.size() - 1);
  static constexpr std::array<const char*, 3> kNames{"host to device", "device to host", "within the device"};
  const TrackId track = lane(ways_[way], copies_, kNames[way], from, to);
  timeline_.slice(track, from, to, timeline_.name(shape_.application(transfer.context)), {},
                  {{names_.bytes, transfer.bytes}, {names_.stream, transfer.stream.value}});
}

TimelineObserver::Slot& TimelineObserver::add_slot(Unit& unit, SmId sm) {
  Slot& slot = unit.slots.emplace_back();
  slot.track = timeline_.track(unit.parent, fmt::format("SM {} slot {}", sm.value, unit.slots.size() - 1));
  return slot;
}

// Returns a track that is free over the whole time, and makes one if all are busy.
TrackId TimelineObserver::lane(Lanes& lanes, TrackId parent, const std::string& name, std::uint64_t begin_ps,
                               std::uint64_t end_ps) {
  auto free = std::find_if(lanes.begin(), lanes.end(), [&](const auto& l) { return l.second <= begin_ps; });
  if (free == lanes.end()) {
    const std::string number = lanes.empty() ? "" : fmt::format(" {}", lanes.size() + 1);
    free = lanes.insert(lanes.end(), {timeline_.track(parent, name + number), 0});
  }
  free->second = end_ps;
  return free->first;
}

// Ends the hand-over of `ksr` and returns its begin, or `otherwise` if none is open.
std::uint64_t TimelineObserver::finish(std::vector<Handover>& open, KsrId ksr, std::uint64_t otherwise) {
  const auto found = std::find_if(open.begin(), open.end(), [&](const Handover& h) { return h.ksr == ksr; });
  if (found == open.end()) return otherwise;
  const std::uint64_t begin = found->begin_ps;
  open.erase(found);
  return begin;
}

}  // namespace heddle
