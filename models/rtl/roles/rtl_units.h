#pragma once
// Units of partitioners in RTL: the roles water_filling and token of rtl_role.cpp. A unit works for some
// ticks of its clock. These ticks are no cycles of the machine: the model takes the result at once.

#include <string>
#include <vector>

#include "models/rtl/rtl_block.h"
#include "policies/sm_partitioner/token_unit.h"
#include "policies/sm_partitioner/water_filling.h"

namespace heddle {

// An instance of a unit, and the ticks until it is done.
class RtlUnit {
 public:
  RtlUnit(RtlBlock& block, const std::string& path);

  RtlBlock& block() { return block_; }
  RtlPort& port() { return port_; }
  RtlSignalId signal(const char* name) const { return block_.role().find(name); }
  bool compare(Cycle now, const std::string& output, std::uint32_t model, std::uint32_t rtl) {
    return shadow_.compare(now, output, model, rtl);
  }
  void tick();             // with the present inputs
  void wait_until_done();  // Ticks until the unit is done. Throws an RtlError after the spec's latency.
  void reset();

 private:
  RtlBlock& block_;
  RtlPort port_;
  RtlShadow shadow_;
  const RtlSignalId done_;
};

class RtlWaterFilling final : public WaterFillingUnit {
 public:
  RtlWaterFilling(RtlBlock& block, const std::string& path);

  std::vector<std::uint32_t> fill(const std::vector<SharingKernel>& kernels, const SmLimits& limits,
                                  Cycle now) override;
  void reset() override { unit_.reset(); }

 private:
  enum Kind : std::uint64_t { kPerformance, kNeed, kLimit, kEntries };
  void write(Kind kind, std::size_t kernel, std::size_t index, std::uint64_t value);
  void write_resources(Kind kind, std::size_t kernel, const BlockResources& resources);
  std::vector<std::uint32_t> result(std::size_t kernels);

  RtlUnit unit_;
  const RtlSignalId write_, kind_, kernel_, index_, value_, kernels_, start_, read_, feasible_, blocks_;
};

class RtlTokenUnit final : public TokenUnit {
 public:
  RtlTokenUnit(RtlBlock& block, const std::string& path);

  void begin(const std::vector<std::int32_t>& counts, Cycle now) override;
  void add(ContextId context, std::int32_t amount) override;
  std::size_t candidate(const std::vector<ContextId>& contexts) override;
  std::optional<std::size_t> victim(const std::vector<HeldSm>& sms, std::int32_t below) override;
  void reset() override;

 private:
  enum Command : std::uint64_t { kNone, kSet, kAdd, kCandidate, kVictim };
  void change(Command command, ContextId context, std::int32_t value);
  void item(Command command, ContextId context, bool last);
  // Returns the item that the scan has found. In shadow mode it is compared with that of the model.
  std::optional<std::size_t> result(std::size_t items, std::optional<std::size_t> model);

  RtlUnit unit_;
  const RtlSignalId command_, context_, value_, preempted_, running_, below_, last_, found_, index_;
  Cycle now_{};
};

}  // namespace heddle
