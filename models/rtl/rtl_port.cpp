#include "models/rtl/rtl_port.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

bool fits(std::uint64_t value, std::uint32_t bits) {
  return bits >= 64 || value >> bits == 0;
}

}  // namespace

RtlPort::RtlPort(const RtlSpec& spec, const RtlLibrary& library, const RtlRole& role, std::uint32_t things,
                 std::string path)
    : spec_(spec),
      library_(library),
      role_(role),
      things_(things),
      path_(std::move(path)),
      bound_(role.signals.size()),
      counters_(spec.counters) {
  for (const RtlPin& pin : spec.pins)
    if (!pin.signal.empty()) bind(pin);
  reset();
}

void RtlPort::bind(const RtlPin& pin) {
  const std::size_t signal = role_.find(pin.signal);
  if (signal == RtlRole::kNoSignal)
    fail(fmt::format("pin {}: the role {} has no signal '{}'", pin.pin, role_.name, pin.signal));
  Bound& bound = bound_[signal];
  if (bound.element != 0)
    fail(fmt::format("signal {} is connected to {} and {}", pin.signal, bound.pin, pin.pin));
  bound.pin = pin.pin;
  bound.element = pin.element == 0 ? 1 : pin.element;
  bound.planes = pin.planes;
  bound.low = pin.low;
}

// The pins of the role, clocks first, are what the waveform's view shows.
void RtlPort::begin_dump() {
  if (!spec_.dump || spec_.dump->instance != path_) return;
  std::vector<std::string> pins;
  for (const RtlClock& clock : spec_.clocks) pins.push_back(clock.pin);
  for (const RtlReset& reset : spec_.resets) pins.push_back(reset.pin);
  for (const Bound& bound : bound_) {
    const auto vector = std::find_if(spec_.vectors.begin(), spec_.vectors.end(),
                                     [&](const RtlVector& one) { return one.name == bound.pin; });
    if (vector != spec_.vectors.end())
      for (const RtlVector::Part& part : vector->parts) pins.push_back(part.pin);
    else if (bound.element != 0)
      pins.push_back(bound.pin);
  }
  dump_ = std::make_unique<RtlDump>(*spec_.dump, instance(), std::move(pins));
}

void RtlPort::reset() {
  dump_.reset();
  instances_.clear();
  instances_.push_back(library_.create(spec_.seed, spec_.vectors));
  if (spec_.second_seed) instances_.push_back(library_.create(*spec_.second_seed, spec_.vectors));
  connect();
  begin_dump();
  for (const auto& instance : instances_)
    for (const RtlPin& pin : spec_.pins)
      if (pin.signal.empty()) instance->find(pin.pin)->set(pin.constant);
  clear_inputs();
  in_reset_ = true;
  std::uint64_t last = 0;
  for (const RtlReset& reset : spec_.resets) last = std::max(last, reset.cycles);
  // A reset ends while the clocks are low, in an evaluation of its own.
  for (std::uint64_t tick = 0; tick <= last; ++tick) {
    for (const auto& instance : instances_)
      for (const RtlReset& reset : spec_.resets)
        instance->find(reset.pin)->set((tick < reset.cycles) == reset.active_high ? 1 : 0);
    eval();
    if (tick < last) rise();
  }
  std::uint64_t then = 0;
  for (const RtlReset& reset : spec_.resets) then = std::max(then, reset.then);
  for (std::uint64_t tick = 0; tick < then; ++tick) {
    eval();
    rise();
  }
  in_reset_ = false;
  ticks_ = 0;
  if (const std::string problem = counters_.connect(instance()); !problem.empty()) fail(problem);
}

void RtlPort::connect() {
  clocks_.clear();
  other_clocks_.clear();
  for (Bound& bound : bound_) bound.signals.clear();
  const auto find = [this](RtlInstance& instance, const std::string& pin) -> RtlSignal& {
    RtlSignal* signal = instance.find(pin);
    if (signal == nullptr) fail(fmt::format("the block {} has no pin '{}'", library_.top(), pin));
    return *signal;
  };
  for (const auto& instance : instances_) {
    for (const RtlClock& clock : spec_.clocks) {
      RtlSignal& pin = find(*instance, clock.pin);
      if (clock.domain == role_.domain) {
        clocks_.push_back(&pin);
        period_ps_ = clock.period_ps;
      } else {
        other_clocks_.push_back({&pin, clock.period_ps});
      }
    }
    for (const RtlReset& reset : spec_.resets) find(*instance, reset.pin);
    for (const RtlPin& pin : spec_.pins)
      if (pin.signal.empty() && !fits(pin.constant, find(*instance, pin.pin).bits()))
        fail(fmt::format("pin {}: the constant {} does not fit", pin.pin, pin.constant));
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      if (bound_[i].element == 0) continue;
      bound_[i].signals.push_back(&find(*instance, bound_[i].pin));
      check_width(bound_[i], role_.signals[i]);
    }
  }
}

