#include "models/rtl/rtl_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/rtl/rtl_role.h"

namespace heddle {

namespace {

class PinCheck {
 public:
  PinCheck(const RtlSpec& spec, RtlInstance& instance) : spec_(spec), instance_(instance) {
    for (const RtlSignal& signal : instance.signals())
      if (signal.direction() != HEDDLE_RTL_INTERNAL) names_.emplace_back(signal.name());
  }

  std::vector<std::string> problems() {
    add_vectors();
    for (const RtlClock& clock : spec_.clocks) check_one_bit(clock.place, "clock", clock.pin);
    for (const RtlReset& reset : spec_.resets) check_one_bit(reset.place, "reset", reset.pin);
    for (const RtlPin& pin : spec_.pins) check(pin);
    for (const RtlCounter& counter : spec_.counters) check(counter);
    check_signals();
    check_taken();
    check_inputs();
    return std::move(problems_);
  }

 private:
  template <class... Values>
  void problem(const std::string& place, const char* format, const Values&... values) {
    problems_.push_back(fmt::format("{}: {}", place, fmt::format(fmt::runtime(format), values...)));
  }

  void add_vectors() {
    for (const RtlVector& vector : spec_.vectors) try {
        instance_.add(vector);
        names_.push_back(vector.name);
        for (const RtlVector::Part& part : vector.parts) claim(vector, part);
      } catch (const RtlError& error) {
        problem(vector.place, "{}", error.what());
      }
  }

  // Each bit of an input is in one vector.
  void claim(const RtlVector& vector, const RtlVector::Part& part) {
    const RtlSignal& pin = *instance_.find(part.pin);
    std::vector<const RtlVector*>& owners = owners_[part.pin];
    owners.resize(pin.bits());
    if (pin.direction() != HEDDLE_RTL_INPUT) return;
    bool is_told = false;
    for (std::uint32_t bit = part.low; bit <= part.high.value_or(pin.bits() - 1); ++bit) {
      if (owners[bit] != nullptr && !is_told)
        problem(vector.place, "bit {} of pin '{}' has two drivers: the vectors '{}' and '{}'", bit, part.pin,
                owners[bit]->name, vector.name);
      is_told = is_told || owners[bit] != nullptr;
      owners[bit] = &vector;
    }
  }

  // Returns the pin, or null after a problem.
  RtlSignal* find_pin(const std::string& place, const std::string& name) {
    RtlSignal* const signal = instance_.find(name);
    if (signal != nullptr && owners_.count(name) != 0 && signal->direction() == HEDDLE_RTL_INPUT)
      problem(place, "pin '{}' has two drivers: a vector has it already", name);
    if (signal != nullptr && signal->direction() != HEDDLE_RTL_INTERNAL) return signal;
    problem(place, "the block has no pin '{}'{}", name, config::suggestion(name, names_));
    return nullptr;
  }

  void check_one_bit(const std::string& place, const char* what, const std::string& name) {
    const RtlSignal* const signal = find_pin(place, name);
    if (signal == nullptr) return;
    if (signal->direction() != HEDDLE_RTL_INPUT)
      problem(place, "pin '{}' is an output and cannot be a {}", name, what);
    else if (signal->bits() != 1)
      problem(place, "{} '{}' has {} bits and needs one", what, name, signal->bits());
  }

  void check(const RtlPin& pin) {
    const RtlSignal* const signal = find_pin(pin.place, pin.pin);
    if (signal == nullptr) return;
    if (pin.signal.empty()) {
      if (signal->direction() != HEDDLE_RTL_INPUT)
        problem(pin.place, "pin '{}' is an output and cannot be tied", pin.pin);
      else if (signal->bits() < 64 && pin.constant >> signal->bits() != 0)
        problem(pin.place, "{} does not fit the {} bits of pin '{}'", pin.constant, signal->bits(), pin.pin);
      return;
    }
    if (const RtlRoleSignal* own = of_role(pin);
        own != nullptr && own->is_input != (signal->direction() == HEDDLE_RTL_INPUT))
      problem(pin.place, "pin '{}' is an {} of the block, and the signal {} needs an {}", pin.pin,
              signal->direction() == HEDDLE_RTL_INPUT ? "input" : "output", pin.signal,
              own->is_input ? "input" : "output");
    if (pin.element != 0 && signal->bits() % pin.element != 0) {
      problem(pin.place, "pin '{}' has {} bits, which are no whole number of elements of {} bits", pin.pin,
              signal->bits(), pin.element);
    }
  }

