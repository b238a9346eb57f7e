#include "platforms/run/trace_file.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>

namespace heddle {

namespace {

// An SM tells of a wait one cycle after its end. Events of the last cycles are therefore not written yet.
constexpr std::uint64_t kLateCycles = 64;

constexpr const char* kTextHead =
    "# Core cycles, in which events of other clocks have a fraction. +N: core cycles since the event before "
    "of\n"
    "# the same request. [N CLOCK]: the cycle of the block's own clock. heddle run --help has the "
    "selection.\n"
    "#     cycle  warp          request         block     event         what\n";
constexpr const char* kCsvHead =
    "ps,core_cycle,clock,cycle,since,block,sm,warp,kernel,request,event,pc,address,bytes,detail\n";

TraceLog::Time time_of(const ClockDomain& clock) {
  return [&clock](Cycle cycle) {
    return static_cast<std::uint64_t>(clock.time_of(cycle) / sc_core::sc_time(1, sc_core::SC_PS));
  };
}

bool has_pc(TraceStage stage) {
  return stage >= TraceStage::kFetch && stage <= TraceStage::kEnd && stage != TraceStage::kWait;
}

}  // namespace

TraceFile::TraceFile(const std::string& directory, TraceLog& log, Machines& machines, Timeline* timeline)
    : log_(log),
      core_ps_(time_of(machines.core())),
      core_(machines.core()),
      begin_ps_(core_ps_(Cycle{0})),
      cycle_ps_(static_cast<double>(core_ps_(Cycle{1}) - begin_ps_)),
      text_(directory + "/trace.txt"),
      csv_(directory + "/trace.csv") {
  const MemoryPath& memory = *machines[0].gpu().memory();
  log_.set_clock(TraceClock::kCore, core_ps_);
  log_.set_clock(TraceClock::kIcnt, time_of(memory.icnt()));
  log_.set_clock(TraceClock::kL2, time_of(memory.l2()));
  log_.set_clock(TraceClock::kDram, time_of(memory.dram()));
  if (timeline != nullptr) tracks_.emplace(*timeline, core_ps_);
  text_ << kTextHead;
  csv_ << kCsvHead;
}

void TraceFile::write() {
  if (core_.now().value > kLateCycles) write_until(core_ps_(core_.now() - kLateCycles));
}

void TraceFile::finish() {
  write_until(std::numeric_limits<std::uint64_t>::max());
  text_.finish();
  csv_.finish();
}

bool TraceFile::is_empty(const std::string& directory) {
  std::ifstream file(directory + "/trace.csv");
  std::string line;
  std::getline(file, line);
  return !std::getline(file, line);
}

void TraceFile::write_until(std::uint64_t end_ps) {
  log_.take(end_ps, [this](const TracedEvent& traced) { write(traced); });
}

void TraceFile::write(const TracedEvent& traced) {
  const Line line = line_of(traced);
  write_text(traced, line);
  write_csv(traced, line);
  if (tracks_) tracks_->add(*traced.event, traced.ps);
}

TraceFile::Line TraceFile::line_of(const TracedEvent& traced) {
  const TraceEvent& event = *traced.event;
  Line line{event.sm, event.warp, std::nullopt};
  if (event.stage == TraceStage::kStart)
    kernels_[{event.sm.value, event.warp}] = event.detail.substr(0, event.detail.find(' '));
  if (event.request == 0) return line;
  if (event.stage == TraceStage::kRequest) {
    requests_[event.request] = {event.sm, event.warp, traced.ps};
    return line;
  }
  const auto found = requests_.find(event.request);
  if (found == requests_.end()) return line;
  Owner& owner = found->second;
  line.sm = owner.sm;
  line.warp = owner.warp;
  line.cycles = static_cast<double>(traced.ps - owner.last_ps) / cycle_ps_;
  owner.last_ps = traced.ps;
  if (event.stage == TraceStage::kAnswer) requests_.erase(found);
  return line;
}

void TraceFile::write_text(const TracedEvent& traced, const Line& line) {
  const TraceEvent& event = *traced.event;
  std::string what;
  const auto add = [&what](const std::string& part) { what += (what.empty() ? "" : " ") + part; };
  if (event.stage == TraceStage::kWait)
    add(fmt::format("cycles {}-{}:", event.since.value, event.at.value));
  else if (has_pc(event.stage))
    add(fmt::format("{:#06x}", event.pc));
  if (!event.detail.empty()) add(event.detail);
  if (event.bytes != 0) add(fmt::format("{} B at {:#x}", event.bytes, event.address));
  if (event.stage != TraceStage::kWait && event.since != event.at)
    add(fmt::format("({} here since {})", name_of(traced.clock), event.since.value));
  if (traced.clock != TraceClock::kCore) add(fmt::format("[{} {}]", event.at.value, name_of(traced.clock)));
  const std::string warp = line.sm.valid() ? fmt::format("sm{}.warp{}", line.sm.value, line.warp) : "";
  const std::string cycles = line.cycles ? fmt::format("+{:.1f}", *line.cycles) : "";
  const std::string request = event.request != 0 ? fmt::format("#{}", event.request) : "";
  text_ << fmt::format("{:>11.1f}  {:<12}  {:<6} {:>7}  {:<8}  {:<12}  {}\n", core_cycle(traced.ps), warp,
                       request, cycles, *traced.place, name_of(event.stage), what);
}

void TraceFile::write_csv(const TracedEvent& traced, const Line& line) {
  const TraceEvent& event = *traced.event;
  const auto if_any = [](bool any, std::uint64_t value) {
    return any ? std::to_string(value) : std::string();
  };
  const auto kernel = kernels_.find({line.sm.value, line.warp});
  csv_ << fmt::format("{},{:.3f},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", traced.ps, core_cycle(traced.ps),
                      name_of(traced.clock), event.at.value, event.since.value, *traced.place,
                      if_any(line.sm.valid(), line.sm.value), if_any(line.sm.valid(), line.warp),
                      kernel == kernels_.end() ? "" : kernel->second,
                      if_any(event.request != 0, event.request), name_of(event.stage),
                      if_any(has_pc(event.stage), event.pc),
                      event.bytes == 0 ? "" : fmt::format("{:#x}", event.address),
                      if_any(event.bytes != 0, event.bytes), event.detail);
}

}  // namespace heddle
