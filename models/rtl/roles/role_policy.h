#pragma once
// A RolePolicy is a policy of the model behind the signals of a role of rtl_role.cpp. It stands where a block
// in RTL could stand: the caller sets the inputs of the role, asks for a choice, and reads the outputs. A
// test bench asks it beside a block in RTL.
//
//   auto arbiter = RolePolicy::make("crossbar_arbiter", {"round-robin", {}}, 32);
//   arbiter->set(arbiter->role().find("requests"), 0, 0b110);   // inputs 1 and 2
//   arbiter->choose();                                          // 1
//   arbiter->set(arbiter->role().find("taken"), 0, 0b010);      // what the machine has done
//   arbiter->tick();

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_role.h"
#include "policies/registry.h"

namespace heddle {

class RolePolicy {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostThings = 4096;

  // Returns the policy of the decision, which chooses from `things`: the bits of the role's masks. Throws a
  // PolicyError for an unknown decision, policy or parameter, and for a number of things that the decision
  // does not allow.
  static std::unique_ptr<RolePolicy> make(const std::string& decision, const PolicyChoice& choice,
                                          std::uint32_t things);
  // Returns the decisions that make() knows, sorted.
  static std::vector<std::string> decisions();

  virtual ~RolePolicy() = default;
  RolePolicy(const RolePolicy&) = delete;
  RolePolicy& operator=(const RolePolicy&) = delete;

  const RtlRole& role() const { return role_; }
  std::uint32_t things() const { return things_; }
  std::uint64_t ticks() const { return ticks_; }
  // Returns the number of elements of a signal. A mask has words of 64 bits, the lowest first. Numbers have
  // one element for each thing. A flag or a number has one element.
  std::uint32_t elements(std::size_t signal) const;

  // Sets an element of an input, which keeps its value until it is set again. `taken`, `started` and `ended`
  // are zero after each tick. A word of a mask has its bits in `value`. Throws a PolicyError for an output,
  // for an element that the signal does not have, and for a value outside its range.
  void set(std::size_t signal, std::uint32_t element, std::int64_t value);
  // Returns the thing that the policy chooses for the present inputs, or kNone. The policy is not asked if
  // there is nothing to choose from. It is asked at most once in a tick; a second call throws a PolicyError,
  // and so do inputs that contradict each other.
  std::uint32_t choose();
  // Returns an input, or an output of the last choose(). Throws a PolicyError for an element that the signal
  // does not have.
  std::int64_t get(std::size_t signal, std::uint32_t element) const;
  // Ends the tick. The policy learns from `taken` what the machine has done: one bit, or zero for nothing.
  // Throws a PolicyError if that cannot follow the choice.
  void tick();
  void reset();  // The policy and its inputs are as after make().

 protected:
  RolePolicy(const RtlRole& role, std::uint32_t things);

  virtual void pass_events() {}          // Tells the policy of the events of this tick, before its choice.
  virtual bool has_choices() const = 0;  // whether the inputs have something to choose from
  virtual std::uint32_t ask() = 0;       // Asks the policy.
  // The machine has done `taken` in a tick in which the policy has chosen `chosen`. Both may be kNone.
  virtual void follow(std::uint32_t chosen, std::uint32_t taken) = 0;
  virtual void reset_policy() = 0;

  using Words = std::vector<std::uint64_t>;
  std::size_t signal(const char* name) const { return role_.find(name); }
  const Words& input(std::size_t signal) const { return values_[signal]; }          // its elements
  std::uint64_t mask(std::size_t signal) const { return values_[signal].front(); }  // of at most 64 things
  [[noreturn]] void fail(const std::string& why) const;

 private:
  void check_element(std::size_t signal, std::uint32_t element) const;
  void check_value(std::size_t signal, std::uint32_t element, std::int64_t value) const;
  void show(std::uint32_t chosen);
  std::uint32_t taken_thing() const;
  void clear_events();

  const RtlRole& role_;
  const std::uint32_t things_;
  std::vector<Words> values_;  // by signal of the role
  std::uint64_t ticks_ = 0;
  bool asked_ = false;  // in this tick
  std::uint32_t chosen_ = kNone;
};

}  // namespace heddle
