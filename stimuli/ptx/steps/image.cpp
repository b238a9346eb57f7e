#include "stimuli/ptx/steps/image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/core/base/check.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kLeastAlignment = 256;  // bytes, of the parameters and of every allocation

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool has_place(const Variable& variable) {
  return (variable.space == Space::kGlobal || variable.space == Space::kConst) && !variable.external;
}

struct Offsets {
  std::vector<std::uint64_t> offsets;
  std::uint64_t parameters = 0;
  std::uint64_t end = 0;
};

// Variables lie in text order.
Offsets place(const Module& module) {
  Offsets places;
  for (const Variable& variable : module.variables) {
    if (!has_place(variable)) {
      places.offsets.push_back(Image::kNowhere);
      continue;
    }
    const std::uint64_t offset = aligned(places.end, std::max(variable.alignment, 1U));
    places.offsets.push_back(offset);
    places.end = offset + variable.bytes;
  }
  places.parameters = aligned(places.end, kLeastAlignment);
  std::uint64_t area = Image::kLeastParameterArea;
  for (const Function& function : module.functions)
    if (function.entry && function.parameter_bytes <= Image::kMostParameterBytes)
      area = std::max<std::uint64_t>(area, function.parameter_bytes);
  places.end = places.parameters + area;
  return places;
}

}  // namespace

std::uint64_t image_bytes(const Module& module) {
  return place(module).end;
}

Image lay_out_image(std::shared_ptr<const Module> module, Address address) {
  HEDDLE_CHECK(address % kLeastAlignment == 0, "PTX image", Cycle{}, "{:#x} is not aligned", address);
  Offsets places = place(*module);
  Image image;
  image.module = std::move(module);
  image.address = address;
  image.offsets = std::move(places.offsets);
  image.parameters = places.parameters;
  image.bytes.resize(places.end);
  for (std::size_t i = 0; i < image.offsets.size(); ++i) {
    if (image.offsets[i] == Image::kNowhere) continue;
    const Variable& variable = image.module->variables[i];
    std::byte* const start = image.bytes.data() + image.offsets[i];
    if (!variable.initial.empty()) std::memcpy(start, variable.initial.data(), variable.initial.size());
    for (const Relocation& relocation : variable.relocations) {
      const std::uint64_t offset = image.offsets[relocation.variable];
      // A .shared variable has no address before a block runs.
      if (offset == Image::kNowhere) continue;
      const std::uint64_t target = address + offset + relocation.addend;
      std::memcpy(start + relocation.offset, &target, relocation.bytes);
    }
  }
  return image;
}

}  // namespace heddle::ptx
