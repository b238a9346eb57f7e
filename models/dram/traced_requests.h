#pragma once
// The TracedRequests of a memory channel are those whose way somebody follows. They tell a trace which
// commands serve them: a precharge or an activate for the row of a request while it waits, and the column
// command that moves its data.

#include <cstdint>
#include <vector>

#include "models/core/kernel/trace.h"
#include "models/dram/dram_channel.h"

namespace heddle {

class TracedRequests final : public DramObserver {
 public:
  TracedRequests(TraceSink& sink, const LocalMap& map) : sink_(sink), map_(map) {}

  // The controller has the request in its queue, which was due there at `since`.
  void queued(std::uint32_t request, const DramRequest& is, Cycle since, Cycle now);
  // The last column command was for the request, whose data end at `last_beat`.
  void served(std::uint32_t request, bool write, Cycle last_beat, Cycle now);
  // Something else happens to the request.
  void tell(TraceStage stage, std::uint32_t request, Cycle since, Cycle now);
  void reset() { waiting_.clear(); }

 private:
  struct Waiting {
    std::uint32_t request = 0;
    std::uint32_t group = 0;  // as DramObserver has them
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
  };
  void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t row) override;
  void add(TraceStage stage, std::uint32_t request, Cycle since, Cycle now, std::string detail);

  TraceSink& sink_;
  const LocalMap& map_;
  std::vector<Waiting> waiting_;  // in the order in which the controller took them
};

}  // namespace heddle
