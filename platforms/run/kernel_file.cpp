#include "platforms/run/kernel_file.h"

#include <iterator>
#include <utility>

#include "models/stats/writers.h"

namespace heddle {

namespace {

using MaybeCycle = std::optional<Cycle>;
using Nothing = std::monostate;

template <class Cell>
Cell cell_of(const MaybeCycle& cycle) {
  return cycle ? Cell{cycle->value} : Cell{};
}

template <class Cell>
Cell ratio(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? Cell{static_cast<double>(part) / static_cast<double>(whole)} : Cell{};
}

// Core cycles from the first block to the last one's end, or none.
std::optional<std::uint64_t> duration(const LaunchRecord& record) {
  if (!record.started || !record.ended) return std::nullopt;
  return *record.ended - *record.started;
}

template <class Counts>
std::optional<std::uint64_t> field_of(const Counts& counts, const std::string& name) {
  for (const auto& field : Counts::fields())
    if (field.name == name) return counts.*field.value;
  return std::nullopt;
}

// Returns the counter of a launch that has this path among the counters of a kernel.
std::optional<std::uint64_t> counter_at(const LaunchRecord& of, const std::string& path) {
  if (path == "launch.held_time") return of.held_time;
  const std::size_t group = path.find('.') + 1;
  const std::size_t name = path.find('.', group) + 1;
  const std::string block = path.substr(group, name - 1 - group);
  if (block == "sm") return field_of(of.counts.sm, path.substr(name));
  if (block == "crossbar") return field_of(of.counts.crossbar, path.substr(name));
  if (block == "l2") return field_of(of.counts.l2, path.substr(name));
  if (block == "dram") return field_of(of.counts.dram, path.substr(name));
  return std::nullopt;
}

}  // namespace

KernelFile::KernelFile(const std::string& path, Machines& machines)
    : machines_(machines), first_(machines[0]), file_(path) {
  add_launch();
  add_times();
  add_work();
  if (first_.gpu().memory() != nullptr) add_memory();
  const ExecutionSpec* const execution = first_.gpu().spec().sm.execution();
  if (execution != nullptr && execution->kernel_stalls) add_stalls(execution->stall_order);
  if (first_.gpu().energy() != nullptr) add_energy();
  for (std::size_t i = 0; i < columns_.size(); ++i) file_ << (i > 0 ? "," : "") << columns_[i].name;
  file_ << '\n';
  for (std::size_t i = 0; i < machines_.count(); ++i)
    machines_[i].kernel_log().record([this, i](const LaunchRecord& record) { write(i, record); });
}

void KernelFile::add_launch() {
  if (machines_.is_split())
    add("instance", [this](const LaunchRecord&) { return Cell{std::uint64_t{instance_}}; });
  add("launch", [](const LaunchRecord& of) { return of.launch.kernel.value; });
  add("application", [](const LaunchRecord& of) { return of.application; });
  add("kernel", [](const LaunchRecord& of) { return of.kernel; });
  add("context", [](const LaunchRecord& of) { return Cell{std::uint64_t{of.launch.context.value}}; });
  add("stream", [](const LaunchRecord& of) { return Cell{std::uint64_t{of.launch.stream.value}}; });
  add("ksr", [](const LaunchRecord& of) { return Cell{std::uint64_t{of.ksr.value}}; });
  add("blocks", [](const LaunchRecord& of) { return of.launch.blocks; });
  add("threads_per_block", [](const LaunchRecord& of) { return std::uint64_t{of.launch.shape.threads}; });
  add("registers_per_thread",
      [](const LaunchRecord& of) { return std::uint64_t{of.launch.shape.registers_per_thread}; });
  add("shared_memory_per_block [byte]",
      [](const LaunchRecord& of) { return std::uint64_t{of.launch.shape.shared_bytes}; });
}

void KernelFile::add_times() {
  const ClockDomain& core = first_.gpu().core();
  const auto ns = [&core](Cycle cycle) { return core.time_of(cycle) / sc_core::sc_time(1, sc_core::SC_NS); };
  add("loaded [cycle]", [](const LaunchRecord& of) { return of.loaded.value; });
  add("active [cycle]", [](const LaunchRecord& of) { return cell_of<Cell>(of.activated); });
  add("start [cycle]", [](const LaunchRecord& of) { return cell_of<Cell>(of.started); });
  add("end [cycle]", [](const LaunchRecord& of) { return cell_of<Cell>(of.ended); });
  add("wait [cycle]", [](const LaunchRecord& of) {
    return of.started ? Cell{*of.started - of.activated.value_or(*of.started)} : Cell{};
  });
  add("start [ns]", [ns](const LaunchRecord& of) { return of.started ? Cell{ns(*of.started)} : Cell{}; });
  add("duration [ns]",
      [ns](const LaunchRecord& of) { return duration(of) ? Cell{ns(*of.ended) - ns(*of.started)} : Cell{}; });
  add("held [cycle]", [](const LaunchRecord& of) { return static_cast<double>(of.held_time) / 1000; });
}

void KernelFile::add_work() {
  add("halted", [](const LaunchRecord& of) { return std::uint64_t{of.is_halted ? 1u : 0u}; });
  add("blocks_issued", [](const LaunchRecord& of) { return of.blocks_issued; });
  add("blocks_done", [](const LaunchRecord& of) { return of.blocks_done; });
  add("warp_instructions", [](const LaunchRecord& of) { return of.work.warp_instructions; });
  add("thread_instructions", [](const LaunchRecord& of) { return of.work.thread_instructions; });
  if (first_.gpu().preemption().answers(Handover::kFlush)) {
    add("blocks_flushed", [](const LaunchRecord& of) { return of.lost.blocks; });
    add("lost_warp_instructions", [](const LaunchRecord& of) { return of.lost.warp_instructions; });
    add("lost_thread_instructions", [](const LaunchRecord& of) { return of.lost.thread_instructions; });
    add("lost [block*cycle]", [](const LaunchRecord& of) { return of.lost_cycles; });
  }
  add("ipc", [](const LaunchRecord& of) {
    const std::uint64_t instructions = of.work.warp_instructions;  // 0 on timed SMs
    return instructions > 0 ? ratio<Cell>(instructions, duration(of).value_or(0)) : Cell{};
  });
}

void KernelFile::add_memory() {
  const ClockDomain& core = first_.gpu().core();
  const std::uint64_t burst = first_.gpu().spec().memory->dram.map.burst_bytes;
  add("l1_accesses", [](const LaunchRecord& of) { return of.counts.sm.l1_accesses; });
  add("l1_hit_rate",
      [](const LaunchRecord& of) { return ratio<Cell>(of.counts.sm.l1_hits, of.counts.sm.l1_accesses); });
  add("shared_conflicts [cycle]", [](const LaunchRecord& of) { return of.counts.sm.shared_conflicts; });
  add("request_flits", [](const LaunchRecord& of) { return of.counts.crossbar.request_flits; });
  add("reply_flits", [](const LaunchRecord& of) { return of.counts.crossbar.reply_flits; });
  add("l2_accesses", [](const LaunchRecord& of) { return of.counts.l2.accesses; });
  add("l2_hit_rate",
      [](const LaunchRecord& of) { return ratio<Cell>(of.counts.l2.hits, of.counts.l2.accesses); });
  add("dram_read [byte]", [burst](const LaunchRecord& of) { return of.counts.dram.reads * burst; });
  add("dram_written [byte]", [burst](const LaunchRecord& of) { return of.counts.dram.writes * burst; });
  add("dram_row_hit_rate", [](const LaunchRecord& of) {
    return ratio<Cell>(of.counts.dram.row_hits, of.counts.dram.reads + of.counts.dram.writes);
  });
  add("dram_bandwidth [byte/s]", [burst, &core](const LaunchRecord& of) -> Cell {
    if (duration(of).value_or(0) == 0) return Nothing{};
    const double seconds = (core.time_of(*of.ended) - core.time_of(*of.started)).to_seconds();
    return static_cast<double>((of.counts.dram.reads + of.counts.dram.writes) * burst) / seconds;
  });
}

void KernelFile::add_stalls(const std::vector<Bucket>& order) {
  add("active [SM cycle]", [](const LaunchRecord& of) { return of.counts.stalls.active; });
  WaitReasons before = 0;  // reasons that the stall order names first
  for (const Bucket bucket : order) {
    add(std::string(name_of(bucket)) + " [SM cycle]", [before, bucket](const LaunchRecord& of) {
      return of.counts.stalls.any_of(before | reason(bucket)) - of.counts.stalls.any_of(before);
    });
    before |= reason(bucket);
  }
  add("no_warp [SM cycle]", [](const LaunchRecord& of) { return of.counts.stalls.waiting[0]; });
}

void KernelFile::add_energy() {
  const EnergyModel& model = first_.gpu().energy()->model();
  const auto priced = [&model](const LaunchRecord& of) {
    const CounterAt at = [&of](const std::string& path) { return counter_at(of, path); };
    return model.price(kernel_counts("launch", at).value());
  };
  constexpr double kJouleOfFj = 1e-15;
  add("dynamic_energy [J]",
      [priced](const LaunchRecord& of) { return kJouleOfFj * static_cast<double>(priced(of).dynamic()); });
  add("static_energy [J]",
      [priced](const LaunchRecord& of) { return kJouleOfFj * static_cast<double>(priced(of).standing()); });
}

void KernelFile::finish() {
  machines_.stats();
  for (std::size_t i = 0; i < machines_.count(); ++i)
    machines_[i].kernel_log().visit_open([this, i](const LaunchRecord& record) { write(i, record); });
  file_.finish();
}

void KernelFile::write(std::size_t instance, const LaunchRecord& record) {
  instance_ = instance;
  row_.clear();
  const auto append = [this](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string_view>)
      fmt::format_to(std::back_inserter(row_), "{}", quoted_csv(std::string(value)));
    else if constexpr (!std::is_same_v<Value, Nothing>)
      fmt::format_to(std::back_inserter(row_), "{}", value);
  };
  for (const Column& column : columns_) {
    if (&column != &columns_.front()) row_.push_back(',');
    std::visit(append, column.value(record));
  }
  row_.push_back('\n');
  file_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

}  // namespace heddle
