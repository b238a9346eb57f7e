#include "models/rtl/rtl_block.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace heddle {

namespace {

const RtlRole& role_of(const RtlSpec& spec) {
  const RtlRole* role = find_rtl_role(spec.role);
  if (role == nullptr)
    throw RtlError(fmt::format("{}: rtl.{}: unknown role '{}'", spec.place, spec.name, spec.role));
  return *role;
}

std::uint64_t period_of(const RtlSpec& spec, const RtlPeriods& periods, const std::string& domain) {
  const auto found = periods.find(domain);
  if (found == periods.end())
    throw RtlError(fmt::format("{}: rtl.{}: the machine has no clock {}", spec.place, spec.name, domain));
  return found->second;
}

// Returns the spec with the periods of the machine.
RtlSpec with_periods(RtlSpec spec, const RtlPeriods& periods) {
  for (RtlClock& clock : spec.clocks) clock.period_ps = period_of(spec, periods, clock.domain);
  if (spec.dump) spec.dump->period_ps = period_of(spec, periods, role_of(spec).domain);
  return spec;
}

std::string shown(std::uint32_t choice) {
  return choice == RtlChoice::kNone ? "none" : std::to_string(choice);
}

std::uint64_t event_of(std::uint32_t choice) {
  return choice == RtlChoice::kNone ? RtlEvent::kNone : choice;
}

}  // namespace

RtlBlock::RtlBlock(const RtlSpec& spec, const RtlPeriods& periods)
    : spec_(with_periods(spec, periods)),
      role_(role_of(spec)),
      period_ps_(period_of(spec, periods, role_.domain)),
      library_(RtlLibrary::load(spec.source.library)),
      stats_(spec.name) {
  if (role_.is_interface && shadows())
    stats_.add(requests, "requests", "request", "requests of the machine while the block could follow");
  if (role_.is_interface)
    stats_.add(choices, "answers", "request",
               shadows() ? "requests that both have answered, which were compared" : "requests answered");
  else
    stats_.add(choices, "choices", "choice", "choices that the RTL was asked for");
  stats_.add(gated_cycles, "gated_cycles", "cycle",
             "cycles of the instances in which nothing was asked, without a tick");
  if (shadows())
    stats_.add(differences, "differences", role_.is_interface ? "request" : "choice",
               "differences between RTL and model");
}

bool RtlBlock::has_instance(const std::string& path) const {
  return spec_.instances.empty() ||
         std::any_of(spec_.instances.begin(), spec_.instances.end(),
                     [&](const std::string& glob) { return ::fnmatch(glob.c_str(), path.c_str(), 0) == 0; });
}

void RtlBlock::add_instance(RtlPort& port) {
  ++instances_;
  if (spec_.counters.empty()) return;
  Group* group = &stats_;
  const std::string& path = port.path();
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    group = &group->child(path.substr(from, dot - from));
    from = dot + 1;
  }
  port.add_stats(*group);
}

void RtlBlock::reset() {
  divergences_.clear();
}

std::size_t RtlBlock::record(RtlDivergence divergence) {
  if (spec_.stop_on_divergence) throw RtlError(divergence.text());
  divergences_.push_back(std::move(divergence));
  return divergences_.size() - 1;
}

void RtlShadow::reset() {
  seen_ = 0;
  first_.reset();
}

void RtlShadow::note(const RtlEvent& event) {
  events_[seen_++ % kEvents] = event;
  if (port_.dump() != nullptr) port_.dump()->answered(event);
}

bool RtlShadow::compare(Cycle now, const std::string& output, std::uint32_t model, std::uint32_t rtl) {
  note({now, event_of(model), event_of(rtl), RtlEvent::kNone});
  if (model == rtl) return true;
  differ(now, output, first_ ? "" : shown(model), first_ ? "" : shown(rtl));  // the first one is told
  return false;
}

void RtlShadow::differ(Cycle now, const std::string& output, const std::string& model,
                       const std::string& rtl) {
  ++block_.differences;
  if (first_) {
    ++block_.divergence(*first_).followed;
    return;
  }
  RtlDivergence found;
  found.block = "rtl." + block_.spec().name;
  found.instance = port_.path();
  found.domain = block_.role().domain;
  found.cycle = now;
  found.time_ps = block_.time_ps(now);
  found.output = output;
  found.model = model;
  found.rtl = rtl;
  found.inputs = port_.inputs();
  found.published = port_.published();
  found.events = last_events();
  first_ = block_.record(std::move(found));
}

std::vector<RtlEvent> RtlShadow::last_events() const {
  std::vector<RtlEvent> events;
  const std::uint64_t count = std::min<std::uint64_t>(seen_, kEvents);
  for (std::uint64_t i = seen_ - count; i < seen_; ++i) events.push_back(events_[i % kEvents]);
  return events;
}

RtlChoice::RtlChoice(RtlBlock& block, const std::string& path, std::uint32_t things, const std::string& name)
    : block_(block),
      port_(block.spec(), block.library(), block.role(), things, path),
      shadow_(block, port_),
      name_(name),
      number_(block.role().find(name)),
      valid_(block.role().find(name + "_valid")),
      mask_(block.role().find(name + "_mask")),
      taken_(block.role().find("taken")),
      gate_(block, port_) {
  block.add_instance(port_);
}

void RtlChoice::reset() {
  port_.reset();
  shadow_.reset();
  gate_.reset();
}

void RtlGate::begin(Cycle now) {
  const std::uint64_t idle = ticked_ && now > last_ ? now - last_ - 1 : 0;
  if (idle > 0 && !block_.spec().gated) {
    port_.clear_inputs();
    for (std::uint64_t i = 0; i < idle; ++i) {
      port_.at(last_ + 1 + i);
      port_.settle();
      port_.rise();
    }
  } else {
    block_.gated_cycles += idle;
  }
  last_ = now;
  ticked_ = true;
  port_.at(now);
}

void RtlChoice::begin(Cycle now) {
  gate_.begin(now);
  if (port_.has(taken_)) port_.clear(taken_);
  now_ = now;
}

std::uint32_t RtlChoice::ask() {
  port_.settle();
  ++block_.choices;
  if (port_.has(mask_)) return port_.one_hot(mask_).value_or(kNone);
  if (port_.has(valid_) && !port_.flag(valid_)) return kNone;
  return static_cast<std::uint32_t>(port_.number(number_));
}

void RtlChoice::finish(std::uint32_t taken) {
  if (taken != kNone && port_.has(taken_)) port_.set_bit(taken_, taken);
  port_.rise();
}

void RtlChoice::fail(std::uint32_t chosen, const std::string& why) {
  port_.fail(
      fmt::format("{} cycle {}: {} is {}, {}", block_.role().domain, now_.value, name_, shown(chosen), why));
}

}  // namespace heddle
