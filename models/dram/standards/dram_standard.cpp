#include "models/dram/standards/dram_standard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

#include "models/core/expression/expression_reader.h"

namespace heddle {

namespace {

std::map<std::string, DramStandard>& table() {
  static std::map<std::string, DramStandard> standards;
  return standards;
}

// A FormulaReader evaluates a formula as it reads it. Of the grammar of expressions, formulas have sums,
// differences and parentheses.
class FormulaReader final : private ExpressionReader {
 public:
  FormulaReader(const DramStandard& standard, const TimingValues& values, std::string_view formula)
      : ExpressionReader(formula, kMostDepth), standard_(standard), values_(values) {}

  std::int64_t value() {
    read_all();
    return numbers_.back();
  }

 private:
  static constexpr std::size_t kMostDepth = 16;

  bool has(Operator op) const override { return op == Operator::kAdd || op == Operator::kSubtract; }
  bool operand() override {
    const std::size_t from = at();
    while (!at_end() && std::isalnum(static_cast<unsigned char>(next())) != 0) move_to(at() + 1);
    const std::string_view word = text().substr(from, at() - from);
    if (word.empty() || word.size() > 9) return false;
    if (std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      numbers_.push_back(std::stoll(std::string(word)));
      return true;
    }
    const std::size_t place = standard_.find(word);
    if (place == values_.size()) return false;
    numbers_.push_back(values_[place]);
    return true;
  }
  void push(Operator op, std::size_t) override {
    const std::int64_t right = numbers_.back();
    numbers_.pop_back();
    numbers_.back() += op == Operator::kAdd ? right : -right;
  }
  void refuse_next(Wanted, std::string_view) const override { refuse_depth(); }
  void refuse_depth() const override {
    throw std::logic_error(
        fmt::format("DRAM standard {}: '{}' is no formula of its parameters", standard_.name, text()));
  }

