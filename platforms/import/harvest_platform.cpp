#include "platforms/import/harvest_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <tuple>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/sm/spec/cycle_spec.h"
#include "platforms/import/harvest_channels.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/recorded/application_text.h"

namespace heddle::imported {

namespace {

// What a step of pointer_chase takes in the model beside the latencies of the platform, in core cycles and
// beside the addition of the address: found by running it on t4, rtx3080 and k20.
constexpr double kBesideShared = 9;
constexpr double kBesideL1 = 14;
constexpr double kBesideL2 = 19;
constexpr double kBesideDram =
    10;  // command clocks, of which a third of what opening a row takes: so many loads open one

constexpr double kPlateau = 1.25;  // latencies within this ratio are of the same memory
constexpr double kL1Share = 0.6;   // of the latency of L2, below which that of L1 lies
constexpr int kColumn = 36;        // of the comments

// Lines of YAML, each with its source.
class PlatformText {
 public:
  explicit PlatformText(std::string card) : card_(std::move(card)) {}

  void line(const std::string& text) { text_ += text + "\n"; }
  void section(const std::string& name) { text_ += "\n" + name + ":\n"; }
  void key(const std::string& key, const std::string& value, const std::string& source) {
    text_ += fmt::format("{:<{}} # {}\n", key + ": " + value, kColumn, source);
  }
  void measured(const std::string& name, const std::string& value, const std::string& what) {
    key(name, value, fmt::format("measured on {}: {}", card_, what));
  }
  void told(const std::string& name, const std::string& value) {
    key(name, value, fmt::format("as the driver of {} tells", card_));
  }

  const std::string& text() const { return text_; }

 private:
  std::string card_;
  std::string text_;
};

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

std::string cycles(double value, double least) {
  return fmt::format("{}cycles", whole(std::max(value, least)));
}

class HarvestPlatform {
 public:
  HarvestPlatform(const Harvest& harvest, const PlatformOptions& options, const GpuSpec& base)
      : harvest_(harvest),
        card_(harvest.card),
        options_(options),
        base_(base),
        name_(comment_text(harvest.card.name)),
        text_(name_),
        channels_(card_, *base.memory) {
    set_clock();
    set_latencies();
  }

  PlatformImport write() {
    write_head();
    write_clocks();
    write_host();
    write_engine();
    write_sm();
    write_caches();
    write_l2();
    write_dram();
    write_contention();
    write_time_slice();
    return {text_.text(), options_.base, notes_};
  }

 private:
  std::optional<double> found(const std::string& what, const HarvestParameters& parameters) const {
    return harvest_.find(what, parameters);
  }

  void set_clock() {
    const std::optional<double> measured = found("clock", {{"domain", "core"}});
    core_is_measured_ = measured.has_value();
    core_mhz_ = measured.value_or(card_.core_clock_mhz);
    if (core_mhz_ == 0) core_mhz_ = base_.core_hz / 1e6;
  }

  double core_cycles(double ns) const { return ns * core_mhz_ / 1e3; }

  // Finds the latencies of L1 and L2 among those by footprint: L1 is the plateau of small footprints, if it
  // lies well below the latency of a quarter of L2.
  void set_latencies() {
    std::optional<double> least;
    std::uint64_t of_l2 = 0;
    for (const HarvestRow& row : harvest_.rows) {
      if (row.what != "latency" || row.parameter("memory") != "global") continue;
      const std::uint64_t footprint = row.number("footprint");
      least = std::min(least.value_or(row.value), row.value);
      if (static_cast<double>(footprint) > card_.l2_kib * 1024 / 4 || footprint < of_l2) continue;
      of_l2 = footprint;
      l2_ns_ = row.value;
    }
    if (!l2_ns_ || *least > kL1Share * *l2_ns_) return;
    l1_ns_ = least;
    for (const HarvestRow& row : harvest_.rows)
      if (row.what == "latency" && row.parameter("memory") == "global" && row.value < kPlateau * *least)
        l1_bytes_ = std::max(l1_bytes_, row.number("footprint"));
  }

  std::string base_name() const { return options_.base; }

