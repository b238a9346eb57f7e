#include "policies/sm_partitioner/warped_slicer.h"

#include <algorithm>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

constexpr const char* kSample = "sample";
constexpr const char* kWarmUp = "warm_up";
constexpr const char* kProfile = "profile";
constexpr const char* kDelay = "delay";
constexpr const char* kLoss = "loss";
constexpr const char* kPrintedLoss = "printed_loss";
constexpr const char* kChange = "change";
constexpr const char* kScaling = "scaling";
constexpr const char* kMpki = "mpki";
constexpr const char* kRemember = "remember";
constexpr const char* kFavour = "favour";
constexpr const char* kWarmEach = "warm_each";

std::uint64_t cycles(double parameter) {
  return static_cast<std::uint64_t>(parameter);
}

}  // namespace

WarpedSlicer::WarpedSlicer(const PolicyParameters& parameters, std::unique_ptr<WaterFillingUnit> unit)
    : period_(cycles(parameters[kSample])),
      warm_up_(cycles(parameters[kWarmUp])),
      profile_(cycles(parameters[kProfile])),
      delay_(cycles(parameters[kDelay])),
      loss_(parameters[kLoss]),
      printed_loss_(parameters[kPrintedLoss] != 0),
      change_(parameters[kChange]),
      scaling_{static_cast<BandwidthReading>(parameters[kScaling]), parameters[kMpki]},
      favour_(static_cast<Favour>(parameters[kFavour])),
      warm_each_(parameters[kWarmEach] != 0),
      places_(parameters[Sharers::kReserve] != 0, parameters[kRemember] != 0),
      unit_(std::move(unit)) {}

void WarpedSlicer::reset() {
  places_.reset();
  curves_.reset();
  sampler_ = {};
  state_ = {};
  unit_->reset();
}

void WarpedSlicer::partition(const MachineView& machine, Partition& partition) {
  const Cycle until = machine.sms.front().sample.until;
  sampled_ = until != state_.now;
  state_.now = until;
  forget_closed(machine);
  update_sharers(machine);
  if (sampled_) advance(machine);
  free_.assign(partition.sms(), false);
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) free_[sm] = lay_out(machine, sm, partition.slices(sm));
  give_to_others(machine, partition);
}

// ---- sharers

// Drops the curves of contexts that have closed. A context that opens again belongs to another program.
void WarpedSlicer::forget_closed(const MachineView& machine) {
  state_.open.resize(machine.contexts.size());
  for (std::uint32_t i = 0; i < state_.open.size(); ++i) {
    if (state_.open[i] && !machine.contexts[i].open) curves_.forget(ContextId{i});
    state_.open[i] = machine.contexts[i].open;
  }
}

void WarpedSlicer::update_sharers(const MachineView& machine) {
  const SlicerPlaces::Changes changes = places_.update(machine, curves_);
  if (!changes.any) return;
  if (places_.size() < 2) return run_alone();
  const bool all_known = places_.all_known(curves_);
  // A profile that samples a kernel goes on with the kernel that replaces it. Outside of a profile the
  // partition stays if the code of the new kernel is the same and all curves are known.
  if (!changes.moved &&
      (profiling() ? places_.profile_has_unknown(curves_) : !changes.other_code && all_known))
    return;
  if (all_known)
    decide(machine);
  else
    begin_profile(machine, favour_ == Favour::kLaunches && places_.any_known(curves_));
}

// ---- stages

void WarpedSlicer::enter(Stage stage) {
  state_.stage = stage;
  state_.since = sampled_ ? state_.now : Cycle::never();
}

