#include <algorithm>
#include <tuple>

#include "policies/context_table.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

namespace {

// This policy is start-time fair queueing of flits. The packets of a context are one flow, whatever their
// inputs. The context with the lowest start tag goes, and its inputs go round robin. The virtual time is the
// start tag of the packet that was granted last. A context that has requested nothing for a while gains
// nothing from that, because its next start tag is the virtual time.
class FlitShares final : public CrossbarArbiter {
 public:
  explicit FlitShares(const PolicyParameters& parameters) : tags_(ContextNumbers(parameters, kWeights, 1)) {}

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    return ContextNumbers::misfit("context-shares", parameters, kWeights);
  }

  bool uses_contexts() const override { return true; }

  std::uint32_t choose(const OutputView& view) override {
    packets_ = view.packets;
    // The input with the lowest key goes. The inputs of a context go in turn.
    return lowest_input(view.requests, [&](std::uint32_t input) {
      const ContextId context = view.packets[input].context;
      return std::make_tuple(tags_.start(context, virtual_time_), input < next_[context]);
    });
  }
  void granted(std::uint32_t input) override {
    const RequestingPacket& packet = packets_[input];
    virtual_time_ = tags_.take(packet.context, packet.flits, virtual_time_);
    next_[packet.context] = input + 1;
  }
  void reset() override {
    tags_.reset();
    virtual_time_ = 0;
    next_.clear();
  }

 private:
  static constexpr const char* kWeights = "weights";

  StartTags tags_;
  std::uint64_t virtual_time_ = 0;
  ContextTable<std::uint32_t> next_;           // the input of each context that is first in turn
  const RequestingPacket* packets_ = nullptr;  // of the last view
};

HEDDLE_POLICY(CrossbarArbiter, FlitShares, "context-shares",
              "flits of contexts in proportion to their weights, and the inputs of a context in turn",
              "Goyal et al., SIGCOMM 1996: start-time fair queueing",
              {{"weights", "1", IntegerLists{}, 1, 1000,
                "weights by application, in the order of the experiment; `all`, or no entry: weight 1",
                true}});

}  // namespace

}  // namespace heddle
