#pragma once
// A RequestNumber says what the answer to a request of the SM is for. MemoryRequest::number holds it as one
// word, which comes back with the answer.

#include <cstdint>

#include "models/sm/pipeline/cache.h"

namespace heddle {

struct RequestNumber {
  enum class Answers : std::uint8_t {
    kFetch,     // the MSHR `index` of the instruction cache
    kLine,      // the MSHR `index` of L1
    kConstant,  // of the constant cache
    kTexture,   // of the texture cache
    kDirect,    // the entry `index` of the load/store unit
    kStore,     // the warp slot `index`
    kBulkCopy,  // the copy `index` of the BulkCopyUnit
    kNobody,    // a write-back, or a store to swap space
  };
  Answers answers = Answers::kFetch;
  Cache::Sectors sectors = 0;  // of the line, at most 8
  std::uint32_t index = 0;

  std::uint64_t packed() const {
    return std::uint64_t{index} | std::uint64_t{sectors} << 32 | static_cast<std::uint64_t>(answers) << 56;
  }
  static RequestNumber of(std::uint64_t packed) {
    return {static_cast<Answers>(packed >> 56), static_cast<Cache::Sectors>(packed >> 32 & 0xff),
            static_cast<std::uint32_t>(packed)};
  }
};

}  // namespace heddle
