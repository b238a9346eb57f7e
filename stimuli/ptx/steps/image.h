#pragma once
// The image of a module is the layout of its .global and .const variables in a context's device memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

struct Image {
  // The most bytes of an entry's parameters (CUDA C++ Programming Guide, "__global__ Function Parameters").
  static constexpr std::uint64_t kMostParameterBytes = 32764;
  static constexpr std::uint64_t kLeastParameterArea = 4096;  // which every image has

  std::shared_ptr<const Module> module;
  Address address = 0;
  std::vector<std::uint64_t> offsets;  // by Module::variables, from `address`; kNowhere: a .shared variable
  std::vector<std::byte> bytes;        // initial contents
  std::uint64_t parameters = 0;        // offset of the area that holds the parameters of a launch

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  Address address_of(std::uint32_t variable) const { return address + offsets[variable]; }
};

// Returns the bytes of the image, which are at least one.
std::uint64_t image_bytes(const Module& module);
// Returns the image of a module that is loaded at `address`, which is a multiple of 256.
Image lay_out_image(std::shared_ptr<const Module> module, Address address);

}  // namespace heddle::ptx
