// Fixed caps (Perf-Sat, Section V-B: "the kernels were executed separately for each thread block count").

#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

namespace {

class FixedCap final : public BlockThrottle {
 public:
  explicit FixedCap(const PolicyParameters& parameters) : blocks_(parameters.lists(kBlocks)) {}

  ThrottleAnswer started(const ThrottleView& slice) override { return cap(slice); }
  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t, const SmWork&) override {
    return cap(slice);
  }
  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals&) override { return cap(slice); }

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    for (const std::vector<std::int64_t>& list : parameters.lists(kBlocks))
      for (const std::int64_t blocks : list)
        if (blocks == 0) return "fixed: a cap of 0 blocks, with which a kernel never ends";
    if (parameters.lists(kBlocks).size() > 1) return "fixed: blocks takes one list, by application";
    return "";
  }
  static constexpr const char* kBlocks = "blocks";  // the name of its parameter

 private:
  ThrottleAnswer cap(const ThrottleView& slice) const {
    ThrottleAnswer answer;
    answer.settled = true;
    if (blocks_.empty()) return answer;
    const std::vector<std::int64_t>& list = blocks_.front();
    const std::int64_t blocks = list[slice.context.value % list.size()];
    if (blocks != PolicyValue::kAll) answer.cap = static_cast<std::uint32_t>(blocks);
    return answer;
  }

  const IntegerLists blocks_;
};

HEDDLE_POLICY(BlockThrottle, FixedCap, "fixed", "the same cap on every SM", "Perf-Sat, Section V-B",
              {{FixedCap::kBlocks, "blocks", IntegerLists{}, -1, 1024,
                "most blocks on an SM, a list by application in turn, all or -1: no cap"}});

}  // namespace

}  // namespace heddle
