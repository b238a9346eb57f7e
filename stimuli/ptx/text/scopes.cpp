#include "stimuli/ptx/text/scopes.h"

#include <algorithm>
#include <utility>

#include "stimuli/ptx/text/lexer.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostDigits = 9;

// Reads the number 12 of "%r12". Digits may also belong to the prefix, as in "%r1" and 2, so the caller tries
// the shortest prefix first. Returns false if no decimal number without leading zeros starts at `at`.
bool number_from(std::string_view name, std::size_t at, std::uint64_t& number) {
  if (at >= name.size() || name.size() - at > kMostDigits) return false;
  if (name[at] == '0' && name.size() - at > 1) return false;
  number = 0;
  for (const char c : name.substr(at)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  return true;
}

}  // namespace

void Scopes::push(std::uint32_t saved) {
  scopes_.emplace_back();
  scopes_.back().saved = saved;
}

std::uint32_t Scopes::pop() {
  Scope& inner = scopes_.back();
  Scope& outer = scopes_[scopes_.size() - 2];
  outer.pending.insert(outer.pending.end(), inner.pending.begin(), inner.pending.end());
  const std::uint32_t saved = inner.saved;
  scopes_.pop_back();
  return saved;
}

std::vector<PendingBranch> Scopes::take_pending() {
  return std::exchange(scopes_.back().pending, {});
}

bool Scopes::declare(std::string_view name, const Symbol& symbol) {
  return scopes_.back().symbols.emplace(name, symbol).second;
}

const Symbol& Scopes::declare_outermost(std::string_view name, const Symbol& symbol) {
  return scopes_.front().symbols.emplace(name, symbol).first->second;
}

bool Scopes::declare_registers(std::string_view prefix, std::uint64_t count, Type type, std::uint8_t width) {
  return scopes_.back().groups.emplace(prefix, Group{count, type, width}).second;
}

Symbol* Scopes::find_in_group(Scope& scope, std::string_view name) {
  if (scope.groups.empty()) return nullptr;
  std::size_t digits = name.size();
  while (digits > 0 && name.size() - digits < kMostDigits && is_digit(name[digits - 1])) --digits;
  for (; digits < name.size(); ++digits) {
    std::uint64_t number = 0;
    if (!number_from(name, digits, number)) continue;
    const auto group = scope.groups.find(name.substr(0, digits));
    if (group == scope.groups.end() || number >= group->second.count) continue;
    Symbol symbol;
    symbol.kind = group->second.type == Type::kNone ? Symbol::Kind::kBad : Symbol::Kind::kRegister;
    symbol.type = group->second.type;
    symbol.width = group->second.width;
    return &scope.symbols.emplace(name, symbol).first->second;
  }
  return nullptr;
}

Symbol* Scopes::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->symbols.find(name);
    if (found != scope->symbols.end()) return &found->second;
    if (Symbol* symbol = find_in_group(*scope, name)) return symbol;
  }
  return nullptr;
}

void Scopes::declare_bad(std::string_view name) {
  scopes_[std::min<std::size_t>(1, scopes_.size() - 1)].symbols.emplace(name, Symbol{});
}

bool Scopes::declare_label(std::string_view name, std::uint32_t statement) {
  return scopes_.back().labels.emplace(name, statement).second;
}

const std::uint32_t* Scopes::find_label(std::string_view name) const {
  const auto found = scopes_.back().labels.find(name);
  return found == scopes_.back().labels.end() ? nullptr : &found->second;
}

}  // namespace heddle::ptx
