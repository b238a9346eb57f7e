#pragma once
// What names mean: of the module, and inside a function scope by scope.

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stimuli/ptx/text/problems.h"
#include "stimuli/ptx/text/type.h"

namespace heddle::ptx {

struct Symbol {
  enum class Kind : std::uint8_t {
    kRegister,   // predicates too, by `type`
    kVariable,   // of Module::variables
    kLocal,      // at `offset` of the function's local memory
    kParameter,  // at `offset` of its parameter area
    kFunction,   // of Module::functions
    kBad,        // told already; uses are not told again
  };
  static constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};

  Kind kind = Kind::kBad;
  Type type = Type::kNone;
  std::uint32_t index = kUnnumbered;  // registers get theirs with their first mention
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// A branch whose label was not yet seen in its scope.
struct PendingBranch {
  std::uint32_t statement = 0;
  std::string_view label;
  Place place;
};

// Names are views of the text. The outermost scope is the module's.
class Scopes {
 public:
  static constexpr std::size_t kMostDepth = 256;

  Scopes() : scopes_(1) {}

  std::size_t depth() const { return scopes_.size(); }
  void push(std::uint32_t saved);
  // Branches whose labels the scope lacks go on waiting in the one around it.
  std::uint32_t pop();                        // what push() saved
  std::vector<PendingBranch> take_pending();  // of the innermost scope

  bool declare(std::string_view name, const Symbol& symbol);  // false: the scope has that name already
  // In the module's scope: what the name means there now.
  const Symbol& declare_outermost(std::string_view name, const Symbol& symbol);
  // prefix0 .. prefix(count - 1)
  bool declare_registers(std::string_view prefix, std::uint64_t count, Type type);
  Symbol* find(std::string_view name);      // null: not declared
  void declare_bad(std::string_view name);  // in the function's outermost scope

  bool declare_label(std::string_view name, std::uint32_t statement);
  const std::uint32_t* find_label(std::string_view name) const;  // in the innermost scope alone
  void wait_for(const PendingBranch& branch) { scopes_.back().pending.push_back(branch); }

 private:
  struct Group {
    std::uint64_t count = 0;
    Type type = Type::kNone;
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, Group> groups;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<PendingBranch> pending;
    std::uint32_t saved = 0;
  };

  static Symbol* find_in_group(Scope& scope, std::string_view name);

  std::vector<Scope> scopes_;
};

}  // namespace heddle::ptx
