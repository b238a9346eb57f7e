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
  if (request.kind == SmRequest::Kind::kSetUp) {
    ++ledger_.set_ups;
    kernel_of_[request.ksr.value] = request.launch.kernel.value;
  } else if (request.kind == SmRequest::Kind::kSample) {
    ++ledger_.samples_asked;
  } else if (request.kind == SmRequest::Kind::kIssue && request.saved == nullptr) {
    EXPECT_EQ(kernel_of_.count(request.ksr.value), 1u) << name() << ": a block before its set-up";
    const auto seen = ++ledger_.blocks[{kernel_of_[request.ksr.value], request.block.value}].issued;
    EXPECT_EQ(seen, 1) << name() << ": block " << request.block.value << " issued again";
  }
  sm->receive(request, latency);
}

void DispatchProbe::receive(const SmReply& reply, std::uint64_t latency) {
  if (reply.kind == SmReply::Kind::kReady) {
    ++ledger_.ready;
  } else if (reply.kind == SmReply::Kind::kSample) {
    ++ledger_.samples;
  } else if (reply.kind == SmReply::Kind::kBlockDone) {
    BlockLedger::Seen& seen = ledger_.blocks[{kernel_of_[reply.ksr.value], reply.block.value}];
    EXPECT_EQ(++seen.done, seen.issued) << name() << ": block " << reply.block.value;
  }
  if (reply.kind == SmReply::Kind::kBlockFlushed)
    --ledger_.blocks[{kernel_of_[reply.ksr.value], reply.block.value}].issued;  // it is issued once more
  engine->receive(reply, latency);
}

}  // namespace heddle::test
