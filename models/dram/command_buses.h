#pragma once
// CommandBuses are the command buses of one channel. The pseudo-channels of a channel share them. A bus
// carries one command at a time, for as many command clocks as the standard says.

#include <array>

#include "models/core/base/ids.h"
#include "models/dram/standards/dram_standard.h"

namespace heddle {

class CommandBuses {
 public:
  explicit CommandBuses(const DramStandard& standard) {
    for (const CommandRule& rule : standard.commands)
      uses_[static_cast<std::size_t>(rule.command)] = {index_of(rule.bus), rule.clocks};
  }

  void reset() { free_ = {}; }
  Cycle free(CommandBus bus) const { return free_[index_of(bus)]; }  // the first cycle without a command
  void issue(DramCommand command, Cycle now) {
    const Use& use = uses_[static_cast<std::size_t>(command)];
    free_[use.bus] = now + use.clocks;
  }

 private:
  struct Use {
    std::size_t bus = 0;
    std::uint32_t clocks = 1;
  };
  static std::size_t index_of(CommandBus bus) { return static_cast<std::size_t>(bus); }

  std::array<Use, kDramCommands> uses_{};
  std::array<Cycle, 3> free_{};  // by bus
};

}  // namespace heddle
