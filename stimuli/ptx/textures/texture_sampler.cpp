#include "stimuli/ptx/textures/texture_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace heddle::ptx {
namespace {

constexpr double kFractions = 256;  // the weights of a linear filter have 8 fraction bits

float half_value(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10U & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return mantissa != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 0x400U), static_cast<int>(exponent) - 25);
}

std::uint32_t bits_of_float(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Returns the index of the texel, or -1 for a texel of the border, which is zero.
std::int64_t wrapped(double texel, std::uint32_t size, Texture::Wrap wrap) {
  const double last = size - 1.0;
  if (!(texel >= 0)) {  // NaN too
    if (wrap == Texture::Wrap::kBorder) return -1;
    if (wrap == Texture::Wrap::kClamp || texel != texel) return 0;
  } else if (texel > last) {
    if (wrap == Texture::Wrap::kBorder) return -1;
    if (wrap == Texture::Wrap::kClamp) return static_cast<std::int64_t>(size) - 1;
  } else {
    return static_cast<std::int64_t>(texel);
  }
  const double period = wrap == Texture::Wrap::kMirror ? 2.0 * size : size;
  double inside = std::isfinite(texel) ? texel - std::floor(texel / period) * period : 0;
  if (inside > last) inside = wrap == Texture::Wrap::kMirror ? period - 1 - inside : 0;
  return static_cast<std::int64_t>(std::clamp(inside, 0.0, last));
}

using Axes = std::array<double, 3>;
using Wraps = std::array<Texture::Wrap, 3>;

class Sampler {
 public:
  // All texels are of one slice, unless the texture has three dimensions.
  Sampler(const Texture& texture, const DeviceMemory& memory, std::uint64_t slice)
      : texture_(texture),
        memory_(memory),
        base_(texture.address + slice * texture.slice),
        sizes_{texture.width, texture.height, texture.depth} {}

  // Texels outside of an array that is addressed by indices are zero.
  Texel fetch(const Axes& at) {
    return nearest(at, {Texture::Wrap::kBorder, Texture::Wrap::kBorder, Texture::Wrap::kBorder});
  }

  Texel nearest(const Axes& at) {
    Wraps used = texture_.wrap;
    for (Texture::Wrap& wrap : used) {
      const bool folds = wrap == Texture::Wrap::kWrap || wrap == Texture::Wrap::kMirror;
      if (folds && !texture_.normalized_coordinates) wrap = Texture::Wrap::kClamp;
    }
    return nearest(at, used);
  }

  Texel linear(const Axes& at) {
    Axes first{};
    Axes share{};  // of the texel behind the first one
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (sizes_[i] == 0) continue;
      first[i] = std::floor(at[i] - 0.5);
      share[i] = std::nearbyint((at[i] - 0.5 - first[i]) * kFractions) / kFractions;
    }
    std::array<double, 4> sum{};
    Texel result;
    for (unsigned corner = 0; corner < 8; ++corner) {
      double weight = 1;
      for (unsigned i = 0; i < share.size(); ++i) weight *= (corner >> i & 1U) != 0 ? share[i] : 1 - share[i];
      if (weight == 0) continue;
      Texel texel = nearest(corner_of(first, corner));
      if (result.address == 0) result.address = texel.address;
      for (std::size_t c = 0; c < sum.size(); ++c) {
        float value = 0;
        std::memcpy(&value, &texel.channels[c], sizeof(value));
        sum[c] += weight * value;
      }
    }
    for (std::size_t c = 0; c < sum.size(); ++c)
      result.channels[c] = bits_of_float(static_cast<float>(sum[c]));
    return result;
  }

  Texel gather(const Axes& at, std::size_t component) {
    constexpr unsigned kCorners[] = {2, 3, 1, 0};  // bit 0: the larger x, bit 1: the larger y
    const Axes first{std::floor(at[0] - 0.5), std::floor(at[1] - 0.5), 0};
    Texel result;
    for (std::size_t i = 0; i < std::size(kCorners); ++i) {
      const Texel texel = nearest(corner_of(first, kCorners[i]));
      result.channels[i] = texel.channels[component];
      result.address = texel.address;
    }
    return result;
  }

 private:
  static Axes corner_of(Axes first, unsigned corner) {
    for (unsigned i = 0; i < first.size(); ++i) first[i] += corner >> i & 1U;
    return first;
  }

  Texel nearest(const Axes& at, const Wraps& wrap) {
    std::array<std::int64_t, 3> index{};
    for (std::size_t i = 0; i < at.size(); ++i)
      if (sizes_[i] != 0) index[i] = wrapped(std::floor(at[i]), sizes_[i], wrap[i]);
    Texel texel;
    read(index, texel);
    return texel;
  }

  void read(const std::array<std::int64_t, 3>& index, Texel& texel) {
    const std::uint64_t bytes = texel_bytes(texture_);
    const std::array<std::uint64_t, 3> strides{bytes, texture_.pitch, texture_.slice};
    bool inside = true;
    texel.address = base_;
    for (std::size_t i = 0; i < index.size(); ++i) {
      inside = inside && index[i] >= 0;
      texel.address += static_cast<std::uint64_t>(std::max<std::int64_t>(index[i], 0)) * strides[i];
    }
    if (!inside) return;
    std::array<std::uint8_t, 16> raw{};
    memory_.read(texel.address, raw.data(), bytes);
    for (std::uint32_t c = 0; c < texture_.channels; ++c)
      texel.channels[c] = channel(raw.data() + std::size_t{c} * texture_.channel_bytes);
  }

  std::uint32_t channel(const std::uint8_t* raw) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, raw, texture_.channel_bytes);
    const unsigned width = 8U * texture_.channel_bytes;
    if (texture_.channel == Texture::Channel::kFloat) {
      if (width == 16) return bits_of_float(half_value(bits));
      return bits;
    }
    const bool is_signed = texture_.channel == Texture::Channel::kSigned;
    const auto value =
        is_signed ? static_cast<std::int64_t>(static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width))
                  : static_cast<std::int64_t>(bits);
    if (!texture_.normalized_values) return static_cast<std::uint32_t>(value);
    const double most = std::ldexp(1.0, static_cast<int>(width) - (is_signed ? 1 : 0)) - 1;
    return bits_of_float(static_cast<float>(std::max(static_cast<double>(value) / most, -1.0)));
  }

  const Texture& texture_;
  const DeviceMemory& memory_;
  const Address base_;
  const std::array<std::uint32_t, 3> sizes_;
};