void RtlPort::check_width(const Bound& bound, const RtlRoleSignal& signal) const {
  const RtlSignal& pin = *bound.signals.back();
  if (pin.direction() != (signal.is_input ? HEDDLE_RTL_INPUT : HEDDLE_RTL_OUTPUT))
    fail(fmt::format("pin {} is no {}, as the signal {} needs", bound.pin,
                     signal.is_input ? "input" : "output", signal.name));
  const std::uint64_t needed = signal.kind == RtlKind::kMask || signal.kind == RtlKind::kNumbers
                                   ? std::uint64_t{things_} * bound.element
                                   : 1;
  if (pin.bits() < needed)
    fail(fmt::format("pin {} has {} bits, and the signal {} needs {}: {} {}", bound.pin, pin.bits(),
                     signal.name, needed, things_, role_.things));
}

void RtlPort::clear(RtlSignalId signal) {
  for (RtlSignal* pin : bound_[signal].signals) pin->clear();
}

void RtlPort::set(RtlSignalId signal, std::uint64_t value) {
  const Bound& bound = bound_[signal];
  if (bound.element == 0) return;
  if (value & ((std::uint64_t{1} << bound.low) - 1))
    fail(fmt::format("the value 'h{:x} of {} has bits below {}, with which pin {} begins", value,
                     role_.signals[signal].name, bound.low, bound.pin));
  value >>= bound.low;
  if (!fits(value, bound.signals.front()->bits()))
    fail(fmt::format("the value {} of {} does not fit the {} bits of pin {}", value,
                     role_.signals[signal].name, bound.signals.front()->bits(), bound.pin));
  for (RtlSignal* pin : bound.signals) {
    if (pin->bits() > 64) pin->clear();
    pin->set(value);
  }
}

void RtlPort::set_mask(RtlSignalId signal, std::uint64_t mask) {
  for (RtlSignal* pin : bound_[signal].signals) pin->set(mask);
}

void RtlPort::set_bit(RtlSignalId signal, std::uint32_t thing) {
  for (RtlSignal* pin : bound_[signal].signals) pin->set(thing, 1, 1);
}

void RtlPort::set(RtlSignalId signal, std::uint32_t thing, std::uint64_t value) {
  const Bound& bound = bound_[signal];
  if (bound.element == 0) return;
  if (!fits(value, bound.element))
    fail(fmt::format("the value {} of {}[{}] does not fit the {} bits of an element of pin {}", value,
                     role_.signals[signal].name, thing, bound.element, bound.pin));
  for (RtlSignal* pin : bound.signals) {
    if (!bound.planes) {
      pin->set(thing * bound.element, bound.element, value);
      continue;
    }
    const std::uint32_t plane = pin->bits() / bound.element;
    for (std::uint32_t i = 0; i < bound.element; ++i) pin->set(i * plane + thing, 1, value >> i & 1);
  }
}

void RtlPort::set_signed(RtlSignalId signal, std::int64_t value) {
  const Bound& bound = bound_[signal];
  if (bound.element != 0) set(signal, twos_complement(signal, value, bound.signals.front()->bits()));
}

void RtlPort::set_signed(RtlSignalId signal, std::uint32_t thing, std::int64_t value) {
  const Bound& bound = bound_[signal];
  if (bound.element != 0) set(signal, thing, twos_complement(signal, value, bound.element));
}

std::uint64_t RtlPort::twos_complement(RtlSignalId signal, std::int64_t value, std::uint32_t bits) const {
  if (bits >= 64) return static_cast<std::uint64_t>(value);
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  if (value < -limit || value >= limit)
    fail(fmt::format("the value {} of {} does not fit {} bits as a two's complement", value,
                     role_.signals[signal].name, bits));
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}

void RtlPort::clear_inputs() {
  for (std::size_t i = 0; i < bound_.size(); ++i)
    if (role_.signals[i].is_input) clear(i);
}

