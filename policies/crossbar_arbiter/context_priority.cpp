#include <algorithm>
#include <tuple>

#include "policies/context_table.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

namespace {

// Each context has a priority, which the experiment states. A packet that has requested the output for
// `bound` cycles or longer goes first, and of several such packets the one that has requested it longest.
// Among the other packets those of the context with the largest priority go, round robin over their inputs.
class PacketPriority final : public CrossbarArbiter {
 public:
  explicit PacketPriority(const PolicyParameters& parameters)
      : priorities_(parameters, kPriorities, 0), bound_(static_cast<std::uint64_t>(parameters["bound"])) {}

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    return ContextNumbers::misfit("context-priority", parameters, kPriorities);
  }

  bool uses_contexts() const override { return true; }
  void granted(std::uint32_t input) override { next_ = input + 1; }
  void reset() override { next_ = 0; }

  std::uint32_t choose(const OutputView& view) override {
    // The input with the lowest key goes. Inputs with equal keys go in turn, from next_ on.
    return lowest_input(view.requests, [&](std::uint32_t input) {
      const RequestingPacket& packet = view.packets[input];
      const bool is_late = view.now >= packet.since + bound_;
      return std::make_tuple(is_late ? 0 : kMost + 1 - priorities_.of(packet.context),
                             is_late ? packet.since.value : 0, input < next_);
    });
  }

 private:
  static constexpr const char* kPriorities = "priorities";
  static constexpr std::uint64_t kMost = 1000;

  const ContextNumbers priorities_;
  const std::uint64_t bound_;  // cycles of the crossbar
  std::uint32_t next_ = 0;
};

HEDDLE_POLICY(
    CrossbarArbiter, PacketPriority, "context-priority",
    "packets of the context with the largest number, after packets that have waited for a bound",
    "fixed priority; the bound is this model's own",
    {{"priorities", "1", IntegerLists{}, 0, 1000,
      "by application, in the order of the experiment: the larger goes first; `all`, or no entry: 0", true},
     {"bound", "cycles", 1000, 1, 1e12,
      "a packet that has requested the output for as many crossbar cycles goes first", true}});

}  // namespace

}  // namespace heddle