void WarpedSlicer::advance(const MachineView& machine) {
  if (state_.since == Cycle::never()) state_.since = state_.now;
  if (profiling()) {
    if (state_.began == Cycle::never()) state_.began = state_.now;
    sample(machine);
  }
  switch (state_.stage) {
    case Stage::kWarmUp:
      if (!established(machine, state_.turn == 0 ? state_.began : state_.since, warms_up() ? warm_up_ : 0))
        return;
      sampler_.begin(machine.sms.size());
      return enter(Stage::kSampling);
    case Stage::kSampling:
      if (state_.now - state_.since >= profile_) end_phase(machine);
      return;
    case Stage::kDelay:
      if (state_.now - state_.since >= delay_) take_effect(machine);
      return;
    case Stage::kRunning:
      return watch(machine);
  }
}

// ---- profile

// Starts a profile of all kernels or, if it `favours`, of those whose curve is not known.
void WarpedSlicer::begin_profile(const MachineView& machine, bool favours) {
  if (!profiling()) state_.began = Cycle::never();
  enter(Stage::kWarmUp);
  state_.layout = Layout::kProfile;
  state_.favours = favours;
  state_.turn = state_.phase = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    SlicerPlace& place = places_.list()[i];
    place.sampled = false;
    place.profiled = !favours || (places_.present(i) && !curves_.knows(place.key));
  }
  places_.divide(machine.sms.size());
  curves_.begin();
  sampler_.begin(machine.sms.size());
  log(PartitionDecision::Kind::kProfile, 0);
}

// Adds the latest window of each SM of this turn to the phase.
void WarpedSlicer::sample(const MachineView& machine) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    SlicerPlace& place = places_.list()[i];
    if (!places_.present(i) || !place.profiled || place.turn != state_.turn) continue;
    place.sampled = place.sampled || state_.stage == Stage::kSampling;
    for (std::size_t sm = place.group.first; place.group.has(sm); ++sm)
      sampler_.add_window(sm, place.key, places_.kernel(i).kernel, machine.sms[sm].sample);
  }
}

// Whether the layout is in force for `least` cycles, or twice the length of a warm-up has passed since
// `first_start`.
bool WarpedSlicer::established(const MachineView& machine, Cycle first_start, std::uint64_t least) const {
  if (state_.now - first_start >= 2 * warm_up_) return true;
  return state_.now - state_.since >= least && in_force(machine);
}

void WarpedSlicer::end_phase(const MachineView& machine) {
  sampler_.finish(curves_, scaling_);
  sampler_.begin(machine.sms.size());
  if (++state_.phase < phases()) return enter(Stage::kSampling);
  state_.phase = 0;
  const bool last_turn = std::none_of(places_.list().begin(), places_.list().end(),
                                      [&](const SlicerPlace& place) { return place.turn > state_.turn; });
  if (!last_turn) {
    ++state_.turn;
    return enter(Stage::kWarmUp);
  }
  for (const SlicerPlace& place : places_.list())
    if (place.sampled) curves_.finish(place.key);
  state_.warm = true;
  decide(machine);
}

// Returns the number of sampling phases of this turn.
std::size_t WarpedSlicer::phases() const {
  std::size_t phases = 1;
  for (const SlicerPlace& place : places_.list())
    if (place.profiled && place.turn == state_.turn)
      phases = std::max(phases, profile_phases(place.key.residency, place.group.count));
  return phases;
}

// ---- partition

// The most of its best performance that each of several kernels may lose.
double WarpedSlicer::most_loss(std::size_t kernels) const {
  const double share = 1 / static_cast<double>(kernels);
  return loss_ * (printed_loss_ ? share : 1 - share);
}

void WarpedSlicer::decide(const MachineView& machine) {
  std::vector<SlicerPlace>& places = places_.list();
  sharing_.clear();
  for (std::size_t i = 0; i < places.size(); ++i)
    sharing_.push_back({curves_.curve(places[i].key), places_.kernel(i).block});
  const std::vector<std::uint32_t> blocks = unit_->fill(sharing_, machine.limits, machine.now);
  double loss = blocks.empty() ? 1 : 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    loss = std::max(loss, 1 - sharing_[i].performance[blocks[i] - 1]);
  state_.next_spatial = blocks.empty() || loss > most_loss(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i].next = state_.next_spatial ? 0 : blocks[i];
  log(state_.next_spatial ? PartitionDecision::Kind::kSpatial : PartitionDecision::Kind::kQuotas, loss);
  enter(Stage::kDelay);
  if (delay_ == 0) take_effect(machine);
}