  void write_head() {
    text_.line(fmt::format("# {}, by heddle import harvest: driver {}, CUDA runtime {}, {}.", name_,
                           comment_text(card_.driver), comment_text(card_.runtime),
                           comment_text(card_.date)));
    text_.line("platform: " + yaml_name(options_.name));
    text_.line("description: " +
               yaml_text(fmt::format("{}, {} SMs, measured with scripts/harvest", name_, card_.sms)));
    text_.key("base", yaml_name(base_name()), "what does not stand here, and was not measured");
    text_.line("caution: >-");
    text_.line(
        fmt::format("  its SMs are those of '{}' with the latencies and sizes of another card; "
                    "scripts/harvest_page shows how far they agree",
                    base_name()));
    text_.told("compute_capability", fmt::format("{:.1f}", card_.compute_capability));
    text_.key("device_memory",
              fmt::format("{}MiB", std::min(whole(card_.memory_mib), channels_.bytes() >> 20U)),
              fmt::format("as the driver of {} tells", name_));
  }

  void write_clocks() {
    text_.section("clocks");
    const std::string core = fmt::format("{:.6g}MHz", core_mhz_);
    if (core_is_measured_)
      text_.measured("  core", core, "while all SMs are busy");
    else
      text_.told("  core", core);
    text_.key("  icnt", core, "guess: as the core");
    text_.key("  l2", core, "guess: as the core");
    if (channels_.peak() > 0)
      text_.key("  dram", fmt::format("{:.6g}MHz", channels_.hz() / 1e6),
                fmt::format("{:.4g} GB/s, as the driver of {} tells, over {} channels of {}",
                            channels_.peak() / 1e9, name_, channels_.count(), base_name()));
    else
      notes_.push_back("the driver tells no clock or width of the memory: the DRAM is that of " +
                       base_name());
  }

  void write_host() {
    const std::optional<double> call = found("launch", {{"part", "call"}});
    const std::optional<double> queued = found("launch", {{"part", "queued"}});
    const std::optional<double> trip = found("launch", {{"part", "round_trip"}});
    if (!call) return notes_.push_back("launches were not measured: their times are those of " + base_name());
    text_.section("host");
    text_.measured("  launch_latency", time_text(whole(*call * 1e6)), "the call of a launch");
    if (!queued || !trip) return;
    text_.measured("  return_latency", time_text(whole(std::max(0.0, *trip - *call - *queued) * 1e6)),
                   fmt::format("{:.4g} us there and back, less the call and the kernel", *trip));
  }

  // Of the time of an empty kernel, less what the base has behind its end and before the first issue of a
  // block, two thirds are the launch and one third the set-up of the SMs, as on the bases.
  void write_engine() {
    const std::optional<double> queued = found("launch", {{"part", "queued"}});
    if (!queued) return;
    const auto others =
        static_cast<double>(base_.engine.kernel_end_latency + base_.sm.cycle_sm().block_start);
    const double all = core_cycles(*queued * 1e3) - others;
    const auto least = static_cast<double>(base_.engine.block_issue_latency + 1);
    text_.section("engine");
    const std::string what = fmt::format("{:.4g} us for an empty kernel behind others", *queued);
    text_.measured("  kernel_launch_latency", cycles(2 * all / 3, 1), what + ", two thirds (guess)");
    text_.measured("  sm_setup_latency", cycles(all / 3, least), "the rest of it");
  }

  void write_sm() {
    text_.section("sm");
    text_.told("  count", fmt::format("{}", card_.sms));
    text_.told("  threads", fmt::format("{}", card_.threads_per_sm));
    text_.key("  warps", fmt::format("{}", card_.threads_per_sm / 32), "of 32 threads");
    text_.told("  registers", fmt::format("{}", card_.registers_per_sm));
    text_.told("  shared_memory", fmt::format("{}KiB", card_.shared_kib_per_sm));
    if (card_.blocks_per_sm > 0) text_.told("  block_slots", fmt::format("{}", card_.blocks_per_sm));
  }

  double addition() const { return base_.sm.execution()->operation(Operation::kIntAdd).latency; }

  // A cycle SM of the base has L1 between a load and L2 if global loads look there.
  bool has_l1() const { return l1_ns_.has_value(); }

  double l1_latency() const {
    return std::max(1.0, std::round(core_cycles(*l1_ns_) - kBesideL1 - addition()));
  }

  // Returns whether the base has shared memory and L1 in one memory, of another size than the card's.
  bool has_other_carve_outs() const {
    const std::vector<std::uint32_t>& sizes = base_.sm.limits.carve_outs;
    return !sizes.empty() && sizes.back() != shared_bytes();
  }

  std::uint64_t shared_bytes() const { return whole(card_.shared_kib_per_sm) * 1024; }