  void check(const RtlCounter& counter) {
    const RtlSignal* const signal = instance_.find(counter.signal);
    if (signal == nullptr) {
      std::vector<std::string> known;
      for (const RtlSignal& other : instance_.signals()) known.emplace_back(other.name());
      problem(counter.place, "counter '{}': the library has no signal '{}'{}", counter.name, counter.signal,
              config::suggestion(counter.signal, known));
    } else if (counter.high && *counter.high >= signal->bits()) {
      problem(counter.place, "counter '{}': '{}' has bits {}:0 and no bit {}", counter.name, counter.signal,
              signal->bits() - 1, *counter.high);
    } else if (!counter.high && !counter.pulse && signal->bits() > 64) {
      problem(counter.place, "counter '{}': '{}' has {} bits; a counter reads at most 64, which 'bits' names",
              counter.name, counter.signal, signal->bits());
    }
  }

  // Returns the signal of the role that the pin is connected to, or null.
  const RtlRoleSignal* of_role(const RtlPin& pin) const {
    const std::size_t signal = role_ == nullptr ? RtlRole::kNoSignal : role_->find(pin.signal);
    return signal == RtlRole::kNoSignal ? nullptr : &role_->signals[signal];
  }

  void check_signals() {
    std::map<std::string, std::string> pins;  // by signal of the role
    for (const RtlPin& pin : spec_.pins) {
      const RtlSignal* const signal = instance_.find(pin.pin);
      if (signal == nullptr || pin.signal.empty()) continue;
      const auto [other, is_new] = pins.emplace(pin.signal, pin.pin);
      if (!is_new)
        problem(pin.place,
                signal->direction() == HEDDLE_RTL_OUTPUT
                    ? "signal '{}' has two drivers: pin '{}' and pin '{}'"
                    : "signal '{}' has two pins: '{}' and '{}'",
                pin.signal, other->second, pin.pin);
    }
  }

  // The machine may take any of the things that the block chooses from.
  void check_taken() {
    const RtlPin* taken = nullptr;
    const RtlPin* widest = nullptr;
    for (const RtlPin& pin : spec_.pins) {
      const RtlRoleSignal* const own = of_role(pin);
      if (own == nullptr || own->kind != RtlKind::kMask || !own->is_input ||
          instance_.find(pin.pin) == nullptr)
        continue;
      if (pin.signal == "taken")
        taken = &pin;
      else if (widest == nullptr || bits_of(pin) > bits_of(*widest))
        widest = &pin;
    }
    if (taken == nullptr || widest == nullptr || bits_of(*taken) >= bits_of(*widest)) return;
    problem(taken->place,
            "pin '{}' has {} bits, and the signal taken needs {}: a bit for each one of pin '{}'", taken->pin,
            bits_of(*taken), bits_of(*widest), widest->pin);
  }

  std::uint32_t bits_of(const RtlPin& pin) const { return instance_.find(pin.pin)->bits(); }

  void check_inputs() {
    std::map<std::string, bool> used;
    for (const RtlClock& clock : spec_.clocks) used[clock.pin] = true;
    for (const RtlReset& reset : spec_.resets) used[reset.pin] = true;
    for (const RtlPin& pin : spec_.pins) used[pin.pin] = true;
    for (const auto& [pin, owners] : owners_) {
      used[pin] = true;
      const auto gap = std::find(owners.begin(), owners.end(), nullptr);
      if (gap != owners.end() && instance_.find(pin)->direction() == HEDDLE_RTL_INPUT)
        problem(spec_.place, "bit {} of input '{}' is in no vector", gap - owners.begin(), pin);
    }
    for (const RtlSignal& signal : instance_.signals())
      if (signal.direction() == HEDDLE_RTL_INPUT && used.count(signal.name()) == 0)
        problem(spec_.place, "input '{}' of {} bits is neither connected nor tied", signal.name(),
                signal.bits());
  }

