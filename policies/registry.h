#pragma once
// The registry of policies. Every policy registers itself by name under its decision, and a platform or an
// experiment chooses it by that name.
//
//   class Fcfs final : public DmaArbiter { ... explicit Fcfs(const PolicyParameters&) ... };
//   HEDDLE_POLICY(DmaArbiter, Fcfs, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A",
//   {});
//
// An interface derives from Policy and states its decision: `static constexpr const char* kDecision =
// "dma_arbiter";`. What a decision or a policy demands of the GPU is stated in the class as well: see Policy.
// An unknown name or parameter is a PolicyError that lists the known ones. A name that is registered twice
// stops the program while it loads.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/gpu_description.h"
#include "policies/parameters.h"

namespace heddle {

struct PolicyInfo {
  std::string decision;
  std::string name;
  std::string doc;     // one line
  std::string source;  // the paper with section or algorithm
  std::vector<PolicyParameter> parameters;
  // Policy::misfit() of its class; null: the policy suits every GPU.
  std::string (*misfit)(const GpuDescription&, const PolicyParameters&) = nullptr;
};

// What an interface states about its decision; see Policy.
struct DecisionInfo {
  bool (*is_asked)(const GpuDescription&) = nullptr;  // null: every GPU asks for the decision
  const char* needs = nullptr;
  const char* elsewhere = nullptr;
  const char* fallback = nullptr;
  bool takes_rtl = false;
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
  // For an interface: where its policy is chosen, as the message of an error that finds it among the policies
  // of a platform. Null: it is chosen there.
  static constexpr const char* kElsewhere = nullptr;

  // For an interface: the policy that decides where a platform chooses none. Null: every platform that asks
  // for the decision chooses one. Only of a decision that no GPU asks for.
  static constexpr const char* kFallback = nullptr;

  // For an interface: whether a block in RTL may decide. Its name is then "rtl.NAME", and it has no
  // parameters.
  static constexpr bool kTakesRtl = false;

  // For a policy: why it cannot run on this GPU with these parameters, as one message that names the policy;
  // empty if it can. The parameters are complete and within their ranges.
  static std::string misfit(const GpuDescription&, const PolicyParameters&) { return ""; }
};

class PolicyCatalogue {
 public:
  static PolicyCatalogue& instance();  // it is filled while libraries load and only read afterwards

  void add(PolicyInfo info, DecisionInfo decision = {});
  std::vector<std::string> decisions() const;                         // sorted
  std::vector<std::string> names(const std::string& decision) const;  // sorted
  const PolicyInfo& info(const std::string& decision, const std::string& name) const;
  // The declaration of a parameter; null if the decision, the policy or the parameter is unknown.
  const PolicyParameter* find(const std::string& decision, const std::string& name,
                              const std::string& parameter) const;
  // The parameters of the choice, completed by defaults. Throws a PolicyError for an unknown decision, name
  // or parameter, and for a value that is out of range or of another type.
  PolicyParameters resolve(const std::string& decision, const PolicyChoice& choice) const;

  // Whether this GPU asks for the decision, which is a known one.
  bool is_asked(const std::string& decision, const GpuDescription& gpu) const;
  // Returns where the policy of the decision is chosen if a platform does not choose it among its policies.
  // Returns null for every other decision, and for an unknown one.
  const char* chosen_elsewhere(const std::string& decision) const;
  // Returns the policy that decides where none is chosen. Returns null if there is none, and for an unknown
  // decision.
  const char* fallback(const std::string& decision) const;
  // Why the policy cannot run on this GPU; empty if it can. Throws as resolve() does.
  std::string misfit(const std::string& decision, const PolicyChoice& choice,
                     const GpuDescription& gpu) const;

 private:
  struct Decision {
    DecisionInfo info;
    std::map<std::string, PolicyInfo> policies;
    PolicyInfo rtl;  // of every block in RTL
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
    PolicyCatalogue::instance().add(info, {&Interface::is_asked, Interface::kNeeds, Interface::kElsewhere,
                                           Interface::kFallback, Interface::kTakesRtl});
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

// Stands after each interface in its header. It declares the table of policies, which lives in one library
// although several include the header.
#define HEDDLE_DECISION(Interface) \
  template <>                      \
  std::map<std::string, PolicyRegistry<Interface>::Make>& PolicyRegistry<Interface>::makers()

// Stands once in the source file of each interface and defines that table.
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
