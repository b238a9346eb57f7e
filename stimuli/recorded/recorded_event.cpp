#include "stimuli/recorded/recorded_event.h"

#include <fmt/format.h>

namespace heddle::imported {

namespace {

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48U;
constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 16U;
constexpr std::uint64_t kMostRegisters = 65536;
constexpr std::uint64_t kMostShared = std::uint64_t{1} << 30U;

// Returns the product, or 0 if it is more than `most` or a factor is 0.
std::uint64_t product(const std::array<std::uint64_t, 3>& factors, std::uint64_t most) {
  std::uint64_t result = 1;
  for (const std::uint64_t factor : factors) {
    if (factor == 0 || factor > most / result) return 0;
    result *= factor;
  }
  return result;
}

}  // namespace

std::string problem_of(const KernelShape& shape) {
  if (shape.name.empty()) return "a kernel without a name";
  const auto text = [](const std::array<std::uint64_t, 3>& size) {
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
  };
  if (product(shape.grid, kMostBlocks) == 0)
    return fmt::format("a grid of {} blocks; it has 1 to 2^48", text(shape.grid));
  if (product(shape.block, kMostThreads) == 0)
    return fmt::format("a block of {} threads; it has 1 to 2^16", text(shape.block));
  if (shape.registers > kMostRegisters)
    return fmt::format("{} registers a thread; at most {}", shape.registers, kMostRegisters);
  if (shape.static_shared > kMostShared || shape.dynamic_shared > kMostShared - shape.static_shared)
    return fmt::format("{} and {} bytes of shared memory; at most 1 GiB together", shape.static_shared,
                       shape.dynamic_shared);
  return {};
}

}  // namespace heddle::imported
