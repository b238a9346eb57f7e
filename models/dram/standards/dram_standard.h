#pragma once
// A DRAM standard as data: the commands, the timing parameters that a platform gives, and the distances that
// they set between commands. One file a standard; it registers itself under the name that `dram.standard` of
// a platform selects:
//
//   HEDDLE_DRAM_STANDARD(Gddr5, DramStandard{"gddr5", "...", "...", {...}, ...});
//
// A formula is a text such as "wl + burst + wr" or "cl + burst - wl + 2": whole numbers and names of timing
// parameters, added and subtracted. Every time is in command clocks (CK).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The standard of a platform that names none.
constexpr const char* kDefaultDramStandard = "gddr5";

// What the controller can issue. A standard names those that it has.
enum class DramCommand : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,
  kRead,
  kReadAuto,  // a read whose row is precharged as soon as that is legal
  kWrite,
  kWriteAuto,
  kRefresh,  // of all banks
};
constexpr std::size_t kDramCommands = 8;
const char* name_of(DramCommand command);  // as data sheets abbreviate it: "ACT"

// The parts of a memory, each within the one before it.
enum class DramLevel : std::uint8_t { kChannel, kPseudoChannel, kRank, kBankGroup, kBank };

// A channel carries one command a clock on each of its command buses.
enum class CommandBus : std::uint8_t { kShared, kRow, kColumn };

using DramExpression = const char*;

struct TimingParameter {
  const char* name;  // the key in `dram.timing`
  const char* unit;
  const char* doc;
  // The value where a platform gives none; null: the platform must give it.
  DramExpression fallback = nullptr;
};

struct CommandRule {
  DramCommand command;
  CommandBus bus;
  DramLevel level;  // what the command addresses
};

// After `previous`, `next` is legal `distance` later at the earliest, at the same part of `level`. Both
// commands address this level or a part of it. A rule of kRead or kWrite holds for the form with automatic
// precharge too.
struct TimingRule {
  const char* name;
  DramCommand previous;
  DramCommand next;
  DramLevel level;
  DramExpression distance;
};

// At most `activates` of them within `cycles`.
struct ActivateWindow {
  const char* name;
  std::uint32_t activates;
  DramExpression cycles;
};

// A platform whose `parameter` is below `least` is refused, for `reason`.
struct TimingLimit {
  const char* parameter;
  DramExpression least;
  const char* reason;
};

struct DramStandard {
  std::string name;
  std::string doc;     // one line
  std::string source;  // the document that defines it
  std::vector<TimingParameter> parameters;
  std::vector<CommandRule> commands;
  std::vector<TimingRule> rules;
  std::vector<ActivateWindow> windows;
  std::vector<TimingLimit> limits;
  DramExpression burst;             // time of one burst on the data bus
  DramExpression read_latency;      // from a read to its first data
  DramExpression write_latency;     // from a write to its first data
  DramExpression refresh_interval;  // mean time between refreshes
  DramExpression refresh_time;      // time of one refresh

  // The place of a parameter among `parameters`, or its number if there is none of that name.
  std::size_t find(std::string_view parameter) const;
  const CommandRule& rule_of(DramCommand command) const;  // the standard has the command
  std::size_t command_buses() const;
};

// Values of a standard's parameters, in their order.
using TimingValues = std::vector<std::uint32_t>;

// The value of a formula. A negative one is 0: a distance that is over before it begins.
std::uint32_t evaluate(const DramStandard& standard, const TimingValues& values, std::string_view formula);

// Throws std::logic_error for a name taken twice, and for a formula, a limit or a rule with an unknown name.
bool add_dram_standard(DramStandard standard);
std::vector<std::string> dram_standard_names();  // sorted
const DramStandard* find_dram_standard(
    const std::string& name);  // null: there is none; else it stays where it is

#define HEDDLE_DRAM_STANDARD(Name, ...) \
  static const bool k##Name##Registered = ::heddle::add_dram_standard(__VA_ARGS__)

}  // namespace heddle