void WarpedSlicer::take_effect(const MachineView& machine) {
  enter(Stage::kRunning);
  state_.layout = state_.next_spatial ? Layout::kSpatial : Layout::kShared;
  state_.is_established = false;
  for (SlicerPlace& place : places_.list()) place.profiled = true;
  if (state_.next_spatial) places_.divide(machine.sms.size());
  for (SlicerPlace& place : places_.list()) {
    place.quota = place.next;
    place.watch = {};
  }
}

void WarpedSlicer::run_alone() {
  if (!state_.decisions.empty() && state_.decisions.back().kind == PartitionDecision::Kind::kProfile)
    log(PartitionDecision::Kind::kAlone, 0);
  enter(Stage::kRunning);
  state_.layout = Layout::kShared;
  for (SlicerPlace& place : places_.list()) place.quota = Slice::kUnlimited;
}

// Starts a profile if a kernel's IPC has changed since the partition came into force.
void WarpedSlicer::watch(const MachineView& machine) {
  if (change_ == 0 || places_.size() < 2) return;
  const bool whole = places_.co_running();
  if (!state_.is_established) {
    state_.is_established = established(machine, state_.since, warm_up_);
    return;
  }
  if (!whole) return;
  bool changed = false;
  for (SlicerPlace& place : places_.list()) {
    std::uint64_t instructions = 0;
    for (const SmView& sm : machine.sms)
      if (const KernelSample* sample = sm.sample.find(place.seen))
        instructions += sample->counts.warp_instructions;
    const std::uint64_t cycles = machine.sms.front().sample.cycles();
    if (!place.watch.changed(instructions, cycles, change_, profile_)) continue;
    curves_.forget(place.key);
    changed = true;
  }
  if (changed) begin_profile(machine, favour_ != Favour::kNone);
}

bool WarpedSlicer::in_force(const MachineView& machine) const {
  for (const SmView& sm : machine.sms)
    for (const SliceView& slice : sm.slices)
      if (!in_force(machine, slice)) return false;
  return true;
}

// A slice that is held back is in force with any number of blocks. In a profile that favours kernels, a slice
// of theirs also has as many blocks as it should.
bool WarpedSlicer::in_force(const MachineView& machine, const SliceView& slice) const {
  if (slice.slice.quota == kHeldBack) return true;
  if (slice.state != SliceState::kRunning || slice.running > slice.slice.quota) return false;
  return !profiling() || !state_.favours || slice.running == slice.limit() ||
         machine.kernel(slice.slice.kernel).unissued == 0;
}

void WarpedSlicer::log(PartitionDecision::Kind kind, double loss) {
  if (state_.decisions.size() == kMostDecisions) return;
  PartitionDecision decision{state_.now, kind, loss, {}};
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const SlicerPlace& place = places_.list()[i];
    PartitionDecision::Share share{place.key.context, place.key.tag, 0, {}};
    if (is_choice(kind)) {
      share.blocks = place.next;
      share.performance = sharing_[i].performance;
    }
    decision.shares.push_back(std::move(share));
  }
  state_.decisions.push_back(std::move(decision));
}

// ---- slices

bool WarpedSlicer::is_entitled(const SlicerPlace& place, std::size_t sm) const {
  switch (state_.layout) {
    case Layout::kShared:
      return true;
    case Layout::kProfile:
      return place.group.has(sm) && place.turn == state_.turn;
    case Layout::kSpatial:
      return place.group.has(sm);
  }
  return false;
}

// The most blocks of the place on the SM; 0 if no quota has been decided.
std::uint32_t WarpedSlicer::quota(const SlicerPlace& place, std::size_t sm) const {
  if (state_.layout == Layout::kShared) return place.quota;
  if (state_.layout == Layout::kSpatial) return Slice::kUnlimited;
  return profile_blocks(place.key.residency, place.group.count, sm - place.group.first, state_.phase);
}

