#pragma once
// This file reads the memory space and the access pattern of the `load`, `store` and `atomic` entries of a
// synthetic kernel.

#include <cstdint>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

// A VirtualSpace assigns virtual addresses to the buffers of an application, one after another, and then to
// the regions of its kernels. `buffers` must outlive it.
class VirtualSpace {
 public:
  static constexpr Address kBase = 0x1000000000;
  static constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20;

  explicit VirtualSpace(const std::vector<ApiBuffer>& buffers);

  // Assigns the next `bytes` bytes and returns their first address, a multiple of kAlignment.
  Address take(std::uint64_t bytes);
  const std::vector<ApiBuffer>& buffers() const { return buffers_; }
  Address base(std::uint32_t buffer) const { return bases_[buffer]; }

 private:
  const std::vector<ApiBuffer>& buffers_;
  std::vector<Address> bases_;
  Address next_ = kBase;
};

// Reads the memory space, which is the value of the key `verb`, and the access pattern into `entry`. Accesses
// to shared memory lie within `live_shared` bytes. Problems are recorded.
void read_access(const config::Section& section, const std::string& verb, VirtualSpace& space,
                 std::uint64_t live_shared, SyntheticEntry& entry);

}  // namespace heddle
