#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/stats/writers.h"
#include "platforms/channel/channel_run.h"
#include "platforms/channel/request_trace.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"
#include "platforms/experiment/overrides.h"
#include "platforms/load/platform_loader.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

struct DramOptions {
  std::string trace;
  Overrides overrides;                     // with a platform
  std::optional<std::string> channel_map;  // none: that of the platform
  std::string command_trace;               // a file for every command; empty: none
  std::uint64_t outstanding = 64;          // most reads in flight
  bool no_refresh = false;
  bool json = false;
};

class CommandTrace final : public DramObserver {
 public:
  explicit CommandTrace(std::ostream& out) : out_(out) {}

  void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t row) override {
    buffer_.clear();
    fmt::format_to(std::back_inserter(buffer_), "{} {} {} {} {}\n", now.value, name_of(command), group, bank,
                   row);
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  }

 private:
  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

// Reads the platform with the changes of the command line.
GpuSpec read_spec(const DramOptions& options) {
  config::Document document = load_platform_document(*options.overrides.platform);
  options.overrides.apply_to_platform(document);
  const config::Section root = document.root();
  if (!root.has("dram"))
    throw config::Error({fmt::format("{}: the platform has no dram section", document.name())});
  if (options.channel_map) document.set_text("dram.map", *options.channel_map);
  if (options.no_refresh) document.set("dram.refresh=off");
  GpuSpec spec = read_platform(root);
  document.finish();
  options.overrides.apply_to_policies(spec.policies);
  return spec;
}

ChannelRun drive(DramChannel& channel, const DramOptions& options) {
  RequestTrace trace(options.trace);
  const std::uint64_t bytes = channel.map().bytes();
  const auto next = [&](DramRequest& request) {
    const std::optional<TraceRequest> read = trace.next();
    if (!read) return false;
    if (read->address >= bytes)
      trace.fail(fmt::format("address {:#x} lies beyond the channel's {} B", read->address, bytes));
    request = {read->address, read->write, 0};
    return true;
  };
  ChannelRun run = run_channel(channel, next, options.outstanding);
  if (run.requests == 0) throw config::Error({fmt::format("{}: no request", options.trace)});
  return run;
}

ChannelRun drive_and_write(DramChannel& channel, const DramOptions& options) {
  ChannelRun run;
  write_result(options.command_trace, Existing::kReplaced, "--command-trace", [&](std::ostream& out) {
    CommandTrace trace(out);
    channel.observe(trace);
    run = drive(channel, options);
  });
  return run;
}

Json latency_of(const LatencyHistogram& latency) {
  Json json{{"mean", nullptr}, {"p50", nullptr}, {"p95", nullptr}, {"p99", nullptr}};
  if (latency.count() == 0) return json;
  json["mean"] = latency.mean();
  for (const int percent : {50, 95, 99})
    json[fmt::format("p{}", percent)] = latency.percentile(static_cast<std::uint64_t>(percent) * 10);
  return json;
}

// Gives the result of a channel as JSON and as tables.
class ChannelReport {
 public:
  ChannelReport(const GpuSpec& spec, const DramChannel& channel, const ChannelRun& run)
      : spec_(spec), dram_(spec.memory->dram), channel_(channel), run_(run) {}

  Json json() const;
  void print(std::ostream& out) const;

 private:
  std::uint64_t reads() const { return run_.read_latency.count(); }
  std::uint64_t writes() const { return run_.requests - reads(); }
  std::uint64_t bytes() const { return run_.requests * dram_.map.burst_bytes; }
  double cycles() const { return static_cast<double>(run_.cycles); }
  double bus_cycles() const { return channel_.parts() * cycles(); }  // of all data buses
  double peak_fraction() const {
    return static_cast<double>(run_.requests * dram_.timing.burst()) / bus_cycles();
  }
  double bytes_per_second() const { return static_cast<double>(bytes()) * spec_.memory->dram_hz / cycles(); }
  const std::string& policy(const char* decision) const { return spec_.policies.at(decision).name; }

  // Both functions call `take` with a name and a number: of commands, and of command clocks.
  template <class Take>
  void each_command(Take take) const {
    for (const CommandRule& rule : dram_.timing.standard().commands)
      take(name_of(rule.command),
           sum([&](const DramController& part) { return part.stats().commands(rule.command); }));
  }
  template <class Take>
  void each_bus_share(Take take) const {
    take("busy", sum([](const DramController& part) { return part.stats().data_bus().busy(); }));
    for (std::size_t i = 0; i < DataBusAccount::kReasons; ++i) {
      const auto reason = static_cast<DataBusAccount::Reason>(i);
      take(DataBusAccount::name_of(reason),
           sum([reason](const DramController& part) { return part.stats().data_bus().lost(reason); }));
    }
  }
  // Returns the sum over the pseudo-channels.
  template <class Count>
  std::uint64_t sum(Count count) const {
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < channel_.parts(); ++i) all += count(channel_.part(i));
    return all;
  }
  std::uint64_t outcomes(RowOutcome outcome) const {
    return sum([outcome](const DramController& part) { return part.stats().outcomes(outcome); });
  }

  const GpuSpec& spec_;
  const DramSpec& dram_;
  const DramChannel& channel_;
  const ChannelRun& run_;
};

