#include "models/core/memory/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace heddle {

namespace {

bool all_zero(const unsigned char* data, std::size_t bytes) {
  return bytes == 0 || (data[0] == 0 && std::memcmp(data, data + 1, bytes - 1) == 0);
}

}  // namespace

void SparseMemory::read(Address address, unsigned char* data, std::size_t bytes) const {
  while (bytes > 0) {
    const std::size_t offset = address % kPage;
    const std::size_t part = std::min(bytes, kPage - offset);
    const auto page = pages_.find(address / kPage);
    if (page == pages_.end())
      std::memset(data, 0, part);
    else
      std::memcpy(data, page->second->data() + offset, part);
    address += part;
    data += part;
    bytes -= part;
  }
}

void SparseMemory::write(Address address, const unsigned char* data, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t offset = address % kPage;
    const std::size_t part = std::min(bytes, kPage - offset);
    auto page = pages_.find(address / kPage);
    if (page == pages_.end() && !all_zero(data, part))
      page = pages_.emplace(address / kPage, std::make_unique<Page>()).first;
    if (page != pages_.end()) std::memcpy(page->second->data() + offset, data, part);
    address += part;
    data += part;
    bytes -= part;
  }
}

}  // namespace heddle
