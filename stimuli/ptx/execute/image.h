#pragma once
// A module's .global and .const variables as they lie in a context's device memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

struct Image {
  static constexpr std::uint64_t kParameterBytes = 4096;  // the most an entry may take

  std::shared_ptr<const Module> module;
  Address address = 0;
  std::vector<std::uint64_t> offsets;  // by Module::variables, from `address`; of shared ones kNowhere
  std::vector<std::byte> bytes;        // what lies there when the module is loaded
  std::uint64_t parameters = 0;        // offset of kParameterBytes where launches' parameters are read from

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  Address address_of(std::uint32_t variable) const { return address + offsets[variable]; }
};

// How many bytes the image takes; at least one.
std::uint64_t image_bytes(const Module& module);
// The image of a module that is loaded at `address`, a multiple of 256.
Image lay_out_image(std::shared_ptr<const Module> module, Address address);

}  // namespace heddle::ptx