Json ChannelReport::json() const {
  Json json{{"platform", spec_.name}};
  json["map"] = dram_.map.bits;
  for (const char* decision : {DramScheduler::kDecision, PagePolicy::kDecision})
    json["policies"][decision] = policy(decision);
  json["requests"] = run_.requests;
  json["reads"] = reads();
  json["writes"] = writes();
  json["bytes"] = bytes();
  json["cycles"] = run_.cycles;
  json["clock_hz"] = spec_.memory->dram_hz;
  json["peak_fraction"] = peak_fraction();
  json["bytes_per_second"] = bytes_per_second();
  json["read_latency"] = latency_of(run_.read_latency);
  json["row_hits"] = outcomes(RowOutcome::kHit);
  json["row_misses"] = outcomes(RowOutcome::kMiss);
  json["row_conflicts"] = outcomes(RowOutcome::kConflict);
  each_command([&](const char* name, std::uint64_t number) { json["commands"][name] = number; });
  each_bus_share([&](const char* name, std::uint64_t clocks) { json["data_bus"][name] = clocks; });
  return json;
}

void ChannelReport::print(std::ostream& out) const {
  out << fmt::format("platform {}, map {}, {}, {} rows\n", spec_.name, dram_.map.bits,
                     policy(DramScheduler::kDecision), policy(PagePolicy::kDecision));
  out << fmt::format("  requests       {} ({} reads, {} writes, {} B)\n", run_.requests, reads(), writes(),
                     bytes());
  out << fmt::format("  cycles         {} command clocks\n", run_.cycles);
  out << fmt::format("  bandwidth      {:.3f} GB/s, {:.4f} of peak\n", bytes_per_second() / 1e9,
                     peak_fraction());
  const LatencyHistogram& latency = run_.read_latency;
  if (latency.count() != 0)
    out << fmt::format("  read latency   mean {:.1f}, p50 {}, p95 {}, p99 {} command clocks\n",
                       latency.mean(), latency.percentile(500), latency.percentile(950),
                       latency.percentile(990));
  out << fmt::format("  rows           {} hits, {} misses, {} conflicts\n", outcomes(RowOutcome::kHit),
                     outcomes(RowOutcome::kMiss), outcomes(RowOutcome::kConflict));
  std::string commands;
  each_command([&](const char* name, std::uint64_t number) {
    if (number != 0) commands += fmt::format("{}{} {}", commands.empty() ? "" : ", ", name, number);
  });
  out << fmt::format("  commands       {}\n\n", commands);
  Table table({{"data bus"}, {"command clocks", Table::Align::kRight}, {"share", Table::Align::kRight}});
  each_bus_share([&](const char* name, std::uint64_t clocks) {
    table.add_row({name, fmt::format("{}", clocks),
                   fmt::format("{:.1f} %", 100 * static_cast<double>(clocks) / bus_cycles())});
  });
  table.print(out);
}

int drive_channel(const DramOptions& options) {
  const GpuSpec spec = read_spec(options);
  const auto channel = make_channel(spec);
  ChannelRun run;
  if (options.command_trace.empty())
    run = drive(*channel, options);
  else
    run = drive_and_write(*channel, options);
  const ChannelReport report(spec, *channel, run);
  if (options.json)
    print_json(report.json());
  else
    report.print(std::cout);
  return 0;
}

void declare_dram(CommandLine& verb, DramOptions& options) {
  verb.add_option("trace", options.trace, "lines of R 0x<hex> or W 0x<hex>, byte addresses in the channel")
      .required();
  add_override(verb, options.overrides, "--platform", "a platform with a dram section, by name or YAML file")
      .required();
  verb.add_option("--channel-map", options.channel_map, "replaces the platform's address map")
      .type_name("LETTERS");
  verb.add_option("--outstanding", options.outstanding,
                  "most reads without their last data beat (default: 64)")
      .check(check_count)
      .range(1, 1 << 20);
  verb.add_flag("--no-refresh", options.no_refresh, "as dram.refresh=off");
  verb.add_option("--command-trace", options.command_trace, "write each command: clk CMD group bank row");
  add_override(verb, options.overrides, "--set", "override one value of the platform: dram.timing.cl=14");
  add_override(verb, options.overrides, "--policy", "replace a policy: dram_scheduler=fcfs");
  add_json_flag(verb, options.json, "the result as one JSON object and nothing else");
  verb.footer("Example:\n  heddle dram requests.txt --platform gtx480 --no-refresh --json");
}

const VerbRegistration kDram("dram", 40, "Drive one memory channel with a trace of requests", declare_dram,
                             drive_channel);

}  // namespace

}  // namespace heddle
