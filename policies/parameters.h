#pragma once
// The parameters of policies: how a policy declares them, and the values that a platform or an experiment
// gives.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class PolicyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The value of a parameter is a number, a name, a list of texts, or lists of whole numbers. An entry of kAll
// means no limit, and an empty set of lists means no limit anywhere. In YAML both are written `all`. A set of
// one list is written as that list.
using IntegerLists = std::vector<std::vector<std::int64_t>>;
using TextList = std::vector<std::string>;

class PolicyValue {
 public:
  static constexpr std::int64_t kAll = -1;

  PolicyValue(double number = 0) : number_(number) {}
  PolicyValue(IntegerLists lists) : kind_(Kind::kLists), lists_(std::move(lists)) {}
  PolicyValue(std::string name) : kind_(Kind::kName), name_(std::move(name)) {}
  PolicyValue(TextList texts) : kind_(Kind::kTexts), texts_(std::move(texts)) {}

  enum class Kind : std::uint8_t { kNumber, kName, kTexts, kLists };
  Kind kind() const { return kind_; }
  bool is_lists() const { return kind_ == Kind::kLists; }
  bool is_name() const { return kind_ == Kind::kName; }
  double number() const { return number_; }
  const std::string& name() const { return name_; }
  const IntegerLists& lists() const { return lists_; }
  const TextList& texts() const { return texts_; }
  std::string text() const;  // the value as YAML on one line

  friend bool operator==(const PolicyValue& a, const PolicyValue& b) {
    return a.kind_ == b.kind_ && a.number_ == b.number_ && a.name_ == b.name_ && a.lists_ == b.lists_ &&
           a.texts_ == b.texts_;
  }
  friend bool operator!=(const PolicyValue& a, const PolicyValue& b) { return !(a == b); }

 private:
  Kind kind_ = Kind::kNumber;
  double number_ = 0;
  std::string name_;
  IntegerLists lists_;
  TextList texts_;
};

struct PolicyParameter {
  std::string name;
  std::string unit;
  PolicyValue fallback;  // the default; its type is the type of the parameter
  double least = 0;      // the range of the number, or of each entry of the lists
  double most = 0;
  std::string doc;
  bool whole = false;                // true: a count, for which fractions are errors
  std::vector<std::string> names{};  // the values of a parameter that is a name
};

// A policy chosen by name. A parameter that is not given has its default.
// Its name is that of a registered policy, or "rtl.NAME" for a block in RTL that the machine has under that
// name.
struct PolicyChoice {
  std::string name;
  std::map<std::string, PolicyValue> parameters;

  friend bool operator==(const PolicyChoice& a, const PolicyChoice& b) {
    return a.name == b.name && a.parameters == b.parameters;
  }
  friend bool operator!=(const PolicyChoice& a, const PolicyChoice& b) { return !(a == b); }
};

// The parameters that policies have on a GPU where a choice does not state them: by decision, policy and
// parameter. What stands here takes the place of the defaults that policies declare.
using PolicyDefaults = std::map<std::string, std::map<std::string, std::map<std::string, PolicyValue>>>;

// Gives the choice the parameters that it does not state.
void add_defaults(const PolicyDefaults& defaults, const std::string& decision, PolicyChoice& choice);

// The name of the block in RTL that a policy's name stands for; empty if it is no "rtl.NAME".
std::string rtl_block_of(const std::string& policy);

// The values of all parameters of a policy, by name; each lies in its range.
class PolicyParameters {
 public:
  explicit PolicyParameters(std::map<std::string, PolicyValue> values) : values_(std::move(values)) {}
  // They throw a PolicyError if the parameter is not declared or has another type.
  double operator[](const std::string& name) const {
    return value(name, PolicyValue::Kind::kNumber).number();
  }
  const std::string& name(const std::string& name) const {
    return value(name, PolicyValue::Kind::kName).name();
  }
  const IntegerLists& lists(const std::string& name) const {
    return value(name, PolicyValue::Kind::kLists).lists();
  }
  const TextList& texts(const std::string& name) const {
    return value(name, PolicyValue::Kind::kTexts).texts();
  }

 private:
  const PolicyValue& value(const std::string& name, PolicyValue::Kind kind) const;
  std::map<std::string, PolicyValue> values_;
};

}  // namespace heddle
