#pragma once
// The block throttle in RTL: the role block_throttle of rtl_role.cpp. Each event of a slice is one tick, in
// which the RTL answers with the cap.

#include <memory>
#include <string>

#include "models/rtl/rtl_block.h"
#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

class RtlBlockThrottle final : public BlockThrottle {
 public:
  // `model` decides in shadow mode; it is null in replace mode.
  RtlBlockThrottle(RtlBlock& block, const std::string& path, std::unique_ptr<BlockThrottle> model);

  bool reads_stalls() const override;
  bool pauses() const override { return model_ != nullptr && model_->pauses(); }
  ThrottleAnswer started(const ThrottleView& slice) override;
  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t cycles, const SmWork& work) override;
  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override;
  void reset() override;

 private:
  enum Event : std::uint64_t { kStarted = 1, kBlockDone, kSampled };
  void begin(const ThrottleView& slice, Event event);
  void set(const char* signal, std::uint64_t value);
  // Ends the tick. `model` is the answer of the model in shadow mode, which is the one that counts then.
  ThrottleAnswer answer(const ThrottleView& slice, const ThrottleAnswer* model);

  RtlChoice choice_;
  std::unique_ptr<BlockThrottle> model_;
  const RtlSignalId sample_, sample_after_, settled_;
};

}  // namespace heddle
