#include "stimuli/ptx/execute/generic_addresses.h"

#include <cstring>

namespace heddle::ptx {
namespace {

bool in_constants(const Image& image, std::uint64_t address) {
  for (std::size_t i = 0; i < image.offsets.size(); ++i)
    if (image.module->variables[i].space == Space::kConst && address >= image.address + image.offsets[i] &&
        address - image.address - image.offsets[i] < image.module->variables[i].bytes)
      return true;
  return false;
}

}  // namespace

void convert_addresses(const WarpStep& at) {
  const Statement& statement = *at.step.statement;
  const std::uint64_t window = window_of(statement.space);
  const auto* const from = reinterpret_cast<const std::uint64_t*>(at.warp.at(at.step.source[0]));  // NOLINT
  auto* const to = reinterpret_cast<std::uint64_t*>(at.warp.at(at.step.destination[0]));           // NOLINT
  const std::uint64_t added = statement.has(kTo) ? std::uint64_t{0} - window : window;
  for_each_lane(at.active, [&](std::uint32_t lane) { to[lane] = from[lane] + added; });
}

void test_address_space(const WarpStep& at, const Image& image) {
  const Space wanted = at.step.statement->space;
  const Row& from = at.step.source[0];
  const std::size_t bytes = from.wide ? 8 : 4;
  std::uint32_t& to = *at.warp.words_at(at.step.destination[0]);
  for_each_lane(at.active, [&](std::uint32_t lane) {
    std::uint64_t address = 0;
    std::memcpy(&address, at.warp.at(from) + lane * bytes, bytes);
    const Space found = space_of_generic(address);
    const bool constant = found == Space::kGlobal && in_constants(image, address);
    const bool inside = wanted == Space::kConst ? constant : found == wanted && !constant;
    to = (to & ~(1U << lane)) | static_cast<std::uint32_t>(inside) << lane;
  });
}

}  // namespace heddle::ptx
