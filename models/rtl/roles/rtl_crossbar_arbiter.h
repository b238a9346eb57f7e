#pragma once
// The arbiter of one output of the crossbar in RTL: the role crossbar_arbiter of rtl_role.cpp.

#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

class RtlCrossbarArbiter final : public CrossbarArbiter {
 public:
  // `model` decides in shadow mode; it is null in replace mode.
  RtlCrossbarArbiter(RtlBlock& block, const std::string& path, std::uint32_t inputs,
                     std::unique_ptr<CrossbarArbiter> model);

  std::uint32_t choose(const OutputView& view) override;
  void granted(std::uint32_t input) override;
  bool uses_contexts() const override { return uses_contexts_; }
  void reset() override;

 private:
  void show(const OutputView& view);
  void show_ages(const OutputView& view);
  void finish(std::uint32_t taken);  // the tick that choose() has begun, if there is one

  RtlChoice choice_;
  std::unique_ptr<CrossbarArbiter> model_;
  const RtlSignalId requests_, ages_, contexts_, flits_;
  const bool uses_contexts_;
  std::vector<std::uint32_t> by_age_;
  std::uint32_t chosen_ = kNone;  // by the RTL
  bool ticking_ = false;
};

}  // namespace heddle
