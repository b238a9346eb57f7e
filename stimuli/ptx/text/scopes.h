#pragma once
// The symbols of the module and of the nested scopes of a function.

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stimuli/ptx/statements/type.h"
#include "stimuli/ptx/text/problems.h"

namespace heddle::ptx {

struct Symbol {
  enum class Kind : std::uint8_t {
    kRegister,   // a register, or a predicate according to `type`
    kVariable,   // `index` in Module::variables
    kLocal,      // at `offset` of the function's local memory
    kParameter,  // at `offset` of the function's parameter area
    kFunction,   // `index` in Module::functions
    kPrototype,  // `index` in Module::prototypes
    kBad,        // the declaration has been reported, so uses are not reported
  };
  static constexpr std::uint32_t kUnnumbered = ~std::uint32_t{0};

  Kind kind = Kind::kBad;
  Type type = Type::kNone;
  std::uint8_t width =
      1;  // of a register: the elements of a vector, 2 or 4; `index` is then the vector's number
  std::uint32_t index = kUnnumbered;  // registers get an index at their first use
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// A branch to a label that its scope has not declared yet.
struct PendingBranch {
  std::uint32_t statement = 0;
  std::string_view label;
  Place place;
};

// Names are views of the text. The outermost scope is that of the module.
class Scopes {
 public:
  static constexpr std::size_t kMostDepth = 256;

  Scopes() : scopes_(1) {}

  std::size_t depth() const { return scopes_.size(); }
  void push(std::uint32_t saved);
  // Leaves a scope and returns the number that push() saved. Branches to labels that the scope does not
  // declare become pending in the enclosing scope.
  std::uint32_t pop();
  // Removes and returns the pending branches of the innermost scope.
  std::vector<PendingBranch> take_pending();

  // Returns false if the scope has declared the name before.
  bool declare(std::string_view name, const Symbol& symbol);
  // Declares the name in the module's scope unless it is declared there, and returns its symbol.
  const Symbol& declare_outermost(std::string_view name, const Symbol& symbol);
  // Declares the registers prefix0 .. prefix(count - 1), each of them a vector of `width` elements.
  bool declare_registers(std::string_view prefix, std::uint64_t count, Type type, std::uint8_t width);
  // Returns null for a name that is not declared.
  Symbol* find(std::string_view name);
  // Declares the name as kBad in the outermost scope of the function.
  void declare_bad(std::string_view name);

  bool declare_label(std::string_view name, std::uint32_t statement);
  const std::uint32_t* find_label(std::string_view name) const;  // in the innermost scope alone
  void wait_for(const PendingBranch& branch) { scopes_.back().pending.push_back(branch); }

 private:
  struct Group {
    std::uint64_t count = 0;
    Type type = Type::kNone;
    std::uint8_t width = 1;
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
