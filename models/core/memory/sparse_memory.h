#pragma once
// A SparseMemory keeps bytes in pages. A page that was never written, or only with zeros, reads as zero and
// takes no host memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "models/core/base/ids.h"

namespace heddle {

class SparseMemory {
 public:
  void read(Address address, unsigned char* data, std::size_t bytes) const;
  void write(Address address, const unsigned char* data, std::size_t bytes);
  void reset() { pages_.clear(); }  // Every byte reads as zero afterwards.
  std::size_t pages() const { return pages_.size(); }

 private:
  static constexpr std::size_t kPage = 4096;
  using Page = std::array<unsigned char, kPage>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // looked up only, never iterated over
};

}  // namespace heddle