  // The largest footprint that hits says little of the memory that L1 has together with shared memory.
  void write_l1_size() {
    if (base_.sm.limits.carve_outs.empty()) {
      const std::uint64_t ways = l1_bytes_ / 512;
      text_.measured("    size", fmt::format("{}B", ways * 512), "the largest footprint whose loads hit");
      text_.key("    ways", fmt::format("{}", ways), "guess: four sets, so that any size is whole sets");
    } else if (has_other_carve_outs()) {
      const std::uint64_t kib = (shared_bytes() / 65536 + 1) * 64;
      text_.key("    size", fmt::format("{}KiB", kib), "guess: with shared memory, a multiple of 64 KiB");
      text_.key("    ways", fmt::format("{}", kib * 2), "guess: four sets");
    }
  }

  void write_caches() {
    if (has_l1()) {
      text_.section("caches");
      text_.line("  l1:");
      write_l1_size();
      text_.measured("    latency", cycles(l1_latency(), 1), fmt::format("{:.4g} ns load to use", *l1_ns_));
      text_.key("    global", "on",
                fmt::format("measured on {}: small footprints are faster than L2", name_));
    } else if (l2_ns_) {
      text_.section("caches");
      text_.key("  l1", "{global: off}",
                fmt::format("measured on {}: small footprints are as slow as L2", name_));
    } else {
      notes_.push_back("the latencies of L1 and L2 were not measured: they are those of " + base_name());
    }
    write_shared_memory();
  }

  // Returns the carve-outs of the base that the card can have, and its whole shared memory as the last one.
  std::string carve_outs() const {
    std::string sizes;
    for (const std::uint32_t bytes : base_.sm.limits.carve_outs)
      if (bytes < shared_bytes()) sizes += fmt::format("{}B, ", bytes);
    return fmt::format("[{}{}B]", sizes, shared_bytes());
  }

  void write_shared_memory() {
    const std::optional<double> shared = found("latency", {{"memory", "shared"}});
    if (!shared) notes_.emplace_back("the latency of shared memory was not measured");
    if (!shared && !has_other_carve_outs()) return;
    text_.section("shared_memory");
    if (has_other_carve_outs())
      text_.key("  carve_outs", carve_outs(), "guess: those of " + base_name() + ", up to the card's");
    if (!shared) return;
    text_.measured("  latency", cycles(core_cycles(*shared) - kBesideShared - addition(), 1),
                   fmt::format("{:.4g} ns load to use", *shared));
  }

  // Core cycles of a load that misses L1, up to the tags of L2 and back, beside L2's own latencies.
  double way_to_l2() const { return kBesideL2 + addition() + (has_l1() ? l1_latency() : 0); }

  // Of the latency behind the way to L2, the share before the tags is that of the base.
  double request_latency() const {
    const L2Spec& l2 = base_.memory->l2;
    const double all = std::max(0.0, core_cycles(*l2_ns_) - way_to_l2());
    const auto request = static_cast<double>(l2.request_latency);
    return std::round(all * request / (request + static_cast<double>(l2.hit_latency)));
  }

  void write_l2() {
    const L2Spec& l2 = base_.memory->l2;
    text_.section("l2");
    const double way =
        static_cast<double>(channels_.count()) * l2.slices_per_channel * l2.sets * L2Spec::kLineBytes;
    const double ways = std::clamp(std::round(card_.l2_kib * 1024 / way), 1.0, 1024.0);
    text_.key("  ways", fmt::format("{}", ways),
              fmt::format("{} KiB in all, as the driver of {} tells: {:.0f}", card_.l2_kib, name_,
                          ways * way / 1024));
    if (!l2_ns_) return;
    const double all = core_cycles(*l2_ns_) - way_to_l2();
    text_.measured("  request_latency", cycles(request_latency(), 0),
                   fmt::format("{:.4g} ns load to use; the share before the tags is a guess", *l2_ns_));
    text_.measured("  hit_latency", cycles(all - request_latency(), 0), "the rest of it");
  }