// Other clocks rise with the role's if their edge is at the same time; in the reset all rise together.
void RtlPort::set_clocks(bool high) {
  for (RtlSignal* clock : clocks_) clock->set_flag(high);
  for (const OtherClock& clock : other_clocks_)
    if (!high || in_reset_ || cycle_.value * period_ps_ % clock.period_ps == 0) clock.pin->set_flag(high);
}

void RtlPort::at(Cycle cycle) {
  cycle_ = cycle;
  if (!other_clocks_.empty() && cycle.value > 0)
    pass_other_edges((cycle.value - 1) * period_ps_, cycle.value * period_ps_);
}

// Passes the edges between the two times, both excluded, in the order of time. Inputs stay as they are.
void RtlPort::pass_other_edges(std::uint64_t after_ps, std::uint64_t before_ps) {
  const auto next_edge = [&] {
    std::uint64_t next = before_ps;
    for (const OtherClock& clock : other_clocks_)
      next = std::min(next, (after_ps / clock.period_ps + 1) * clock.period_ps);
    return next;
  };
  for (std::uint64_t time = next_edge(); time < before_ps; time = next_edge()) {
    eval();  // with all clocks low
    for (const OtherClock& clock : other_clocks_) clock.pin->set_flag(time % clock.period_ps == 0);
    eval();
    for (const OtherClock& clock : other_clocks_) clock.pin->set_flag(false);
    after_ps = time;
  }
}

void RtlPort::settle() {
  eval();
  if (dump_) dump_->evaluated(cycle_, false);
  if (instances_.size() > 1) compare_seeds();
}

void RtlPort::rise() {
  if (!in_reset_) counters_.count_pulses();
  set_clocks(true);
  eval();
  if (dump_ && !in_reset_) dump_->evaluated(cycle_, true);
  set_clocks(false);  // The clocks fall in the next evaluation.
  ++ticks_;
  cycle_ = cycle_ + 1;
  if (!in_reset_) counters_.count_values();
}

// Whether the output means something in this tick. Otherwise it may be what the RTL does not reset. Data are
// checked in another way: their bytes are their addresses.
bool RtlPort::means_something(RtlSignalId output) {
  if (role_.signals[output].kind == RtlKind::kData) return false;
  const char* const when = role_.signals[output].when;
  if (when == nullptr) return true;
  const RtlSignalId flag_of = role_.find(when);
  return !has(flag_of) || flag(flag_of);
}

void RtlPort::compare_seeds() {
  if (in_reset_) return;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    if (role_.signals[i].is_input || bound_[i].element == 0 || !means_something(i)) continue;
    const std::string first = bound_[i].signals.front()->hex();
    const std::string second = bound_[i].signals.back()->hex();
    if (first != second)
      fail(fmt::format(
          "output {} is {} with seed {} and {} with seed {}, {} ticks after the reset: it depends on "
          "what is not reset",
          bound_[i].pin, first, spec_.seed, second, *spec_.second_seed, ticks_));
  }
}

std::uint64_t RtlPort::number(RtlSignalId signal) {
  return bound_[signal].signals.front()->get() << bound_[signal].low;
}

std::optional<std::uint32_t> RtlPort::one_hot(RtlSignalId signal) {
  const RtlSignal& pin = *bound_[signal].signals.front();
  std::optional<std::uint32_t> found;
  for (std::uint32_t low = 0; low < pin.bits(); low += 64) {
    const std::uint64_t part = pin.get(low, std::min(pin.bits() - low, 64u));
    if (part == 0) continue;
    if (found || (part & (part - 1)) != 0)
      fail(fmt::format("output {} is {}, which has more than one bit set", bound_[signal].pin, pin.hex()));
    found = low + static_cast<std::uint32_t>(__builtin_ctzll(part));
  }
  return found;
}

RtlPort::Values RtlPort::inputs() {
  Values values;
  for (std::size_t i = 0; i < bound_.size(); ++i)
    if (role_.signals[i].is_input && bound_[i].element != 0)
      values.emplace_back(role_.signals[i].name, bound_[i].signals.front()->hex());
  return values;
}

RtlPort::Values RtlPort::published() {
  Values values;
  for (const RtlSignal& signal : instance().signals())
    if (signal.direction() == HEDDLE_RTL_INTERNAL) values.emplace_back(signal.name(), signal.hex());
  return values;
}

void RtlPort::fail(const std::string& why) const {
  throw RtlError(fmt::format("{}: rtl.{} at {}: {}", spec_.place, spec_.name, path_, why));
}

}  // namespace heddle
