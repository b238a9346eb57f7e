#include "stimuli/ptx/execute/texture_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace heddle::ptx {
namespace {

using Values = std::array<float, 4>;

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

class Sampler {
 public:
  Sampler(const Texture& texture, const DeviceMemory& memory) : texture_(texture), memory_(memory) {}

  // Texels outside of an array that is addressed by indices are zero.
  Texel fetch(double x, double y) { return nearest(x, y, {Texture::Wrap::kBorder, Texture::Wrap::kBorder}); }

  Texel nearest(double x, double y) {
    const auto used = [this](Texture::Wrap wrap) {
      const bool folds = wrap == Texture::Wrap::kWrap || wrap == Texture::Wrap::kMirror;
      return folds && !texture_.normalized_coordinates ? Texture::Wrap::kClamp : wrap;
    };
    return nearest(x, y, {used(texture_.wrap[0]), used(texture_.wrap[1])});
  }

  Texel nearest(double x, double y, const std::array<Texture::Wrap, 2>& wrap) {
    const std::int64_t column = wrapped(std::floor(x), texture_.width, wrap[0]);
    const std::int64_t row = texture_.height == 0 ? 0 : wrapped(std::floor(y), texture_.height, wrap[1]);
    Texel texel;
    read(column, row, texel);
    return texel;
  }

  Texel linear(double x, double y) {
    x -= 0.5;
    y -= texture_.height == 0 ? 0 : 0.5;
    const double column = std::floor(x);
    const double row = std::floor(y);
    const double a = std::nearbyint((x - column) * kFractions) / kFractions;
    const double b = texture_.height == 0 ? 0 : std::nearbyint((y - row) * kFractions) / kFractions;
    std::array<double, 4> sum{};
    Texel result;
    for (int i = 0; i < 4; ++i) {
      const double weight = ((i & 1) != 0 ? a : 1 - a) * ((i & 2) != 0 ? b : 1 - b);
      if (weight == 0) continue;
      Texel texel = nearest(column + (i & 1), row + (i >> 1));
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

 private:
  void read(std::int64_t column, std::int64_t row, Texel& texel) {
    const std::uint64_t bytes = texel_bytes(texture_);
    const std::int64_t inside_column = std::max<std::int64_t>(column, 0);
    const std::int64_t inside_row = std::max<std::int64_t>(row, 0);
    texel.address = texture_.address + static_cast<std::uint64_t>(inside_row) * texture_.pitch +
                    static_cast<std::uint64_t>(inside_column) * bytes;
    if (column < 0 || row < 0) return;
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
};

}  // namespace

std::uint64_t texel_bytes(const Texture& texture) {
  return std::uint64_t{texture.channels} * texture.channel_bytes;
}

Texel sample(const Texture& texture, const DeviceMemory& memory, double x, double y, bool integers) {
  Sampler sampler(texture, memory);
  if (integers || texture.linear_memory) return sampler.fetch(x, y);
  if (texture.normalized_coordinates) {
    x *= texture.width;
    y *= texture.height;
  }
  const bool filtered =
      texture.linear_filter && (texture.channel == Texture::Channel::kFloat || texture.normalized_values);
  return filtered ? sampler.linear(x, y) : sampler.nearest(x, y);
}

}  // namespace heddle::ptx