  const RtlSpec& spec_;
  const RtlRole* const role_ = find_rtl_role(spec_.role);  // null for an unknown one
  RtlInstance& instance_;
  std::vector<std::string> names_;                               // of pins and vectors
  std::map<std::string, std::vector<const RtlVector*>> owners_;  // of the bits of pins that vectors have
  std::vector<std::string> problems_;
};

std::string use_of(const RtlPin& pin) {
  if (pin.signal.empty()) return fmt::format("tied to {}", pin.constant);
  if (pin.element == 0) return fmt::format("signal {}", pin.signal);
  return fmt::format("signal {}, {} bits each", pin.signal, pin.element);
}

std::string use_of(const RtlVector& vector, const RtlVector::Part& part) {
  if (!part.high) return fmt::format("vector {}", vector.name);
  return fmt::format("[{}:{}] vector {}", *part.high, part.low, vector.name);
}

std::string use_of(const RtlCounter& counter) {
  std::string bits;
  if (counter.high) bits = fmt::format(" [{}:{}]", *counter.high, counter.low);
  return fmt::format("counter {}{}{}", counter.name, bits, counter.pulse ? ", pulse" : "");
}

}  // namespace

void check_pins(const RtlSpec& spec, const RtlLibrary& library) {
  const std::unique_ptr<RtlInstance> instance = library.create(spec.seed);
  std::vector<std::string> problems = PinCheck(spec, *instance).problems();
  if (!problems.empty()) throw config::Error(std::move(problems));
}

std::optional<RtlMost> most_things(const RtlSpec& spec, const RtlLibrary& library) {
  const RtlRole* const role = find_rtl_role(spec.role);
  if (role == nullptr || role->things[0] == '\0') return std::nullopt;
  const std::unique_ptr<RtlInstance> instance = library.create(spec.seed, spec.vectors);
  std::optional<RtlMost> most;
  for (const RtlPin& pin : spec.pins) {
    const std::size_t signal = role->find(pin.signal);
    const RtlSignal* const own = instance->find(pin.pin);
    if (signal == RtlRole::kNoSignal || own == nullptr) continue;
    const RtlKind kind = role->signals[signal].kind;
    if (kind != RtlKind::kMask && kind != RtlKind::kNumbers) continue;
    const std::uint32_t things = own->bits() / std::max(pin.element, 1u);
    if (!most || things < most->things) most = RtlMost{things, pin.pin};
  }
  return most;
}

std::vector<RtlUse> signal_uses(const RtlSpec& spec, const RtlLibrary& library) {
  std::map<std::string, std::string> uses;
  const auto add = [&](const std::string& signal, const std::string& use) {
    std::string& text = uses[signal];
    text += (text.empty() ? "" : "; ") + use;
  };
  for (const RtlClock& clock : spec.clocks) add(clock.pin, fmt::format("clock of {}", clock.domain));
  for (const RtlReset& reset : spec.resets)
    add(reset.pin, fmt::format("reset, active {}", reset.active_high ? "high" : "low"));
  for (const RtlVector& vector : spec.vectors)
    for (const RtlVector::Part& part : vector.parts) add(part.pin, use_of(vector, part));
  for (const RtlPin& pin : spec.pins) add(pin.pin, use_of(pin));
  for (const RtlCounter& counter : spec.counters) add(counter.signal, use_of(counter));
  std::vector<RtlUse> table;
  const std::unique_ptr<RtlInstance> instance = library.create(spec.seed, spec.vectors);
  for (const RtlSignal& signal : instance->signals())
    table.push_back({signal.name(), signal.direction(), signal.bits(), uses[signal.name()]});
  return table;
}

}  // namespace heddle
