#pragma once
// An RtlPort is one instance of a block with its pins bound to the signals of its role. A tick sets inputs
// while the clocks are low, calls settle(), reads outputs, and calls rise(). A signal that no pin is
// connected to costs nothing to set.
//
// With a second seed there are two instances with the same inputs. Outputs are compared after each settle():
// one that differs depends on what the RTL does not reset, and is an RtlError.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/rtl/rtl_counters.h"
#include "models/rtl/rtl_dump.h"
#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_role.h"
#include "models/rtl/rtl_spec.h"
#include "models/stats/group.h"

namespace heddle {

// The signals of a role by their place in its table.
using RtlSignalId = std::size_t;

class RtlPort {
 public:
  // `things` is the number of bits of the role's masks. Throws an RtlError for a pin that does not suit the
  // signal or is not there.
  RtlPort(const RtlSpec& spec, const RtlLibrary& library, const RtlRole& role, std::uint32_t things,
          std::string path);

  void reset();  // The block is as after its creation and reset.

  const std::string& path() const { return path_; }  // of the instance in the machine
  std::uint32_t things() const { return things_; }
  bool has(RtlSignalId signal) const { return signal != RtlRole::kNoSignal && bound_[signal].element != 0; }

  void clear(RtlSignalId signal);                                          // a flag, mask or number is 0
  void set(RtlSignalId signal, std::uint64_t value);                       // a flag or number
  void set_mask(RtlSignalId signal, std::uint64_t mask);                   // with at most 64 things
  void set_bit(RtlSignalId signal, std::uint32_t thing);                   // of a mask
  void set(RtlSignalId signal, std::uint32_t thing, std::uint64_t value);  // of numbers
  // A two's complement. A value that does not fit is an RtlError, as it is for the two functions above.
  void set_signed(RtlSignalId signal, std::int64_t value);
  void set_signed(RtlSignalId signal, std::uint32_t thing, std::int64_t value);
  void clear_inputs();  // all inputs of the role are 0

  // The next tick is in this cycle of the role's clock domain; without the call, a cycle after the last one.
  // Clocks of other domains pass their edges since the cycle before.
  void at(Cycle cycle);
  void settle();  // Combinational outputs follow the inputs, with the clocks low.
  void rise();    // The clocks rise, and the block's registers change.

  bool flag(RtlSignalId signal) { return number(signal) != 0; }
  std::uint64_t number(RtlSignalId signal);  // the lowest 64 bits
  // Of data and enables: the bits of the pin, and 1 to 64 of them from bit `low` on. Setting affects all
  // seeds.
  std::uint32_t width(RtlSignalId signal) const {
    return has(signal) ? bound_[signal].signals.front()->bits() : 0;
  }
  std::uint64_t bits(RtlSignalId signal, std::uint32_t low, std::uint32_t count) const {
    return bound_[signal].signals.front()->get(low, count);
  }
  void set_bits(RtlSignalId signal, std::uint32_t low, std::uint32_t count, std::uint64_t value) {
    for (RtlSignal* pin : bound_[signal].signals) pin->set(low, count, value);
  }
  // Returns the place of the bit that is set in a mask, or none if no bit is set. Several bits are an
  // RtlError.
  std::optional<std::uint32_t> one_hot(RtlSignalId signal);

  std::uint64_t ticks() const { return ticks_; }
  RtlDump* dump() { return dump_.get(); }  // null: this instance is not written as a waveform
  // Registers the counters of the spec, which count from the end of the reset on.
  void add_stats(Group& group) { counters_.add_stats(group); }
  // Names and values, in hexadecimal digits, of the inputs of the role or of what is inside the block.
  using Values = std::vector<std::pair<std::string, std::string>>;
  Values inputs();
  Values published();
  RtlInstance& instance() { return *instances_.front(); }

  [[noreturn]] void fail(const std::string& why) const;  // throws an RtlError that names the instance

 private:
  struct Bound {
    std::string pin;
    std::uint32_t element = 0;        // bits of one number, of a mask 1; 0: no pin is connected
    bool planes = false;              // see RtlPin
    std::uint32_t low = 0;            // see RtlPin
    std::vector<RtlSignal*> signals;  // one for each seed
  };

  void bind(const RtlPin& pin);
  void connect();  // finds the pins in the present instances
  void check_width(const Bound& bound, const RtlRoleSignal& signal) const;
  std::uint64_t twos_complement(RtlSignalId signal, std::int64_t value, std::uint32_t bits) const;
  void set_clocks(bool high);
  void pass_other_edges(std::uint64_t after_ps, std::uint64_t before_ps);
  void begin_dump();
  void eval() {
    for (const auto& instance : instances_) instance->eval();
  }
  bool means_something(RtlSignalId output);
  void compare_seeds();

  const RtlSpec& spec_;
  const RtlLibrary& library_;
  const RtlRole& role_;
  const std::uint32_t things_;
  const std::string path_;
  std::vector<std::unique_ptr<RtlInstance>> instances_;
  std::vector<Bound> bound_;  // by signal of the role
  // A pin whose clock is of another domain than the role.
  struct OtherClock {
    RtlSignal* pin;
    std::uint64_t period_ps;
  };
  std::uint64_t period_ps_ = 0;  // of the role's domain
  std::vector<RtlSignal*> clocks_;
  std::vector<OtherClock> other_clocks_;
  RtlCounters counters_;  // those of the spec
  std::uint64_t ticks_ = 0;
  Cycle cycle_{};
  std::unique_ptr<RtlDump> dump_;  // of the first seed
  bool in_reset_ = false;
};

}  // namespace heddle
