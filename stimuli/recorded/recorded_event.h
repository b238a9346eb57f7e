#pragma once
// What a profiler has recorded of one context of a GPU: launches of kernels, copies and fills, each with the
// time for which the GPU was at it.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

namespace heddle::imported {

// From the start to the end of the GPU's work, ps on the profiler's clock.
struct Span {
  std::uint64_t start_ps = 0;
  std::uint64_t end_ps = 0;
};

// Launches of equal kernels have equal names and shapes.
struct KernelShape {
  std::string name;                             // as the profiler prints it, with template arguments
  std::string short_name;                       // without them; it becomes the name in the application
  std::array<std::uint64_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::uint64_t, 3> block{1, 1, 1};  // threads
  std::uint64_t registers = 0;                  // of a thread
  std::uint64_t static_shared = 0;              // bytes of a block
  std::uint64_t dynamic_shared = 0;             // bytes of a block

  std::uint64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::uint64_t threads() const { return block[0] * block[1] * block[2]; }

  friend bool operator<(const KernelShape& a, const KernelShape& b) {
    const auto key = [](const KernelShape& k) {
      return std::tie(k.name, k.short_name, k.grid, k.block, k.registers, k.static_shared, k.dynamic_shared);
    };
    return key(a) < key(b);
  }
};

// Returns what is wrong with a shape, or nothing. The application reader takes grids of up to 2^48 blocks and
// blocks of up to 2^16 threads.
std::string problem_of(const KernelShape& shape);

enum class CopyKind : std::uint8_t { kUp, kDown, kAcross };  // host to device, device to host, on the device
constexpr std::size_t kCopyKinds = 3;

}  // namespace heddle::imported
