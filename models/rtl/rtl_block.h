#pragma once
// An RtlBlock is a block in RTL as a machine uses it: its loaded library, its statistics, and the differences
// between its instances and the model. An RtlShadow compares one instance with the model. An RtlChoice is an
// instance that chooses one of several things in a tick.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/rtl_divergence.h"
#include "models/rtl/rtl_port.h"

namespace heddle {

// Periods of clock domains in picoseconds, by name.
using RtlPeriods = std::map<std::string, std::uint64_t>;

class RtlBlock {
 public:
  // `periods` are those of the machine's clock domains. Throws an RtlError if the library cannot be loaded,
  // or if the spec names no role.
  RtlBlock(const RtlSpec& spec, const RtlPeriods& periods);

  const RtlSpec& spec() const { return spec_; }
  const RtlRole& role() const { return role_; }
  // The most ticks of a unit, or cycles until an answer.
  std::uint64_t latency() const { return spec_.latency == 0 ? kLatency : spec_.latency; }
  const RtlLibrary& library() const { return *library_; }
  bool shadows() const { return spec_.mode == RtlMode::kShadow; }
  bool has_instance(const std::string& path) const;  // whether the spec's `instances` has it

  Group& stats() { return stats_; }
  // Declares the counters of an instance below its path.
  void add_instance(RtlPort& port);
  std::size_t instances() const { return instances_; }
  void reset();  // Forgets every difference. The owner of the statistics resets them.

  // Records the first difference of an instance. Throws an RtlError with its text if the spec says so.
  // Returns its index.
  std::size_t record(RtlDivergence divergence);
  RtlDivergence& divergence(std::size_t index) { return divergences_[index]; }
  const std::vector<RtlDivergence>& divergences() const {
    return divergences_;
  }  // the first of each instance

  std::uint64_t time_ps(Cycle cycle) const { return cycle.value * period_ps_; }

  Counter requests;  // of an interface in shadow mode, with those that the RTL has not answered at the end
  Counter choices;
  Counter differences;
  Counter gated_cycles;

 private:
  static constexpr std::uint64_t kLatency = 100000;  // where the spec states none

  const RtlSpec spec_;
  const RtlRole& role_;
  const std::uint64_t period_ps_;  // of the role's clock domain
  const std::shared_ptr<const RtlLibrary> library_;
  Group stats_;
  std::size_t instances_ = 0;
  std::vector<RtlDivergence> divergences_;
};

// An RtlGate passes the cycles between two ticks of an instance: without a tick, or, if the block is not
// gated, with ticks whose inputs are zero.
class RtlGate {
 public:
  RtlGate(RtlBlock& block, RtlPort& port) : block_(block), port_(port) {}
  void begin(Cycle now);  // a tick begins, in a later cycle than the last one
  void reset() { ticked_ = false; }

 private:
  RtlBlock& block_;
  RtlPort& port_;
  Cycle last_{};
  bool ticked_ = false;
};

class RtlShadow {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  RtlShadow(RtlBlock& block, RtlPort& port) : block_(block), port_(port) {}

  // Returns whether both have chosen the same; kNone is none. The first difference is recorded with the
  // present inputs.
  bool compare(Cycle now, const std::string& output, std::uint32_t model, std::uint32_t rtl);
  // Records an event, and a difference that is told in words.
  void note(const RtlEvent& event);
  void differ(Cycle now, const std::string& output, const std::string& model, const std::string& rtl);
  void reset();

 private:
  static constexpr std::size_t kEvents = 20;

  std::vector<RtlEvent> last_events() const;

  RtlBlock& block_;
  RtlPort& port_;
  std::array<RtlEvent, kEvents> events_{};
  std::uint64_t seen_ = 0;  // events
  std::optional<std::size_t> first_;
};

class RtlChoice {
 public:
  static constexpr std::uint32_t kNone = RtlShadow::kNone;

  // `name` is the signal with the number of the choice; <name>_valid and <name>_mask are its other forms.
  RtlChoice(RtlBlock& block, const std::string& path, std::uint32_t things, const std::string& name);

  RtlBlock& block() { return block_; }
  RtlPort& port() { return port_; }
  const RtlPort& port() const { return port_; }
  RtlSignalId signal(const char* name) const { return block_.role().find(name); }  // of the role's table

  // A tick: begin(), the inputs, ask(), in shadow mode compare(), finish().
  void begin(Cycle now);  // in a later cycle than the last one
  std::uint32_t ask();    // returns what the RTL chooses, or kNone
  // Returns whether both have chosen the same.
  bool compare(std::uint32_t model, std::uint32_t rtl) { return shadow_.compare(now_, name_, model, rtl); }
  void finish(std::uint32_t taken);  // the clock rises; kNone: the machine does nothing
  void reset();

  // Ends the run: the RTL has chosen what cannot be chosen.
  [[noreturn]] void fail(std::uint32_t chosen, const std::string& why);

 private:
  RtlBlock& block_;
  RtlPort port_;
  RtlShadow shadow_;
  const std::string name_;
  const RtlSignalId number_;
  const RtlSignalId valid_;
  const RtlSignalId mask_;
  const RtlSignalId taken_;
  RtlGate gate_;
  Cycle now_{};
};

}  // namespace heddle
