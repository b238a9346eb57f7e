#include "models/sm/pipeline/crossbar_queue.h"

namespace heddle {

std::uint32_t CrossbarQueue::add(const MemoryRequest& whole, RequestNumber number, Cache::Sectors sectors,
                                 std::uint32_t latency, Cycle now, const LineAccess* atomic) {
  std::uint32_t added = 0;
  std::uint32_t left = sectors;
  for (; left != 0; ++added) {
    const auto first = static_cast<std::uint32_t>(__builtin_ctz(left));
    const auto length = static_cast<std::uint32_t>(__builtin_ctz(~(left >> first)));
    const std::uint32_t run = ((1u << length) - 1) << first;
    left &= ~run;
    MemoryRequest request = whole;
    request.address += Address{first} * kSectorBytes;
    request.bytes = length * kSectorBytes;
    for (std::uint32_t sector = first; atomic != nullptr && sector < first + length; ++sector) {
      request.lanes = static_cast<std::uint8_t>(request.lanes + atomic->lanes[sector]);
      request.depth = static_cast<std::uint8_t>(request.depth + atomic->depth[sector]);
    }
    number.sectors = static_cast<Cache::Sectors>(run);
    request.number = number.packed();
    if (tracer_ != nullptr) request.trace = tracer_->request(request, now);
    if (latency > 0)
      leaving_.push({now + latency, request});
    else
      requests_.push(request);
  }
  return added;
}

// At least one request leaves.
bool CrossbarQueue::move(Cycle now) {
  for (; !leaving_.empty() && leaving_.front().due <= now && has_room(); leaving_.pop())
    requests_.push(leaving_.front().request);
  return true;
}

}  // namespace heddle
