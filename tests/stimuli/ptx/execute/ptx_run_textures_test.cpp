// tex and sust compared with an independent implementation of the rules.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kWidth = 7;
constexpr std::uint32_t kHeight = 5;
constexpr std::uint64_t kPitch = 128;

using Channel = Texture::Channel;
using Wrap = Texture::Wrap;

// The memory of a texture as numbers, channel by channel.
class Picture {
 public:
  Picture(Channel channel, std::uint32_t bytes, std::uint32_t channels) {
    std::mt19937 random(bytes + channels);
    std::vector<std::uint8_t> raw(kPitch * kHeight);
    for (std::uint8_t& byte : raw) byte = static_cast<std::uint8_t>(random());
    texture.channel = channel;
    texture.channel_bytes = static_cast<std::uint8_t>(bytes);
    texture.channels = static_cast<std::uint8_t>(channels);
    texture.width = kWidth;
    texture.height = kHeight;
    texture.pitch = kPitch;
    if (channel == Channel::kFloat)
      for (std::size_t i = 0; i < raw.size() / bytes; ++i) put_float(raw.data() + i * bytes, bytes, i);
    bytes_ = raw;
  }

  // Returns the value as bits, or as bits of a float if values are normalised. Values outside are zero.
  std::uint32_t at(std::int64_t column, std::int64_t row, std::uint32_t channel) const {
    if (column < 0 || row < 0 || channel >= texture.channels) return 0;
    const std::uint32_t bytes = texture.channel_bytes;
    const std::uint8_t* from =
        &bytes_[static_cast<std::size_t>(row) * kPitch +
                (static_cast<std::size_t>(column) * texture.channels + channel) * bytes];
    std::int64_t value = 0;
    for (std::uint32_t i = bytes; i-- > 0;) value = value * 256 + from[i];
    const std::int64_t end = std::int64_t{1} << (8 * bytes);
    if (texture.channel == Channel::kFloat)
      return bytes == 4 ? static_cast<std::uint32_t>(value) : half_bits(value);
    if (texture.channel == Channel::kSigned && value >= end / 2) value -= end;
    if (!texture.normalized_values) return static_cast<std::uint32_t>(value);
    const auto most = static_cast<double>((texture.channel == Channel::kSigned ? end / 2 : end) - 1);
    return static_cast<std::uint32_t>(
        bits_of_float(static_cast<float>(std::max(-1.0, static_cast<double>(value) / most))));
  }

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  Texture texture;

 private:
  // The values are whole numbers and quarters, which are exact in half precision too.
  static void put_float(std::uint8_t* to, std::uint32_t bytes, std::size_t i) {
    const float value = static_cast<float>(i % 61) / 4 - 3;
    std::uint32_t bits = static_cast<std::uint32_t>(bits_of_float(value));
    if (bytes == 2 && value != 0)
      bits = (bits >> 16U & 0x8000U) | (((bits >> 23U & 0xffU) - 112) << 10U) | (bits >> 13U & 0x3ffU);
    std::memcpy(to, &bits, bytes);
  }
  static std::uint32_t half_bits(std::int64_t half) {
    const auto magnitude = static_cast<int>(half & 0x7fff);
    if (magnitude == 0) return half != 0 ? 0x80000000 : 0;
    const float value =
        std::ldexp(1.0F + static_cast<float>(magnitude & 0x3ff) / 1024, (magnitude >> 10) - 15);
    return static_cast<std::uint32_t>(bits_of_float(half & 0x8000 ? -value : value));
  }

  std::vector<std::uint8_t> bytes_;
};

// Returns the index that the CUDA C++ Programming Guide defines for an index outside, or -1 for the border.
std::int64_t folded(std::int64_t index, std::int64_t size, Wrap wrap, bool normalized) {
  if (index >= 0 && index < size) return index;
  if (wrap == Wrap::kBorder) return -1;
  if (wrap == Wrap::kClamp || !normalized) return index < 0 ? 0 : size - 1;
  const std::int64_t period = wrap == Wrap::kMirror ? 2 * size : size;
  const std::int64_t inside = (index % period + period) % period;
  return inside < size ? inside : 2 * size - 1 - inside;
}

