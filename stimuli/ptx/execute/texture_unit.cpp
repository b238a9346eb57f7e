#include "stimuli/ptx/execute/texture_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "stimuli/ptx/execute/texture_sampler.h"

namespace heddle::ptx {
namespace {

template <typename Value>
Value lane_value(const WarpStep& at, const Row& row, std::uint32_t lane) {
  Value value{};
  std::memcpy(&value, at.warp.at(row) + std::size_t{lane} * sizeof(value), sizeof(value));
  return value;
}

}  // namespace

const Texture& TextureUnit::texture_of(const WarpStep& at, std::uint32_t lane) const {
  if (at.step.target != Statement::kNowhere) {
    const auto bound = state_.launch.textures.find(at.step.target);
    if (bound == state_.launch.textures.end())
      faults_.raise(at, lane,
                    fmt::format("nothing is bound to '{}'", state_.module().variables[at.step.target].name));
    return bound->second;
  }
  const auto handle = lane_value<std::uint64_t>(at, at.step.source[0], lane);
  if (state_.launch.handles != nullptr)
    if (const auto known = state_.launch.handles->find(handle); known != state_.launch.handles->end())
      return known->second;
  faults_.raise(at, lane, fmt::format("{:#x} is no texture or surface", handle));
}

void TextureUnit::fetch(const WarpStep& at, IssuedInstruction& issued) const {
  const Statement& statement = *at.step.statement;
  const bool integers = statement.source_type == Type::kS32;
  const auto coordinate = [&](std::size_t index, std::uint32_t lane) -> double {
    if (index >= at.step.sources) return 0;
    const Row& row = at.step.source[index];
    return integers ? static_cast<double>(lane_value<std::int32_t>(at, row, lane))
                    : static_cast<double>(lane_value<float>(at, row, lane));
  };
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Texture& texture = texture_of(at, lane);
    Texel texel;
    try {
      texel = sample(texture, state_.memory, coordinate(1, lane), coordinate(2, lane), integers);
    } catch (const std::out_of_range& error) {
      faults_.raise(at, lane, error.what());
    }
    issued.addresses[lane] = texel.address;
    for (std::size_t i = 0; i < at.step.destinations; ++i) {
      const Row& to = at.step.destination[i];
      const auto narrow = static_cast<std::int32_t>(texel.channels[i]);
      const std::int64_t value = statement.type == Type::kS32 ? std::int64_t{narrow} : texel.channels[i];
      const std::size_t bytes = to.wide ? 8 : 4;
      std::memcpy(at.warp.at(to) + lane * bytes, &value, bytes);
    }
  });
}

void TextureUnit::store(const WarpStep& at, IssuedInstruction& issued) const {
  for_each_lane(at.active, [&](std::uint32_t lane) { store_lane(at, lane, issued); });
}

// The x coordinate of sust.b counts bytes (PTX ISA, sust).
void TextureUnit::store_lane(const WarpStep& at, std::uint32_t lane, IssuedInstruction& issued) const {
  const Statement& statement = *at.step.statement;
  const std::uint32_t bytes = bytes_of(statement.type);
  const auto coordinate = [&](std::size_t index) -> std::int64_t {
    return index < at.step.index ? lane_value<std::int32_t>(at, at.step.source[index], lane) : 0;
  };
  const Texture& surface = texture_of(at, lane);
  const std::int64_t rows = surface.height == 0 ? 1 : surface.height;
  const auto row_bytes = static_cast<std::int64_t>(surface.width * texel_bytes(surface));
  const std::int64_t all = std::int64_t{bytes} * statement.width;
  std::int64_t x = coordinate(1);
  std::int64_t y = statement.variant == Variant::kTwoD ? coordinate(2) : 0;
  const bool outside = x < 0 || y < 0 || x + all > row_bytes || y >= rows;
  issued.addresses[lane] = surface.address;
  if (outside && statement.bounds == Bounds::kZero) return;
  if (outside && statement.bounds == Bounds::kTrap)
    faults_.raise(
        at, lane,
        fmt::format("a store at ({}, {}) of a surface of {} bytes by {} rows", x, y, row_bytes, rows));
  x = std::clamp<std::int64_t>(x, 0, std::max<std::int64_t>(row_bytes - all, 0));
  y = std::clamp<std::int64_t>(y, 0, rows - 1);
  const Address first =
      surface.address + static_cast<std::uint64_t>(y) * surface.pitch + static_cast<std::uint64_t>(x);
  issued.addresses[lane] = first;
  for (std::size_t i = 0; i < at.step.destinations; ++i) {
    const Row& row = at.step.destination[i];
    try {
      state_.memory.write(first + i * bytes, at.warp.at(row) + std::size_t{lane} * (row.wide ? 8 : 4), bytes);
    } catch (const std::out_of_range& error) {
      faults_.raise(at, lane, error.what());
    }
  }
}

}  // namespace heddle::ptx
