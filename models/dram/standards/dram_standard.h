#pragma once
// A DramStandard describes a DRAM standard as data: the commands, the timing parameters that a platform
// gives, and the distances between commands that follow from the parameters. Each standard has one file,
// which registers it under the name that a platform's `dram.standard` selects:
//
//   HEDDLE_DRAM_STANDARD(Gddr5, DramStandard{"gddr5", "...", "...", {...}, ...});
//
// A formula adds and subtracts whole numbers and names of timing parameters, as in "wl + burst + wr" or
// "cl + burst - wl + 2". Every time is in command clocks (CK).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// This is the standard of a platform that does not name one.
constexpr const char* kDefaultDramStandard = "gddr5";

// These are the commands that a controller can issue. A standard names those that it has.
enum class DramCommand : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,
  kRead,
  kReadAuto,  // a read that precharges its row as soon as that is legal
  kWrite,
  kWriteAuto,
  kRefresh,      // refreshes all banks
  kRefreshBank,  // refreshes one bank, or the same bank of each bank group
};
constexpr std::size_t kDramCommands = 9;
const char* name_of(DramCommand command);  // returns the abbreviation of data sheets: "ACT"

// These are the parts of a memory. Each part lies within the one before it. A stack id is a rank.
enum class DramLevel : std::uint8_t { kChannel, kPseudoChannel, kRank, kBankGroup, kBank };

// These are the command buses of a channel. Each carries one command at a time.
enum class CommandBus : std::uint8_t { kShared, kRow, kColumn };

using TimingFormula = const char*;

struct TimingParameter {
  const char* name;  // the key in `dram.timing`
  const char* unit;
  const char* doc;
  TimingFormula fallback = nullptr;  // the value if the platform gives none; null: the platform must give it
};

struct CommandRule {
  DramCommand command;
  CommandBus bus;
  DramLevel level;           // the part that the command addresses
  std::uint32_t clocks = 1;  // for which the command holds its bus
};

// Within the same part of `level`, `next` is legal at the earliest `distance` after `previous`. Both commands
// address this level or a part of it. A rule of kRead or kWrite also applies to the command with automatic
// precharge.
struct TimingRule {
  const char* name;
  DramCommand previous;
  DramCommand next;
  DramLevel level;
  TimingFormula distance;
  bool between = false;  // the rule is for different parts of `level`, which is kRank, instead of one part
};

// At most `activates` activates are legal within `cycles`.
struct ActivateWindow {
  const char* name;
  std::uint32_t activates;
  TimingFormula cycles;
};

// A platform with `parameter` below `least` is refused. `reason` is part of the message.
struct TimingLimit {
  const char* parameter;
  TimingFormula least;
  const char* reason;
};

struct DramStandard {
  std::string name;
  std::string doc;     // one line
  std::string source;  // the document that defines the standard
  std::vector<TimingParameter> parameters;
  std::vector<CommandRule> commands;
  std::vector<TimingRule> rules;
  std::vector<ActivateWindow> windows;
  std::vector<TimingLimit> limits;
  TimingFormula burst;             // time of one burst on the data bus
  TimingFormula read_latency;      // from a read to its first data
  TimingFormula write_latency;     // from a write to its first data
  TimingFormula refresh_interval;  // mean time between refreshes
  TimingFormula refresh_time;      // time of one refresh
  // The mean time between refreshes of banks (REFSB), and the time of one; null: the standard has none.
  TimingFormula bank_refresh_interval = nullptr;
  TimingFormula bank_refresh_time = nullptr;
  bool refreshes_same_bank =
      false;  // REFSB is for the same bank of each group of a stack id, not for one bank
  std::uint32_t pseudo_channels = 1;  // the most of a channel; each has its own banks, data bus and timing
  std::uint32_t stack_ids = 1;        // the most of a pseudo-channel
  // Bank groups of a stack id, and banks of a group; 0: the platform's address map decides.
  std::uint32_t groups = 0;
  std::uint32_t banks_per_group = 0;

  // Returns the index of a parameter in `parameters`, or their number if there is none of that name.
  std::size_t find(std::string_view parameter) const;
  const CommandRule& rule_of(DramCommand command) const;  // requires that the standard has the command
  std::size_t command_buses() const;
};

// TimingValues has the values of a standard's parameters, in the order of `parameters`.
using TimingValues = std::vector<std::uint32_t>;

// Returns the value of a formula. A negative value becomes 0, because such a distance restricts nothing.
std::uint32_t evaluate(const DramStandard& standard, const TimingValues& values, std::string_view formula);

// Registers a standard. Throws std::logic_error for a duplicate name, for a formula, limit or rule with an
// unknown name, and for what a DramController cannot do: it needs every command (kRefreshBank with a bank
// refresh interval), all on kShared for one clock each, or those of rows on kRow and those of columns on
// kColumn.
bool add_dram_standard(DramStandard standard);
std::vector<std::string> dram_standard_names();  // sorted by name
const DramStandard* find_dram_standard(
    const std::string& name);  // null for an unknown name; the pointer stays valid

#define HEDDLE_DRAM_STANDARD(Name, ...) \
  static const bool k##Name##Registered = ::heddle::add_dram_standard(__VA_ARGS__)

}  // namespace heddle