  void write_dram() {
    const DramMapSpec& map = base_.memory->dram.map;
    text_.section("dram");
    if (channels_.peak() > 0)
      text_.key("  channels", fmt::format("{}", channels_.count()),
                "guess: channels of " + base_name() + ", whose timing they have");
    if (channels_.needs_hash()) text_.key("  channel_hash", channels_.hash(), "guess");
    text_.key("  map", channels_.map(), "guess: as " + base_name() + ", with rows for the memory");
    for (const HarvestRow& row : harvest_.rows) {
      if (row.what != "latency" || row.parameter("memory") != "dram" || !l2_ns_) continue;
      const DramTiming& timing = base_.memory->dram.timing;
      // Half of the lines have their home in the half of L2 that is far from the SM.
      const double far = static_cast<double>(base_.memory->l2.far_latency) / 2;
      const double before = (way_to_l2() + request_latency() + far) / core_mhz_ * 1e3;
      const double clocks = (row.value - before) * channels_.hz() / 1e9;
      // Where channels are hashed, each load opens a row.
      const double rows =
          map.channel_hash.empty()
              ? 0
              : 2.0 / 3 * timing.distance(DramCommand::kActivate, DramCommand::kRead, TimingScope::kBank);
      const double own = timing.latency(false) + timing.burst() + kBesideDram + rows;
      text_.measured("  latency", cycles(clocks - own, 0), fmt::format("{:.4g} ns load to use", row.value));
      return;
    }
    notes_.push_back("the latency of DRAM was not measured: it is that of " + base_name());
  }

  // What kernels of streams reach, for timed SMs.
  void write_contention() {
    const auto reached = [this](const std::string& memory) {
      double most = 0;
      for (const HarvestRow& row : harvest_.rows)
        if (row.what == "bandwidth" && row.parameter("memory") == memory) most = std::max(most, row.value);
      return most;
    };
    if (reached("dram") == 0 || reached("l2") == 0) return;
    text_.section("contention");
    text_.measured("  dram", fmt::format("{:.6g}GB/s", reached("dram")), "all SMs read");
    text_.measured("  l2", fmt::format("{:.6g}GB/s", reached("l2")), "all SMs read");
  }

  void write_time_slice() {
    const std::optional<double> run = found("time_slice", {{"part", "run"}});
    const std::optional<double> gap = found("time_slice", {{"part", "gap"}});
    if (!run || !gap) {
      notes_.emplace_back("no time slices of two processes were measured");
      return;
    }
    text_.line("");
    text_.line(fmt::format(
        "# measured on {}: of two processes, one has the GPU for {:.4g} us and not for {:.4g} us.", name_,
        *run, *gap));
    text_.line(
        fmt::format("# In an experiment: policies: {{sm_partitioner: {{name: time-slice, quantum: {}, "
                    "switch_cost: {}}}}}",
                    time_text(whole(*run * 1e6)), time_text(whole(std::max(0.0, (*gap - *run) / 2) * 1e6))));
  }

  const Harvest& harvest_;
  const HarvestCard& card_;
  const PlatformOptions& options_;
  const GpuSpec& base_;
  std::string name_;
  PlatformText text_;
  HarvestChannels channels_;
  std::vector<std::string> notes_;
  bool core_is_measured_ = false;
  double core_mhz_ = 0;
  std::optional<double> l1_ns_;
  std::optional<double> l2_ns_;
  std::uint64_t l1_bytes_ = 0;
};

}  // namespace

std::string default_base(const HarvestCard& card) {
  using Distance = std::tuple<int, double, double>;  // the less, the nearer
  std::string best;
  Distance least;
  for (const std::string& name : known_data("platforms")) {
    const GpuSpec spec = load_platform(name);
    if (!spec.sm.executes() || !spec.memory || spec.compute_capability > 10 * card.compute_capability + 0.5)
      continue;
    const double memory_mib = std::ldexp(static_cast<double>(spec.device_bytes), -20);
    const Distance distance{-static_cast<int>(spec.compute_capability), std::abs(spec.sm.count - card.sms),
                            std::abs(memory_mib - card.memory_mib)};
    if (!best.empty() && least <= distance) continue;
    least = distance;
    best = name;
  }
  if (best.empty())
    throw config::Error({fmt::format("no platform has a compute capability of at most {}; --base names one",
                                     card.compute_capability)});
  return best;
}

PlatformImport import_platform(const Harvest& harvest, const PlatformOptions& options) {
  PlatformOptions chosen = options;
  if (chosen.base.empty()) chosen.base = default_base(harvest.card);
  const GpuSpec base = load_platform(chosen.base);
  if (!base.sm.executes() || !base.memory)
    throw config::Error({fmt::format("the platform '{}' has no cycle SMs, which a base needs", chosen.base)});
  if (is_file_name(chosen.base)) chosen.base = std::filesystem::absolute(chosen.base).string();
  return HarvestPlatform(harvest, chosen, base).write();
}

void check_platform_file(const std::string& path) {
  try {
    load_platform(std::filesystem::absolute(path).string());
  } catch (const config::Error& error) {
    throw config::Error(
        {fmt::format("no platform can be made of these measurements. The platform reader says: {}",
                     error.problems().front())});
  }
}

}  // namespace heddle::imported