std::uint32_t nearest(const Picture& picture, double x, double y, std::uint32_t channel) {
  const Texture& t = picture.texture;
  const bool normalized = t.normalized_coordinates;
  const std::int64_t column = folded(static_cast<std::int64_t>(std::floor(x)), kWidth, t.wrap[0], normalized);
  const std::int64_t row =
      t.height == 0 ? 0 : folded(static_cast<std::int64_t>(std::floor(y)), kHeight, t.wrap[1], normalized);
  return picture.at(column, row, channel);
}

// The weights are fixed-point numbers in 1.8 format (Programming Guide, "Linear Filtering").
float linear(const Picture& picture, double x, double y, std::uint32_t channel) {
  const bool flat = picture.texture.height == 0;
  const double xb = x - 0.5;
  const double yb = flat ? 0 : y - 0.5;
  const double i = std::floor(xb);
  const double j = std::floor(yb);
  const double a = std::nearbyint((xb - i) * 256) / 256;
  const double b = std::nearbyint((yb - j) * 256) / 256;
  const auto at = [&](double column, double row) {
    return double{float_of_bits<float>(nearest(picture, column + 0.5, row + 0.5, channel))};
  };
  double sum = (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j);
  if (!flat) sum += (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
  return static_cast<float>(sum);
}

constexpr std::size_t kPoints = 96;
using Texels = std::vector<std::array<std::uint32_t, 4>>;

// Returns the texels at the points. The coordinates follow each other, first all x and then all y.
Texels sampled(const std::string& spelling, const Picture& picture, bool by_handle,
               const std::vector<std::uint32_t>& coordinates) {
  const std::string from = spelling.substr(spelling.size() - 3) == "s32" ? "%r" : "%f";
  const std::string to =
      spelling.find(".v4.f32") != std::string::npos ? "{%f10, %f11, %f12, %f13}" : "{%r10, %r11, %r12, %r13}";
  const std::string second = spelling.find(".2d") != std::string::npos ? ", " + from + "2" : "";
  PtxRun run(kernel_text(
      fmt::format("mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2; mul.wide.u32 %rd2, %r0, 16; "
                  "add.u64 %rd4, %rd0, %rd2; ld.global.b32 {0}1, [%rd3]; ld.global.b32 {0}2, "
                  "[%rd3+{1}]; mov.u64 %rd5, 4711; {2} {3}, [{4}, {{{0}1{5}}}]; st.global.v4.b32 "
                  "[%rd4], {3};",
                  from, 4 * kPoints, spelling, to, by_handle ? "%rd5" : "t", second),
      ".global .texref t;"));
  const Address out = run.buffer(Texels(kPoints), "out");
  run.buffer(coordinates, "in");
  run.block.x = kPoints;
  Texture texture = picture.texture;
  texture.address = run.memory().allocate(picture.bytes().size(), "texture");
  run.memory().write(texture.address, picture.bytes().data(), picture.bytes().size());
  run.textures["t"] = texture;
  run.handles[4711] = texture;
  run.execute();
  return run.read<std::array<std::uint32_t, 4>>(out, kPoints);
}

// Returns random coordinates around the picture and far from it.
std::vector<std::uint32_t> random_points(bool integers, bool normalized) {
  std::mt19937 random(4);
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < 2 * kPoints; ++i) {
    const std::int32_t whole = static_cast<std::int32_t>(random() % 40) - 16;
    const float size = !normalized ? 1 : static_cast<float>(i < kPoints ? kWidth : kHeight);
    const float point =
        (static_cast<float>(whole) + static_cast<float>(i % 3 * (random() % 64)) / 128) / size;
    all.push_back(integers ? static_cast<std::uint32_t>(whole)
                           : static_cast<std::uint32_t>(bits_of_float(point)));
  }
  return all;
}

double coordinate(std::uint32_t bits, bool integers, bool normalized, std::uint32_t size) {
  if (integers) return static_cast<std::int32_t>(bits);
  return double{float_of_bits<float>(bits)} * (normalized ? size : 1);
}