  const DramStandard& standard_;
  const TimingValues& values_;
  std::vector<std::int64_t> numbers_;
};

void check_formulas(const DramStandard& standard) {
  std::vector<TimingFormula> formulas{standard.burst, standard.read_latency, standard.write_latency,
                                      standard.refresh_interval, standard.refresh_time};
  for (const TimingRule& rule : standard.rules) formulas.push_back(rule.distance);
  for (const ActivateWindow& window : standard.windows) formulas.push_back(window.cycles);
  for (const TimingLimit& limit : standard.limits) {
    formulas.push_back(limit.least);
    formulas.push_back(limit.parameter);
  }
  for (const TimingFormula formula : {standard.bank_refresh_interval, standard.bank_refresh_time})
    if (formula != nullptr) formulas.push_back(formula);
  const TimingValues values(standard.parameters.size());
  for (const TimingFormula formula : formulas)
    evaluate(standard, values, formula == nullptr ? std::string_view{} : formula);
  // The default of a parameter uses only parameters that are declared before it.
  DramStandard before{standard};
  before.parameters.clear();
  for (const TimingParameter& parameter : standard.parameters) {
    if (parameter.fallback != nullptr)
      evaluate(before, TimingValues(before.parameters.size()), parameter.fallback);
    if (before.find(parameter.name) != before.parameters.size())
      throw std::logic_error(
          fmt::format("DRAM standard {}: parameter '{}' is given twice", standard.name, parameter.name));
    before.parameters.push_back(parameter);
  }
}

void check_commands(const DramStandard& standard) {
  std::map<DramCommand, DramLevel> known;
  for (const CommandRule& rule : standard.commands) known.emplace(rule.command, rule.level);
  for (const TimingRule& rule : standard.rules)
    for (const DramCommand command : {rule.previous, rule.next}) {
      if (known.count(command) == 0)
        throw std::logic_error(fmt::format("DRAM standard {}: {} of a rule is none of its commands",
                                           standard.name, name_of(command)));
      if (rule.level > known.at(command))
        throw std::logic_error(fmt::format("DRAM standard {}: {} binds below the level of {}", standard.name,
                                           rule.name, name_of(command)));
      if (rule.between && rule.level != DramLevel::kRank)
        throw std::logic_error(
            fmt::format("DRAM standard {}: {} is not between ranks", standard.name, rule.name));
    }
  if (known.size() != standard.commands.size())
    throw std::logic_error(fmt::format("DRAM standard {}: a command is given twice", standard.name));
}

bool is_column(DramCommand command) {
  return command == DramCommand::kRead || command == DramCommand::kReadAuto ||
         command == DramCommand::kWrite || command == DramCommand::kWriteAuto;
}

// A DramController issues each command of a standard in one way only.
void check_is_controlled(const DramStandard& standard) {
  const auto refuse = [&](const std::string& what) {
    throw std::logic_error(fmt::format("DRAM standard {}: {}", standard.name, what));
  };
  const bool refreshes_banks = standard.bank_refresh_interval != nullptr;
  if (refreshes_banks != (standard.bank_refresh_time != nullptr))
    refuse("a refresh of one bank needs an interval and a time");
  if (standard.refreshes_same_bank && !refreshes_banks)
    refuse("a refresh of the same bank of each group needs an interval and a time");
  const bool has_one_bus = standard.command_buses() == 1;
  for (std::size_t i = 0; i < kDramCommands; ++i) {
    const auto command = static_cast<DramCommand>(i);
    const auto rule = std::find_if(standard.commands.begin(), standard.commands.end(),
                                   [&](const CommandRule& each) { return each.command == command; });
    const bool is_needed = command != DramCommand::kRefreshBank || refreshes_banks;
    if (is_needed != (rule != standard.commands.end()))
      refuse(fmt::format("{} {}", is_needed ? "it needs" : "no interval is given for", name_of(command)));
    if (!is_needed) continue;
    const bool of_all = command == DramCommand::kPrechargeAll || command == DramCommand::kRefresh;
    if (of_all ? rule->level > DramLevel::kPseudoChannel : rule->level != DramLevel::kBank)
      refuse(fmt::format("{} must address {}", name_of(command), of_all ? "all banks" : "one bank"));
    const CommandBus bus = has_one_bus          ? CommandBus::kShared
                           : is_column(command) ? CommandBus::kColumn
                                                : CommandBus::kRow;
    if (rule->bus != bus)
      refuse(fmt::format("{} is on the wrong bus: all commands are on one, or rows and columns have one each",
                         name_of(command)));
    if (has_one_bus && rule->clocks != 1)
      refuse(
          fmt::format("{} holds the only bus for {} clocks: it must be 1", name_of(command), rule->clocks));
  }
  if (has_one_bus && standard.pseudo_channels > 1)
    refuse("pseudo-channels need a bus for rows and one for columns");
}

}  // namespace

const char* name_of(DramCommand command) {
  static constexpr const char* kNames[kDramCommands] = {"ACT", "PRE", "PREAB", "RD",   "RDA",
                                                        "WR",  "WRA", "REF",   "REFSB"};
  return kNames[static_cast<std::size_t>(command)];
}

std::size_t DramStandard::find(std::string_view parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const TimingParameter& p) { return p.name == parameter; });
  return static_cast<std::size_t>(found - parameters.begin());
}

const CommandRule& DramStandard::rule_of(DramCommand command) const {
  return *std::find_if(commands.begin(), commands.end(),
                       [&](const CommandRule& rule) { return rule.command == command; });
}

std::size_t DramStandard::command_buses() const {
  std::set<CommandBus> buses;
  for (const CommandRule& rule : commands) buses.insert(rule.bus);
  return buses.size();
}

std::uint32_t evaluate(const DramStandard& standard, const TimingValues& values, std::string_view formula) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(0, FormulaReader(standard, values, formula).value()));
}

bool add_dram_standard(DramStandard standard) {
  check_formulas(standard);
  check_commands(standard);
  check_is_controlled(standard);
  const std::string name = standard.name;
  if (!table().emplace(name, std::move(standard)).second)
    throw std::logic_error(fmt::format("DRAM standard '{}' is registered twice", name));
  return true;
}

std::vector<std::string> dram_standard_names() {
  std::vector<std::string> names;
  for (const auto& [name, standard] : table()) names.push_back(name);
  return names;
}

const DramStandard* find_dram_standard(const std::string& name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

}  // namespace heddle
