#include "tests/support/machine/dispatch_probe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::test {

bool BlockLedger::balanced() const {
  return set_ups == ready && samples_asked == samples &&
         std::all_of(blocks.begin(), blocks.end(),
                     [](const auto& block) { return block.second.issued == 1 && block.second.done == 1; });
}

DispatchProbe::DispatchProbe(sc_core::sc_module_name name, BlockLedger& ledger)
    : sc_core::sc_module(name), ledger_(ledger) {
  engine.bind(static_cast<MessageIf<SmRequest>&>(*this));
  sm.bind(static_cast<MessageIf<SmReply>&>(*this));
}

void DispatchProbe::receive(const SmRequest& request, std::uint64_t latency) {
  if (const auto* set_up = std::get_if<SetUpSlice>(&request)) {
    ++ledger_.set_ups;
    kernel_of_[set_up->ksr.value] = set_up->kernel->launch.kernel.value;
  } else if (std::holds_alternative<TakeSample>(request)) {
    ++ledger_.samples_asked;
  } else if (const auto* issue = std::get_if<IssueBlock>(&request); issue && issue->saved == nullptr) {
    EXPECT_EQ(kernel_of_.count(issue->ksr.value), 1u) << name() << ": a block before its set-up";
    const auto seen = ++ledger_.blocks[{kernel_of_[issue->ksr.value], issue->block.value}].issued;
    EXPECT_EQ(seen, 1) << name() << ": block " << issue->block.value << " issued again";
  }
  sm->receive(request, latency);
}

void DispatchProbe::receive(const SmReply& reply, std::uint64_t latency) {
  if (std::holds_alternative<SliceReady>(reply)) {
    ++ledger_.ready;
  } else if (std::holds_alternative<SmSampled>(reply)) {
    ++ledger_.samples;
  } else if (const auto* done = std::get_if<BlockDone>(&reply)) {
    BlockLedger::Seen& seen = ledger_.blocks[{kernel_of_[done->ksr.value], done->block.value}];
    EXPECT_EQ(++seen.done, seen.issued) << name() << ": block " << done->block.value;
  } else if (const auto* flushed = std::get_if<BlockFlushed>(&reply)) {
    --ledger_.blocks[{kernel_of_[flushed->ksr.value], flushed->block.value}]
          .issued;  // it is issued once more
  }
  engine->receive(reply, latency);
}

}  // namespace heddle::test