void expect_samples(const std::string& spelling, const Picture& picture, bool by_handle) {
  const Texture& t = picture.texture;
  const bool integers = spelling.substr(spelling.size() - 3) == "s32";
  const std::vector<std::uint32_t> at = random_points(integers, t.normalized_coordinates);
  const Texels texels = sampled(spelling, picture, by_handle, at);
  const bool filtered = !integers && !t.linear_memory && t.linear_filter &&
                        (t.channel == Channel::kFloat || t.normalized_values);
  Picture fetched = picture;
  if (integers || t.linear_memory) fetched.texture.wrap = {Wrap::kBorder, Wrap::kBorder, Wrap::kBorder};
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double x = coordinate(at[i], integers, t.normalized_coordinates, kWidth);
    const double y = coordinate(at[kPoints + i], integers, t.normalized_coordinates, kHeight);
    for (std::uint32_t c = 0; c < t.channels; ++c) {
      const std::uint32_t wanted = filtered
                                       ? static_cast<std::uint32_t>(bits_of_float(linear(picture, x, y, c)))
                                       : nearest(fetched, x, y, c);
      ASSERT_EQ(texels[i][c], wanted)
          << fmt::format("{} of {} x {} bytes, kind {}, at ({}, {}), channel {}", spelling, t.channels,
                         t.channel_bytes, static_cast<int>(t.channel), x, y, c);
    }
  }
}

void expect_wraps(const std::string& spelling, Picture picture) {
  for (const Wrap wrap : {Wrap::kWrap, Wrap::kClamp, Wrap::kMirror, Wrap::kBorder})
    for (const bool normalized : {false, true})
      for (const bool filter : {false, true}) {
        picture.texture.wrap = {wrap, wrap == Wrap::kClamp ? Wrap::kMirror : wrap};
        picture.texture.normalized_coordinates = normalized;
        picture.texture.linear_filter = filter;
        expect_samples(spelling, picture, filter);
      }
}

// Returns the spellings whose coordinates are x, or x and y; ptx_run_geometries_test.cpp has the others.
std::vector<Spelling> flat_spellings_of(const char* mnemonic) {
  std::vector<Spelling> flat;
  for (const Spelling& spelling : spellings_of(mnemonic))
    if (spelling.fields.variant == Variant::kOneD || spelling.fields.variant == Variant::kTwoD)
      flat.push_back(spelling);
  return flat;
}

TEST(PtxTextures, EverySpellingReadsEveryChannelTypeByEveryWrapAndFilter) {
  for (const Spelling& spelling : flat_spellings_of("tex"))
    for (const Channel channel : {Channel::kUnsigned, Channel::kSigned, Channel::kFloat})
      for (const std::uint32_t bytes : {1U, 2U, 4U})
        for (const std::uint32_t channels : {1U, 2U, 4U})
          for (const bool values : {false, true}) {
            if (channel == Channel::kFloat && (bytes == 1 || values)) continue;
            if (values && bytes == 4) continue;  // CUDA normalises 8 and 16 bits only
            Picture picture(channel, bytes, channels);
            picture.texture.normalized_values = values;
            if (spelling.fields.variant == Variant::kOneD) picture.texture.height = 0;
            expect_wraps(spelling.text, picture);
          }
}

TEST(PtxTextures, LinearMemoryIsReadByNumberAndZeroOutside) {
  Picture picture(Channel::kFloat, 4, 1);
  picture.texture.height = 0;
  picture.texture.linear_memory = true;
  expect_samples("tex.1d.v4.f32.s32", picture, false);
  expect_samples("tex.1d.v4.f32.f32", picture, false);
}

TEST(PtxTextures, CoordinatesThatAreNoNumbersOrInfiniteReadSomewhereInside) {
  std::vector<std::uint32_t> at(2 * kPoints, 0x7fc00000);
  at[1] = at[kPoints + 2] = 0x7f800000;
  at[3] = at[kPoints + 3] = 0xff800000;
  at[4] = 0x7f7fffff;
  for (const Wrap wrap : {Wrap::kWrap, Wrap::kClamp, Wrap::kMirror, Wrap::kBorder}) {
    Picture picture(Channel::kUnsigned, 4, 1);
    picture.texture.normalized_coordinates = true;
    picture.texture.wrap = {wrap, wrap};
    const Texels texels = sampled("tex.2d.v4.u32.f32", picture, false, at);
    EXPECT_EQ(texels[0][0], wrap == Wrap::kBorder ? 0 : picture.at(0, 0, 0));
  }
}

