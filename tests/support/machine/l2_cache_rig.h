#pragma once
// The L2 cache of one slice, without its slice.

#include <gtest/gtest.h>

#include <string>

#include "models/l2/l2_cache.h"

namespace heddle::test {

inline L2Spec small_l2(std::uint32_t fill = 64) {
  L2Spec spec;
  spec.sets = 4;
  spec.ways = 2;
  spec.mshrs = 8;
  spec.merges = 2;
  spec.fill_bytes = fill;
  return spec;
}

// An L2 cache alone, whose fills arrive when a test says so.
struct L2CacheRig {
  explicit L2CacheRig(const L2Spec& spec) : stats("l2"), cache(spec, stats) {}

  L2Cache::Access request(L2Cache::Kind kind, Address address, std::uint32_t bytes) {
    L2Cache::Access access;
    access.kind = kind;
    access.address = access.index = address;
    access.bytes = bytes;
    access.request = ++number;
    access.context = context;
    if (kind == L2Cache::Kind::kWrite)
      for (std::uint32_t s = address % 128 / 32; s < (address % 128 + bytes) / 32; ++s)
        access.written[s] = L2Cache::kWholeSector;
    return access;
  }
  L2Cache::Stall access(L2Cache::Kind kind, Address address, std::uint32_t bytes) {
    return cache.access(request(kind, address, bytes), 6, outcome);
  }
  // Completes all fills of the last outcome.
  void fill_all() {
    for (std::uint32_t i = 0; i < outcome.transfers; ++i)
      if (!outcome.transfer[i].write) fill(outcome.transfer[i].mshr);
  }
  void fill(MshrFile::Entry entry) {
    cache.filled(entry);
    cache.release_fill(entry);
  }
  std::uint64_t counter(const std::string& name) const {
    const Counter* found = stats.find("l2." + name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? 0 : found->value();
  }

  Group stats;
  L2Cache cache;
  L2Cache::Outcome outcome;
  std::uint64_t number = 0;
  ContextId context{0};
};

}  // namespace heddle::test
