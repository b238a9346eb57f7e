#pragma once
// The requests that a test sends to an SM in place of the execution engine.

#include <memory>
#include <utility>

#include "models/core/kernel/dispatch_messages.h"

namespace heddle {

inline SmRequest issue_request(std::uint32_t ksr, std::uint64_t block,
                               std::shared_ptr<const SavedBlock> saved = nullptr) {
  return IssueBlock{KsrId{ksr}, BlockId{block}, std::move(saved), nullptr};
}
inline SmRequest set_up_request(std::uint32_t ksr, const KernelLaunch& launch) {
  return SetUpSlice{KsrId{ksr}, std::make_shared<KernelSetUp>(KernelSetUp{launch})};
}
inline SmRequest halt_request(std::uint32_t ksr) {
  return HaltBlocks{KsrId{ksr}};
}
inline SmRequest limit_request(std::uint32_t ksr, std::uint32_t blocks) {
  return LimitBlocks{KsrId{ksr}, blocks};
}
inline SmRequest save_request(std::uint32_t ksr, std::uint64_t block, std::uint32_t area = 0) {
  return SaveBlock{KsrId{ksr}, BlockId{block}, area};
}
inline SmRequest flush_request(std::uint32_t ksr, std::uint64_t block) {
  return FlushBlock{KsrId{ksr}, BlockId{block}};
}
inline SmRequest sample_request(std::uint64_t asked = 0) {
  return TakeSample{Cycle{asked}};
}

}  // namespace heddle
