#pragma once
// The requests that a test sends to an SM in place of the execution engine.

#include "models/core/kernel/messages.h"

namespace heddle {

inline SmRequest issue_request(std::uint32_t ksr, std::uint64_t block) {
  SmRequest request;
  request.ksr = KsrId{ksr};
  request.block = BlockId{block};
  return request;
}
inline SmRequest halt_request(std::uint32_t ksr) {
  SmRequest request;
  request.kind = SmRequest::Kind::kHalt;
  request.ksr = KsrId{ksr};
  return request;
}
inline SmRequest limit_request(std::uint32_t ksr, std::uint32_t blocks) {
  SmRequest request;
  request.kind = SmRequest::Kind::kLimit;
  request.ksr = KsrId{ksr};
  request.limit = blocks;
  return request;
}
inline SmRequest sample_request(std::uint64_t asked = 0) {
  SmRequest request;
  request.kind = SmRequest::Kind::kSample;
  request.asked = Cycle{asked};
  return request;
}

}  // namespace heddle
