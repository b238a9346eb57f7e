#pragma once
// The `load`, `store` and `atomic` entries of a synthetic kernel: where they go.

#include <cstdint>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

// Virtual addresses of an application's buffers, one after another, and of its kernels' own regions after
// them.
class VirtualSpace {
 public:
  static constexpr Address kBase = 0x1000000000;
  static constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20;

  explicit VirtualSpace(const std::vector<ApiBuffer>& buffers);

  Address take(std::uint64_t bytes);
  const std::vector<ApiBuffer>& buffers() const { return buffers_; }
  Address base(std::uint32_t buffer) const { return bases_[buffer]; }

 private:
  const std::vector<ApiBuffer>& buffers_;
  std::vector<Address> bases_;
  Address next_ = kBase;
};

// Reads what follows `verb`: its space, and the pattern. Shared memory: within `live_shared` bytes. Problems
// are recorded.
void read_access(const config::Section& section, const std::string& verb, VirtualSpace& space,
                 std::uint64_t live_shared, SyntheticEntry& entry);

}  // namespace heddle
