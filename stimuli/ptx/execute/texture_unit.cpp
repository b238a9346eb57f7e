#include "stimuli/ptx/execute/texture_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "stimuli/ptx/textures/texture_sampler.h"

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
  const Geometry geometry = geometry_of(statement.variant);
  const std::size_t first = geometry.layered ? 2 : 1;  // source of the first coordinate
  const auto point_of = [&](std::uint32_t lane) {
    SamplePoint point;
    if (geometry.layered) point.layer = lane_value<std::uint32_t>(at, at.step.source[1], lane);
    for (std::size_t i = 0; i < geometry.dimensions; ++i) {
      const Row& row = at.step.source[first + i];
      point.at[i] = integers ? static_cast<double>(lane_value<std::int32_t>(at, row, lane))
                             : static_cast<double>(lane_value<float>(at, row, lane));
    }
    return point;
  };
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Texture& texture = texture_of(at, lane);
    Texel texel;
    try {
      const SamplePoint point = point_of(lane);
      texel = statement.opcode == Opcode::kTld4
                  ? gather(texture, state_.memory, point, static_cast<std::size_t>(statement.component))
                  : sample(texture, state_.memory, point, integers);
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

void TextureUnit::load(const WarpStep& at, IssuedInstruction& issued) const {
  const std::uint32_t bytes = bytes_of(at.step.statement->type);
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address first = surface_address(at, lane, issued);
    for (std::size_t i = 0; i < at.step.destinations; ++i) {
      std::uint64_t value = 0;
      try {
        if (first != 0) state_.memory.read(first + i * bytes, &value, bytes);
      } catch (const std::out_of_range& error) {
        faults_.raise(at, lane, error.what());
      }
      const Row& to = at.step.destination[i];
      const std::size_t width = to.wide ? 8 : 4;
      std::memcpy(at.warp.at(to) + lane * width, &value, width);
    }
  });
}

void TextureUnit::store(const WarpStep& at, IssuedInstruction& issued) const {
  const std::uint32_t bytes = bytes_of(at.step.statement->type);
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const Address first = surface_address(at, lane, issued);
    if (first == 0) return;
    for (std::size_t i = 0; i < at.step.destinations; ++i) {
      const Row& row = at.step.destination[i];
      try {
        state_.memory.write(first + i * bytes, at.warp.at(row) + std::size_t{lane} * (row.wide ? 8 : 4),
                            bytes);
      } catch (const std::out_of_range& error) {
        faults_.raise(at, lane, error.what());
      }
    }
  });
}

// The x coordinate counts bytes, and the others rows and slices (PTX ISA, suld and sust).
Address TextureUnit::surface_address(const WarpStep& at, std::uint32_t lane,
                                     IssuedInstruction& issued) const {
  const Statement& statement = *at.step.statement;
  const Geometry geometry = geometry_of(statement.variant);
  const Texture& surface = texture_of(at, lane);
  const std::int64_t accessed = std::int64_t{bytes_of(statement.type)} * statement.width;
  const auto row_bytes = static_cast<std::int64_t>(surface.width * texel_bytes(surface));
  const std::array<std::int64_t, 3> sizes{row_bytes, surface.height == 0 ? 1 : surface.height,
                                          static_cast<std::int64_t>(surface.slices())};
  std::array<std::int64_t, 3> index{};
  for (std::size_t i = 0; i < geometry.dimensions; ++i)
    index[i] = lane_value<std::int32_t>(at, at.step.source[i + (geometry.layered ? 2 : 1)], lane);
  if (geometry.layered) index[2] = lane_value<std::uint32_t>(at, at.step.source[1], lane);
  bool outside = index[0] + accessed > sizes[0];
  for (std::size_t i = 0; i < index.size(); ++i) outside = outside || index[i] < 0 || index[i] >= sizes[i];
  issued.addresses[lane] = surface.address;
  if (outside && statement.bounds == Bounds::kZero) return 0;
  if (outside && statement.bounds == Bounds::kTrap)
    faults_.raise(at, lane,
                  fmt::format("an access at ({}) of a surface of {} bytes by {} rows by {} slices",
                              fmt::join(index, ", "), sizes[0], sizes[1], sizes[2]));
  index[0] = std::clamp<std::int64_t>(index[0], 0, std::max<std::int64_t>(row_bytes - accessed, 0));
  for (std::size_t i = 1; i < index.size(); ++i)
    index[i] = std::clamp<std::int64_t>(index[i], 0, sizes[i] - 1);
  issued.addresses[lane] = surface.address + static_cast<std::uint64_t>(index[2]) * surface.slice +
                           static_cast<std::uint64_t>(index[1]) * surface.pitch +
                           static_cast<std::uint64_t>(index[0]);
  return issued.addresses[lane];
}

}  // namespace heddle::ptx
