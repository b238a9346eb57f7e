#pragma once
// Every policy registers itself by name under its decision; a platform or experiment names it.
//
//   class Fcfs final : public DmaArbiter { ... explicit Fcfs(const PolicyParameters&) ... };
//   HEDDLE_POLICY(DmaArbiter, Fcfs, "fcfs", "the oldest transfer runs to its end", "CUsched, Section II-A",
//   {});
//
// An interface states its decision: `static constexpr const char* kDecision = "dma_arbiter";`.
// Unknown names and parameters are PolicyErrors that list the known ones; a name taken twice stops the
// program as it loads.

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

class PolicyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PolicyParameter {
  std::string name;
  std::string unit;
  double fallback = 0;
  double least = 0;
  double most = 0;
  std::string doc;
  bool whole = false;  // a count: fractions are refused
};

struct PolicyInfo {
  std::string decision;
  std::string name;
  std::string doc;     // one line
  std::string source;  // paper, section, algorithm
  std::vector<PolicyParameter> parameters;
};

// A policy chosen by name, with the parameters given; those not given take their default.
struct PolicyChoice {
  std::string name;
  std::map<std::string, double> parameters;
};

// Parameter values by name, complete and within range.
class PolicyParameters {
 public:
  explicit PolicyParameters(std::map<std::string, double> values) : values_(std::move(values)) {}
  double operator[](const std::string& name) const;  // throws PolicyError for one that is not declared

 private:
  std::map<std::string, double> values_;
};

class PolicyCatalogue {
 public:
  static PolicyCatalogue& instance();  // filled while libraries load, read only afterwards

  void add(PolicyInfo info);
  std::vector<std::string> decisions() const;                         // sorted
  std::vector<std::string> names(const std::string& decision) const;  // sorted
  const PolicyInfo& info(const std::string& decision, const std::string& name) const;
  // Throws PolicyError for an unknown decision, name or parameter, or a value out of range.
  PolicyParameters resolve(const std::string& decision, const PolicyChoice& choice) const;

 private:
  std::map<std::string, std::map<std::string, PolicyInfo>> known_;
};

template <class Interface>
class PolicyRegistry {
 public:
  using Make = std::unique_ptr<Interface> (*)(const PolicyParameters&);

  static bool add(PolicyInfo info, Make make) {
    PolicyCatalogue::instance().add(info);
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

#define HEDDLE_POLICY(Interface, Class, name, doc, source, ...)                        \
  static const bool k##Class##Registered = ::heddle::PolicyRegistry<Interface>::add(   \
      {Interface::kDecision, name, doc, source, __VA_ARGS__},                          \
      [](const ::heddle::PolicyParameters& parameters) -> std::unique_ptr<Interface> { \
        return std::make_unique<Class>(parameters);                                    \
      })

}  // namespace heddle
