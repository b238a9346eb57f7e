#include "models/rtl/roles/rtl_units.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle {

namespace {

// The bits of a double that is not negative compare as the numbers do.
std::uint64_t bits_of(double value) {
  if (value == 0) return 0;  // also of minus zero
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint32_t item_of(std::optional<std::size_t> item) {
  return item ? static_cast<std::uint32_t>(*item) : RtlShadow::kNone;
}

}  // namespace

RtlUnit::RtlUnit(RtlBlock& block, const std::string& path)
    : block_(block),
      port_(block.spec(), block.library(), block.role(), 1, path),
      shadow_(block, port_),
      done_(signal("done")) {
  block.add_instance(port_);
}

void RtlUnit::tick() {
  port_.settle();
  port_.rise();
}

void RtlUnit::wait_until_done() {
  const std::uint64_t most = block_.latency();
  for (std::uint64_t ticks = 0; ticks <= most; ++ticks) {
    port_.settle();
    if (port_.flag(done_)) {
      ++block_.choices;
      return;
    }
    port_.rise();
  }
  port_.fail(fmt::format("the unit is not done after {} ticks", most));
}

void RtlUnit::reset() {
  port_.reset();
  shadow_.reset();
}

RtlWaterFilling::RtlWaterFilling(RtlBlock& block, const std::string& path)
    : unit_(block, path),
      write_(unit_.signal("write")),
      kind_(unit_.signal("write_kind")),
      kernel_(unit_.signal("write_kernel")),
      index_(unit_.signal("write_index")),
      value_(unit_.signal("write_value")),
      kernels_(unit_.signal("kernels")),
      start_(unit_.signal("start")),
      read_(unit_.signal("read_kernel")),
      feasible_(unit_.signal("feasible")),
      blocks_(unit_.signal("blocks")) {}

std::vector<std::uint32_t> RtlWaterFilling::fill(const std::vector<SharingKernel>& kernels,
                                                 const SmLimits& limits, Cycle now) {
  RtlPort& port = unit_.port();
  port.clear_inputs();
  write_resources(kLimit, 0,
                  {limits.threads, limits.warps, limits.registers, limits.shared_bytes, limits.block_slots});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::vector<double>& performance = kernels[i].performance;
    for (std::size_t n = 0; n < performance.size(); ++n) write(kPerformance, i, n, bits_of(performance[n]));
    write(kEntries, i, 0, performance.size());
    write_resources(kNeed, i, kernels[i].block);
  }
  port.set(write_, 0);
  port.set(kernels_, kernels.size());
  port.set(start_, 1);
  unit_.tick();
  port.set(start_, 0);
  unit_.wait_until_done();
  std::vector<std::uint32_t> found = result(kernels.size());
  if (!unit_.block().shadows()) return found;
  std::vector<std::uint32_t> model = WaterFillingUnit::fill(kernels, limits, now);
  unit_.compare(now, "feasible", model.empty() ? 0 : 1, found.empty() ? 0 : 1);
  for (std::size_t i = 0; i < std::min(model.size(), found.size()); ++i)
    unit_.compare(now, fmt::format("blocks[{}]", i), model[i], found[i]);
  return model;
}

void RtlWaterFilling::write(Kind kind, std::size_t kernel, std::size_t index, std::uint64_t value) {
  RtlPort& port = unit_.port();
  port.set(write_, 1);
  port.set(kind_, kind);
  port.set(kernel_, kernel);
  port.set(index_, index);
  port.set(value_, value);
  unit_.tick();
}

void RtlWaterFilling::write_resources(Kind kind, std::size_t kernel, const BlockResources& resources) {
  std::size_t index = 0;
  for (const std::uint32_t amount :
       {resources.threads, resources.warps, resources.registers, resources.shared_bytes, resources.blocks})
    write(kind, kernel, index++, amount);
}

// Reads the result in the tick in which the unit is done.
std::vector<std::uint32_t> RtlWaterFilling::result(std::size_t kernels) {
  RtlPort& port = unit_.port();
  std::vector<std::uint32_t> blocks;
  if (port.flag(feasible_))
    for (std::size_t i = 0; i < kernels; ++i) {
      port.set(read_, i);
      port.settle();
      blocks.push_back(static_cast<std::uint32_t>(port.number(blocks_)));
    }
  port.rise();
  return blocks;
}

RtlTokenUnit::RtlTokenUnit(RtlBlock& block, const std::string& path)
    : unit_(block, path),
      command_(unit_.signal("command")),
      context_(unit_.signal("context")),
      value_(unit_.signal("value")),
      preempted_(unit_.signal("preempted")),
      running_(unit_.signal("running")),
      below_(unit_.signal("below")),
      last_(unit_.signal("last")),
      found_(unit_.signal("found")),
      index_(unit_.signal("index")) {}

void RtlTokenUnit::begin(const std::vector<std::int32_t>& counts, Cycle now) {
  TokenUnit::begin(counts, now);
  now_ = now;
  unit_.port().clear_inputs();
  for (std::uint32_t i = 0; i < counts.size(); ++i) change(kSet, ContextId{i}, counts[i]);
}

void RtlTokenUnit::add(ContextId context, std::int32_t amount) {
  TokenUnit::add(context, amount);
  change(kAdd, context, amount);
}

void RtlTokenUnit::change(Command command, ContextId context, std::int32_t value) {
  RtlPort& port = unit_.port();
  port.set(command_, command);
  port.set(context_, context.value);
  port.set_signed(value_, value);
  unit_.tick();
}

std::size_t RtlTokenUnit::candidate(const std::vector<ContextId>& contexts) {
  for (std::size_t i = 0; i < contexts.size(); ++i) item(kCandidate, contexts[i], i + 1 == contexts.size());
  const std::optional<std::size_t> found = result(contexts.size(), TokenUnit::candidate(contexts));
  if (!found) unit_.port().fail("the unit has found no candidate among kernels that want an SM");
  return *found;
}

std::optional<std::size_t> RtlTokenUnit::victim(const std::vector<HeldSm>& sms, std::int32_t below) {
  RtlPort& port = unit_.port();
  port.set_signed(below_, below);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    port.set(preempted_, sms[i].preempted ? 1 : 0);
    port.set(running_, sms[i].running);
    item(kVictim, sms[i].context, i + 1 == sms.size());
  }
  return result(sms.size(), TokenUnit::victim(sms, below));
}

void RtlTokenUnit::item(Command command, ContextId context, bool last) {
  RtlPort& port = unit_.port();
  port.set(command_, command);
  port.set(context_, context.value);
  port.set(last_, last ? 1 : 0);
  unit_.tick();
}

std::optional<std::size_t> RtlTokenUnit::result(std::size_t items, std::optional<std::size_t> model) {
  RtlPort& port = unit_.port();
  port.set(command_, kNone);
  port.set(last_, 0);
  unit_.wait_until_done();
  std::optional<std::size_t> found;
  if (port.flag(found_)) found = port.number(index_);
  port.rise();
  if (unit_.block().shadows()) {
    unit_.compare(now_, "index", item_of(model), item_of(found));
    return model;
  }
  if (found && *found >= items) port.fail(fmt::format("the unit has found item {} of {}", *found, items));
  return found;
}

void RtlTokenUnit::reset() {
  TokenUnit::reset();
  unit_.reset();
}

}  // namespace heddle