TEST(PtxTextures, ElementsMayBeWiderOrUnwanted) {
  const auto text = [](const char* to) {
    return std::string("mov.u64 %rd10, -1; tex.1d.v4.s32.s32 ") + to +
           ", [t, {%r0}]; st.global.u64 [%rd0], %rd10;";
  };
  for (const char* to : {"{%rd10, %r1, %r2, %r3}", "{%rd10, _, _, _}"}) {
    PtxRun run(kernel_text(text(to), ".global .texref t;"));
    run.block.x = 1;
    const Address out = run.buffer(std::vector<std::int64_t>(1), "out");
    Picture picture(Channel::kSigned, 1, 1);
    picture.texture.address = run.buffer(std::vector<std::int8_t>{-5, 1, 2, 3, 4, 5, 6}, "texture");
    picture.texture.height = 0;
    run.textures["t"] = picture.texture;
    run.execute();
    EXPECT_EQ(run.read<std::int64_t>(out, 1)[0], -5);
  }
}

struct Stored {
  std::vector<std::uint8_t> bytes;
  std::string failure;
};

// A warp stores the number of each lane at x = 8 * lane - 24 and y = lane / 8 - 1 on a surface of 64 bytes by
// 3.
Stored stored(const Spelling& spelling, bool by_handle) {
  const std::uint32_t bits = bits_of(spelling.fields.type);
  const std::string value = bits == 64 ? "%rd9" : bits == 32 ? "%r9" : "%h9";
  std::string values = value;
  for (std::uint32_t i = 1; i < spelling.fields.width; ++i) values += ", " + value;
  if (spelling.fields.width > 1) values = "{" + values + "}";
  PtxRun run(kernel_text(
      fmt::format(
          "mad.lo.s32 %r1, %r0, {}, -24; shr.u32 %r2, %r0, 3; sub.u32 %r2, %r2, 1; add.u32 %r9, %r0, 1; "
          "cvt.u64.u32 %rd9, %r9; cvt.u16.u32 %h9, %r9; mov.u64 %rd5, 12; {} [{}, {{{}}}], {};",
          spelling.fields.variant == Variant::kOneD ? 16 : 8, spelling.text, by_handle ? "%rd5" : "u",
          spelling.fields.variant == Variant::kOneD ? "%r1" : "%r1, %r2", values),
      ".global .surfref u;"));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  Texture surface;
  surface.width = 16;
  surface.height = spelling.fields.variant == Variant::kOneD ? 0 : 3;
  surface.pitch = 64;
  surface.address = run.memory().allocate(192, "surface");
  run.textures["u"] = surface;
  run.handles[12] = surface;
  Stored result;
  result.failure = run.failure();
  result.bytes = run.read<std::uint8_t>(surface.address, 192);
  return result;
}

TEST(PtxSurfaces, EverySpellingStoresInsideAndDoesOutsideWhatItSays) {
  for (const Spelling& spelling : flat_spellings_of("sust"))
    for (const bool by_handle : {false, true}) {
      const Stored result = stored(spelling, by_handle);
      if (spelling.fields.bounds == Bounds::kTrap) {
        const bool flat = spelling.fields.variant == Variant::kOneD;
        EXPECT_NE(
            result.failure.find(fmt::format("an access at (-24, {}, 0) of a surface of 64 bytes by {} rows",
                                            flat ? 0 : -1, flat ? 1 : 3)),
            std::string::npos)
            << spelling.text << result.failure;
        continue;
      }
      EXPECT_EQ(result.failure, "") << spelling.text;
      std::vector<std::uint8_t> wanted(192);
      const std::int64_t bytes = bytes_of(spelling.fields.type);
      const std::int64_t all = bytes * spelling.fields.width;
      const bool flat = spelling.fields.variant == Variant::kOneD;
      for (std::int64_t lane = 0; lane < 32; ++lane) {
        std::int64_t x = (flat ? 16 : 8) * lane - 24;
        std::int64_t y = flat ? 0 : lane / 8 - 1;
        const bool outside = x < 0 || x + all > 64 || y < 0 || y > 2;
        if (outside && spelling.fields.bounds == Bounds::kZero) continue;
        x = std::max<std::int64_t>(0, std::min(x, 64 - all));
        y = std::max<std::int64_t>(0, std::min<std::int64_t>(y, flat ? 0 : 2));
        for (std::int64_t i = 0; i < all; ++i)
          wanted[static_cast<std::size_t>(64 * y + x + i)] =
              i % bytes == 0 ? static_cast<std::uint8_t>(lane + 1) : 0;
      }
      EXPECT_EQ(result.bytes, wanted) << spelling.text;
    }
}

}  // namespace
}  // namespace heddle::ptx