// Computes the slices of an SM. Returns whether other kernels may have the SM.
bool WarpedSlicer::lay_out(const MachineView& machine, std::size_t sm, std::vector<Slice>& slices) {
  const bool capped = state_.layout != Layout::kProfile;
  bool kept = false;
  slices_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const SlicerPlace& place = places_.list()[i];
    if (!is_entitled(place, sm)) continue;
    const auto standing = std::find_if(slices.begin(), slices.end(), [&](const Slice& slice) {
      return places_.present(i) && slice.kernel == places_.kernel(i).ksr;
    });
    const std::uint32_t most = quota(place, sm);
    if (standing != slices.end())
      slices_.push_back({standing->kernel, most > 0 ? most : standing->quota, capped});
    else if (places_.kernel(i).unissued > 0 && most > 0)
      slices_.push_back({places_.kernel(i).ksr, most, capped});
    else
      kept = kept || places_.is_reserved(machine, i);
  }
  if (slices_.empty() && !kept) return true;
  if (state_.layout == Layout::kProfile && state_.favours) hold_back(slices);
  slices.assign(slices_.begin(), slices_.end());
  return false;
}

// Adds the standing slices of kernels that are not sampled on this SM. They issue no block.
void WarpedSlicer::hold_back(const std::vector<Slice>& standing) {
  for (const Slice& slice : standing) {
    const auto same = [&](const Slice& other) { return other.kernel == slice.kernel; };
    if (std::none_of(slices_.begin(), slices_.end(), same))
      slices_.push_back({slice.kernel, kHeldBack, false});
  }
}

// Gives SMs that the kernels they belong to cannot use to other kernels. Standing slices remain.
void WarpedSlicer::give_to_others(const MachineView& machine, Partition& partition) const {
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    if (!free_[sm] || !partition.slices(sm).empty()) continue;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_.present(i) && wants_sm(machine, partition, places_.kernel(i))) {
        partition.give(sm, places_.kernel(i).ksr);
        break;
      }
  }
}

HEDDLE_POLICY(
    SmPartitioner, WarpedSlicer, "warped-slicer",
    "several kernels on an SM, in the numbers that a profile of each suggests",
    "Warped-Slicer, Sections III to V",
    {{kSample, "cycles", 1000.0, 1, 1e9, "from one sample to the next", true},
     {kWarmUp, "cycles", 20000.0, 0, 1e12, "of a profile before it samples", true},
     {kProfile, "cycles", 5000.0, 1, 1e12, "of a sampling phase, and of a lasting change", true},
     {kDelay, "cycles", 0.0, 0, 1e12, "from a decision to the new partition", true},
     {kLoss, "1", 1.2, 0, 1e6, "times 1 - 1 / K: the most that one of K kernels may lose by sharing SMs"},
     {kPrintedLoss, "1", 0.0, 0, 1, "1: loss times 1 / K, as the paper prints it", true},
     {kChange, "1", 0.5, 0, 1e6, "of a kernel's IPC, relative, that makes a new profile; 0: none"},
     {kScaling, "0 to 2", 2.0, 0, 2,
      "of sampled IPC: 0 none, 1 Equation 4 as printed, 2 the inverse of its ratio", true},
     {kMpki, "line/1000 instruction", 30.0, 0, 1e6,
      "the fewest L2 misses of a kernel whose sampled IPC is scaled; 0: all kernels"},
     {kRemember, "1", 0.0, 0, 1, "1: a kernel's curve serves its later launches too", true},
     {kFavour, "0 to 2", 1.0, 0, 2,
      "a sampled kernel in place of draining: 0 never, 1 where IPC changed, 2 at launches too", true},
     {kWarmEach, "1", 0.0, 0, 1, "1: each profile warms up, 0: only the first", true},
     Sharers::parameter(true)});

}  // namespace heddle