// The face of a cube that a direction meets, and where: from 0 to 1 (CUDA C++ Programming Guide, "Cubemap
// Textures").
struct FacePoint {
  std::uint64_t face = 0;
  double x = 0;
  double y = 0;
};

FacePoint face_of(const Axes& direction) {
  const auto [x, y, z] = direction;
  const double along_x = std::abs(x);
  const double along_y = std::abs(y);
  const double along_z = std::abs(z);
  FacePoint point;
  double length = along_x;
  if (along_x >= along_y && along_x >= along_z) {
    point = x >= 0 ? FacePoint{0, -z, -y} : FacePoint{1, z, -y};
  } else if (along_y >= along_z) {
    length = along_y;
    point = y >= 0 ? FacePoint{2, x, z} : FacePoint{3, x, -z};
  } else {
    length = along_z;
    point = z >= 0 ? FacePoint{4, x, -y} : FacePoint{5, -x, -y};
  }
  point.x = (point.x / length + 1) / 2;
  point.y = (point.y / length + 1) / 2;
  return point;
}

// A point in the texels of one slice, or of a texture of three dimensions.
struct SlicePoint {
  std::uint64_t slice = 0;
  Axes at{};
};

SlicePoint slice_point(const Texture& texture, const SamplePoint& point, bool integers) {
  SlicePoint result;
  result.at = point.at;
  if (texture.layers != 0) result.slice = std::min(point.layer, texture.layers - 1);
  if (texture.cube) {
    const FacePoint face = face_of(point.at);
    result.slice = 6 * result.slice + face.face;
    result.at = {face.x * texture.width, face.y * texture.height, 0};
  } else if (texture.normalized_coordinates && !integers) {
    result.at[0] *= texture.width;
    result.at[1] *= texture.height;
    result.at[2] *= texture.depth;
  }
  return result;
}

}  // namespace

std::uint64_t texel_bytes(const Texture& texture) {
  return std::uint64_t{texture.channels} * texture.channel_bytes;
}

Texel sample(const Texture& texture, const DeviceMemory& memory, const SamplePoint& point, bool integers) {
  integers = integers || texture.linear_memory;
  const SlicePoint wanted = slice_point(texture, point, integers);
  Sampler sampler(texture, memory, wanted.slice);
  if (integers) return sampler.fetch(wanted.at);
  const bool filtered =
      texture.linear_filter && (texture.channel == Texture::Channel::kFloat || texture.normalized_values);
  return filtered ? sampler.linear(wanted.at) : sampler.nearest(wanted.at);
}

Texel gather(const Texture& texture, const DeviceMemory& memory, const SamplePoint& point,
             std::size_t component) {
  const SlicePoint wanted = slice_point(texture, point, false);
  return Sampler(texture, memory, wanted.slice).gather(wanted.at, component);
}

}  // namespace heddle::ptx
