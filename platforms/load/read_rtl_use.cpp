#include <fmt/format.h>

#include <filesystem>

#include "models/rtl/rtl_role.h"
#include "models/stats/waves/wave_format.h"
#include "platforms/load/read_policy.h"
#include "platforms/load/read_rtl.h"

namespace heddle {

namespace {

// Reads the policy of the role's decision beside which the block stands.
void read_model(const config::Section& section, RtlSpec& spec) {
  const RtlRole* role = find_rtl_role(spec.role);
  if (role == nullptr || (!spec.model.name.empty() && !section.has("model"))) return;
  const config::Value value = section.value(
      {"model", "policy of the model that does the same: it decides in shadow mode, and asks a unit"},
      "policy");
  const PolicyChoice choice = read_policy(role->decision, value, 0);
  if (choice.name.empty()) return;
  try {
    PolicyCatalogue::instance().resolve(role->decision, choice);
  } catch (const PolicyError& error) {
    value.problem(error.what());
    return;
  }
  if (!rtl_block_of(choice.name).empty())
    value.problem("the model of a block is no block");
  else if (role->asked_by != nullptr && choice.name != role->asked_by)
    value.problem(
        fmt::format("a unit with the role {} is asked by the policy {}", role->name, role->asked_by));
  else
    spec.model = choice;
}

// Reads what only a block with the role of an interface has. The document of all keys has no role.
void read_interface(const config::Section& section, RtlSpec& spec) {
  RtlInterfaceSpec& interface = spec.interface;
  interface.before = section.cycles(
      {"before", "fixed delay of requests before the pins, such as the platform's request_latency"},
      {0, 1 << 20}, interface.before);
  const std::uint64_t transfer = section.bytes(
      {"transfer", "size and alignment of every transfer; 0B: as wide as the data, over AXI4 the request"},
      interface.transfer_bytes);
  if (transfer > 128 || (transfer & (transfer - 1)) != 0)
    section.value("transfer").problem("must be a power of two of at most 128B, a line");
  else
    interface.transfer_bytes = static_cast<std::uint32_t>(transfer);
  interface.local_addresses =
      section.choice(
          {"addresses", "whether pins have addresses within the slice or channel, or physical ones"},
          {"local", "physical"}, interface.local_addresses ? "local" : "physical") == "local";
  interface.outstanding = static_cast<std::uint32_t>(section.integer(
      {"outstanding", "the most transfers without a response; 0: as many as have numbers, at most 256"},
      {0, 256}, interface.outstanding));
  interface.write_responses = section.boolean(
      {"write_responses", "whether the block answers writes; AXI4 always does"}, interface.write_responses);
  if (const auto check =
          section.optional({"check_data", "whether data that come back are checked to be their addresses"},
                           "boolean", "on for slices, off for channels"))
    interface.check_data = check->boolean();
  interface.gate_after =
      section.cycles({"gate_after", "ticks with nothing outstanding before the block is gated"}, {0, 1 << 20},
                     interface.gate_after);
  interface.memory_latency =
      section.cycles({"memory_latency", "in shadow mode, of the memory behind the block"}, {1, 1 << 20},
                     interface.memory_latency);
  if (spec.resync) section.value("resync").problem("a block that answers requests cannot be followed");
}

// Reads which cycles of which instance are written as a waveform.
void read_dump(const config::Section& section, RtlSpec& spec) {
  const config::Section dump = section.optional_section("dump");
  if (!section.has("dump")) return;
  constexpr std::int64_t kMostCycle = std::int64_t{1} << 50;
  RtlDumpSpec wanted;
  wanted.place = dump.place();
  wanted.instance = dump.text({"instance", "path of the instance that is written as a waveform"});
  const std::string file =
      dump.text({"file", "waveform (.vcd or .fst), which must not exist; beside it FILE.gtkw"});
  if (!file.empty()) {
    const auto format = wave_format(file);
    if (!format) dump.value("file").problem(fmt::format("'{}' must end in .vcd or .fst", file));
    wanted.fst = format == WaveFormat::kFst;
    wanted.file = std::filesystem::absolute(file).lexically_normal();
  }
  wanted.from = dump.cycles({"from", "first cycle of the role's clock domain"}, {0, kMostCycle});
  wanted.to = dump.cycles({"to", "last cycle"}, {0, kMostCycle});
  if (dump.has("to") && wanted.to < wanted.from) dump.value("to").problem("lies before 'from'");
  spec.source.waves = true;
  spec.dump = wanted;
}

}  // namespace

void read_rtl_use(const config::Section& section, RtlSpec& spec) {
  const auto paths = section.list(
      {"instances", "paths of the instances that the block decides for, with *, ? and [0-3]; absent: all"});
  if (!paths.empty()) spec.instances.clear();
  for (const config::Value& path : paths) spec.instances.push_back(path.text());
  const std::string mode = section.choice(
      {"mode", "whether the block decides, or runs beside the model's policy and is compared with it"},
      {"replace", "shadow"}, spec.mode == RtlMode::kShadow ? "shadow" : "replace");
  spec.mode = mode == "shadow" ? RtlMode::kShadow : RtlMode::kReplace;
  const std::string divergence =
      section.choice({"on_divergence", "whether the first difference ends the run"}, {"stop", "go-on"},
                     spec.stop_on_divergence ? "stop" : "go-on");
  spec.stop_on_divergence = divergence == "stop";
  spec.resync = section.boolean(
      {"resync", "whether after a difference the model goes on as if it had chosen what the block has"},
      spec.resync);
  spec.gated =
      section.boolean({"gated", "whether cycles in which nothing is asked pass without a tick"}, spec.gated);
  spec.latency = section.cycles(
      {"latency",
       "the most ticks from the start of a unit to its end, or cycles to an answer; 0cycles: 100000"},
      {0, 1 << 30}, spec.latency);
  spec.seed = static_cast<std::uint64_t>(
      section.integer({"seed", "of what the RTL does not reset"}, {}, static_cast<std::int64_t>(spec.seed)));
  if (const auto second = section.optional(
          {"second_seed",
           "of a twin with the same inputs: an output that differs depends on what is not reset"},
          "integer"))
    spec.second_seed = static_cast<std::uint64_t>(second->integer());
  read_dump(section, spec);
  const RtlRole* role = find_rtl_role(spec.role);
  if (role == nullptr || role->is_interface) read_interface(section, spec);
  if (role == nullptr || !role->is_interface) read_model(section, spec);
}

}  // namespace heddle
