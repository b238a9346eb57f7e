#pragma once
// Every policy registers itself by name under its decision; a platform or experiment names it.
//
//   class Fcfs final : public DmaArbiter { ... explicit Fcfs(const PolicyParameters&) ... };
//   HEDDLE_POLICY(DmaArbiter, Fcfs, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A",
//   {});
//
// An interface derives from Policy and states its decision: `static constexpr const char* kDecision =
// "dma_arbiter";`. What a decision or a policy demands of the GPU is stated in the class as well: see Policy.
// Unknown names and parameters are PolicyErrors that list the known ones; a name taken twice stops the
// program as it loads.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "policies/gpu_description.h"

namespace heddle {

class PolicyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a parameter is set to: a number, or lists of whole numbers. An entry of kAll is no limit; no list at
// all is no limit anywhere. In YAML both are written `all`, and a list of one list as that list.
using IntegerLists = std::vector<std::vector<std::int64_t>>;

class PolicyValue {
 public:
  static constexpr std::int64_t kAll = -1;

  PolicyValue(double number = 0) : number_(number) {}
  PolicyValue(IntegerLists lists) : is_lists_(true), lists_(std::move(lists)) {}

  bool is_lists() const { return is_lists_; }
  double number() const { return number_; }
  const IntegerLists& lists() const { return lists_; }
  std::string text() const;  // as YAML has it, on one line

  friend bool operator==(const PolicyValue& a, const PolicyValue& b) {
    return a.is_lists_ == b.is_lists_ && a.number_ == b.number_ && a.lists_ == b.lists_;
  }
  friend bool operator!=(const PolicyValue& a, const PolicyValue& b) { return !(a == b); }

 private:
  bool is_lists_ = false;
  double number_ = 0;
  IntegerLists lists_;
};

struct PolicyParameter {
  std::string name;
  std::string unit;
  PolicyValue fallback;  // and whether it is a number or lists
  double least = 0;      // of the number, or of each entry of the lists
  double most = 0;
  std::string doc;
  bool whole = false;  // a count: fractions are refused
};

class PolicyParameters;

struct PolicyInfo {
  std::string decision;
  std::string name;
  std::string doc;     // one line
  std::string source;  // paper, section, algorithm
  std::vector<PolicyParameter> parameters;
  // Policy::misfit() of its class; null: the policy suits every GPU.
  std::string (*misfit)(const GpuDescription&, const PolicyParameters&) = nullptr;
};

// What an interface states about its decision; see Policy.
struct DecisionInfo {
  bool (*is_asked)(const GpuDescription&) = nullptr;  // null: every GPU asks for the decision
  const char* needs = nullptr;
};

// A policy chosen by name, with the parameters given; those not given take their default.
struct PolicyChoice {
  std::string name;
  std::map<std::string, PolicyValue> parameters;

  friend bool operator==(const PolicyChoice& a, const PolicyChoice& b) {
    return a.name == b.name && a.parameters == b.parameters;
  }
  friend bool operator!=(const PolicyChoice& a, const PolicyChoice& b) { return !(a == b); }
};

// Parameter values by name, complete and within range.
class PolicyParameters {
 public:
  explicit PolicyParameters(std::map<std::string, PolicyValue> values) : values_(std::move(values)) {}
  // Both throw PolicyError for one that is not declared, or of the other type.
  double operator[](const std::string& name) const { return value(name, false).number(); }
  const IntegerLists& lists(const std::string& name) const { return value(name, true).lists(); }

 private:
  const PolicyValue& value(const std::string& name, bool lists) const;
  std::map<std::string, PolicyValue> values_;
};

// The base of every decision's interface, and so of every policy. The static members say which GPUs a
// decision or a policy suits; a class that says otherwise declares a static member of the same name and type.
class Policy {
 public:
  virtual ~Policy() = default;

  // For an interface: whether this GPU asks for the decision, so that its platform must choose a policy.
  static bool is_asked(const GpuDescription&) { return true; }
  // For an interface: what a GPU that does not ask for the decision lacks, if naming a policy there is an
  // error. Null: a policy may be named and is not used.
  static constexpr const char* kNeeds = nullptr;

  // For a policy: why it cannot run on this GPU with these parameters, as one message that names the policy;
  // empty if it can. The parameters are complete and within their ranges.
  static std::string misfit(const GpuDescription&, const PolicyParameters&) { return ""; }
};

class PolicyCatalogue {
 public:
  static PolicyCatalogue& instance();  // filled while libraries load, read only afterwards

  void add(PolicyInfo info, DecisionInfo decision = {});
  std::vector<std::string> decisions() const;                         // sorted
  std::vector<std::string> names(const std::string& decision) const;  // sorted
  const PolicyInfo& info(const std::string& decision, const std::string& name) const;
  // Null for a decision, policy or parameter that is unknown.
  const PolicyParameter* find(const std::string& decision, const std::string& name,
                              const std::string& parameter) const;
  // Throws PolicyError for an unknown decision, name or parameter, or a value out of range or of another
  // type.
  PolicyParameters resolve(const std::string& decision, const PolicyChoice& choice) const;

  // Whether this GPU asks for the decision, which is a known one.
  bool is_asked(const std::string& decision, const GpuDescription& gpu) const;
  // Why the policy cannot run on this GPU; empty if it can. Throws as resolve() does.
  std::string misfit(const std::string& decision, const PolicyChoice& choice,
                     const GpuDescription& gpu) const;

 private:
  struct Decision {
    DecisionInfo info;
    std::map<std::string, PolicyInfo> policies;
  };
  std::map<std::string, Decision> known_;
};

template <class Interface>
class PolicyRegistry {
 public:
  using Make = std::unique_ptr<Interface> (*)(const PolicyParameters&);

  template <class Class>
  static bool add(PolicyInfo info) {
    info.misfit = &Class::misfit;
    return add(info, [](const PolicyParameters& parameters) -> std::unique_ptr<Interface> {
      return std::make_unique<Class>(parameters);
    });
  }
  static bool add(const PolicyInfo& info, Make make) {
    PolicyCatalogue::instance().add(info, {&Interface::is_asked, Interface::kNeeds});
    makers().emplace(info.name, make);
    return true;
  }
  static std::unique_ptr<Interface> make(const PolicyChoice& choice) {
    const PolicyParameters parameters = PolicyCatalogue::instance().resolve(Interface::kDecision, choice);
    return makers().at(choice.name)(parameters);
  }

 private:
  static std::map<std::string, Make>& makers();
};

// After each interface, in its header: the table of its policies lives in one library, whoever asks.
#define HEDDLE_DECISION(Interface) \
  template <>                      \
  std::map<std::string, PolicyRegistry<Interface>::Make>& PolicyRegistry<Interface>::makers()

// Once per interface, in its source file: the table lives in one library, whoever asks.
#define HEDDLE_DECISION_TABLE(Interface)                                                        \
  template <>                                                                                   \
  std::map<std::string, PolicyRegistry<Interface>::Make>& PolicyRegistry<Interface>::makers() { \
    static std::map<std::string, Make> table;                                                   \
    return table;                                                                               \
  }

#define HEDDLE_POLICY(Interface, Class, name, doc, source, ...)                             \
  static const bool k##Class##Registered = ::heddle::PolicyRegistry<Interface>::add<Class>( \
      ::heddle::PolicyInfo{Interface::kDecision, name, doc, source, __VA_ARGS__})

}  // namespace heddle
