// Textures and surfaces of three dimensions, with layers, and cubes, whose texels are known by their places.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Point = std::array<float, 4>;

constexpr std::uint32_t kWidth = 4;
constexpr std::uint32_t kHeight = 3;
constexpr std::uint64_t kPitch = 64;
constexpr std::uint64_t kSlice = 3 * kPitch;

// A texture of floats: x + 10 y + 100 z, where z is the number of the slice.
Texture numbered(PtxRun& run, std::uint32_t height, std::uint32_t slices) {
  std::vector<std::uint8_t> bytes(kSlice * slices);
  for (std::uint32_t z = 0; z < slices; ++z)
    for (std::uint32_t y = 0; y < std::max(1U, height); ++y)
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const auto value = static_cast<float>(x + 10 * y + 100 * z);
        std::memcpy(&bytes[z * kSlice + y * kPitch + 4 * x], &value, sizeof value);
      }
  Texture texture;
  texture.width = kWidth;
  texture.height = height;
  texture.pitch = kPitch;
  texture.slice = kSlice;
  texture.address = run.memory().allocate(bytes.size(), "texture");
  run.memory().write(texture.address, bytes.data(), bytes.size());
  return texture;
}

// Returns what an instruction, with "T" as its texture and "C" as its coordinates, returns in its four
// elements for each point. The first coordinate of a layered texture is an integer.
std::vector<Point> fetched(const std::string& instruction, std::uint32_t height, std::uint32_t slices,
                           const std::vector<Point>& points, const std::function<void(Texture&)>& describe) {
  const bool layered = instruction.find(".a") != std::string::npos;
  const bool integers = instruction.find(".s32") != std::string::npos;
  std::string coordinates;
  std::string convert;
  const std::size_t count = instruction.find("1d") == std::string::npos ? 4 : layered ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool whole = integers || (layered && i == 0);
    if (whole) convert += fmt::format("cvt.rzi.s32.f32 %r{0}, %f{0}; ", i + 1);
    coordinates += fmt::format("{}%{}{}", i == 0 ? "" : ", ", whole ? "r" : "f", i + 1);
  }
  if (instruction.find(".2d") != std::string::npos) coordinates = coordinates.substr(0, 8);
  PtxRun run(kernel_text(fmt::format(
      "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd3, %rd1, %rd2; add.u64 %rd4, %rd0, %rd2; "
      "ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%rd3]; {} mov.u64 %rd5, 9; {} "
      "{{%f10, %f11, %f12, %f13}}, [%rd5, {{{}}}]; st.global.v4.f32 [%rd4], {{%f10, %f11, %f12, %f13}};",
      convert, instruction, coordinates)));
  const Address out = run.buffer(std::vector<Point>(points.size()), "out");
  run.buffer(points, "in");
  run.block.x = static_cast<std::uint32_t>(points.size());
  Texture texture = numbered(run, height, slices);
  describe(texture);
  run.handles[9] = texture;
  run.execute();
  return run.read<Point>(out, points.size());
}

std::vector<float> first_of(const std::vector<Point>& all) {
  std::vector<float> firsts;
  for (const Point& point : all) firsts.push_back(point[0]);
  return firsts;
}

TEST(PtxGeometries, ATextureOfThreeDimensionsIsReadByThreeCoordinates) {
  const auto describe = [](Texture& texture) { texture.depth = 2; };
  EXPECT_THAT(
      first_of(fetched("tex.3d.v4.f32.s32", kHeight, 2,
                       {{3, 2, 1, 0}, {0, 0, 0, 9}, {1, 2, 0, 0}, {1, 1, 2, 0}, {1, 1, -1, 0}}, describe)),
      ElementsAre(123, 0, 21, 0, 0));
  EXPECT_THAT(first_of(fetched("tex.3d.v4.f32.f32", kHeight, 2,
                               {{3.9F, 2.9F, 1.9F, 0}, {0, 0, 0, 0}, {-3, 9, 9, 0}}, describe)),
              ElementsAre(123, 0, 120));
}

TEST(PtxGeometries, ATextureOfThreeDimensionsIsFilteredAlongEach) {
  const auto filtered = [](Texture& texture) {
    texture.depth = 2;
    texture.linear_filter = true;
  };
  EXPECT_THAT(first_of(fetched("tex.3d.v4.f32.f32", kHeight, 2,
                               {{1, 1, 1, 0}, {1.75F, 0.5F, 0.75F, 0}, {3.5F, 2.5F, 1.5F, 0}}, filtered)),
              ElementsAre(55.5F, 26.25F, 123));
  const auto normalized = [](Texture& texture) {
    texture.depth = 2;
    texture.normalized_coordinates = true;
    texture.wrap = {Texture::Wrap::kClamp, Texture::Wrap::kClamp, Texture::Wrap::kWrap};
  };
  EXPECT_THAT(first_of(fetched("tex.3d.v4.f32.f32", kHeight, 2, {{0.5F, 0.5F, 0.75F, 0}, {0, 0, 1.75F, 0}},
                               normalized)),
              ElementsAre(112, 100));
}

TEST(PtxGeometries, ALayerIsChosenByAnIntegerAndTheLastStandsForThoseBeyond) {
  const auto describe = [](Texture& texture) { texture.layers = 3; };
  EXPECT_THAT(first_of(fetched("tex.a1d.v4.f32.f32", 0, 3, {{2, 1.5F}, {0, 3}, {7, 0}}, describe)),
              ElementsAre(201, 3, 200));
  EXPECT_THAT(first_of(fetched("tex.a1d.v4.f32.s32", 0, 3, {{1, 2}, {1, 4}}, describe)), ElementsAre(102, 0));
  EXPECT_THAT(
      first_of(fetched("tex.a2d.v4.f32.f32", kHeight, 3, {{1, 2, 1.2F, 0}, {9, 0, 2.9F, 0}}, describe)),
      ElementsAre(112, 220));
  const auto filtered = [](Texture& texture) {
    texture.layers = 3;
    texture.linear_filter = true;
  };
  EXPECT_THAT(first_of(fetched("tex.a2d.v4.f32.f32", kHeight, 3, {{1, 1, 1, 0}}, filtered)),
              ElementsAre(105.5F));
}

// Face by face in the order of the programming guide: +x, -x, +y, -y, +z, -z. The faces have four columns and
// four rows; the points lie in the first or last texels.
TEST(PtxGeometries, ADirectionMeetsAFaceOfACube) {
  const auto describe = [](Texture& texture) {
    texture.cube = true;
    texture.height = kHeight;
    texture.normalized_coordinates = true;
  };
  EXPECT_THAT(first_of(fetched("tex.cube.v4.f32.f32", kHeight, 6,
                               {{2, 1.8F, 1.8F, 0},
                                {-2, 1.8F, 1.8F, 0},
                                {1.8F, 2, 1.8F, 0},
                                {1.8F, -2, 1.8F, 0},
                                {1.8F, 1.8F, 2, 0},
                                {1.8F, 1.8F, -2, 0}},
                               describe)),
              ElementsAre(0, 103, 223, 303, 403, 500));
  const auto layered = [&](Texture& texture) {
    describe(texture);
    texture.layers = 2;
  };
  EXPECT_THAT(
      first_of(fetched("tex.acube.v4.f32.f32", kHeight, 12, {{1, 2, 1.8F, 1.8F}, {0, -1, 0, 0}}, layered)),
      ElementsAre(600, 112));
}

TEST(PtxGeometries, AGatherReturnsFourTexelsCounterClockwise) {
  EXPECT_THAT(fetched("tld4.r.2d.v4.f32.f32", kHeight, 1, {{2, 1}, {0, 9}}, [](Texture&) {}),
              ElementsAre(ElementsAre(11, 12, 2, 1), ElementsAre(20, 20, 20, 20)));
  EXPECT_THAT(fetched("tld4.g.2d.v4.f32.f32", kHeight, 1, {{2, 1}}, [](Texture&) {}),
              ElementsAre(ElementsAre(0, 0, 0, 0)));
  EXPECT_THAT(fetched("tld4.r.a2d.v4.f32.f32", kHeight, 2, {{1, 2, 1}}, [](Texture& t) { t.layers = 2; }),
              ElementsAre(ElementsAre(111, 112, 102, 101)));
}

// What one lane reads from a surface and writes to it, at coordinates that the text of the instruction holds.
struct Accessed {
  std::vector<std::uint32_t> read;
  std::vector<float> written;  // the texels of the surface, slice by slice
  std::string failure;
};

Accessed accessed(const std::string& geometry, const std::string& at, const std::string& bounds,
                  std::uint32_t height, std::uint32_t slices) {
  PtxRun run(
      kernel_text(fmt::format("mov.u64 %rd5, 9; suld.b.{0}.v2.b32.{1} {{%r1, %r2}}, [%rd5, {{{2}}}]; "
                              "st.global.v2.u32 [%rd0], {{%r1, %r2}}; "
                              "mov.u32 %r3, 0x42280000; mov.u32 %r4, 0x422c0000; sust.b.{0}.v2.b32.{1} "
                              "[%rd5, {{{2}}}], {{%r3, %r4}};",
                              geometry, bounds, at)));
  const Address out = run.buffer(std::vector<std::uint32_t>{7, 7}, "out");
  run.pass(std::uint64_t{0});
  run.block.x = 1;
  Texture surface = numbered(run, height, slices);
  if (geometry[0] == 'a')
    surface.layers = slices;
  else if (geometry == "3d")
    surface.depth = slices;
  run.handles[9] = surface;
  Accessed result;
  result.failure = run.failure();
  result.read = run.read<std::uint32_t>(out, 2);
  for (std::uint32_t z = 0; z < slices; ++z)
    for (std::uint32_t y = 0; y < std::max(1U, height); ++y)
      for (const float texel : run.read<float>(surface.address + z * kSlice + y * kPitch, kWidth))
        result.written.push_back(texel);
  return result;
}

std::uint32_t bits(float value) {
  return static_cast<std::uint32_t>(bits_of_float(value));
}

struct Access {
  const char* geometry;
  const char* inside;   // two texels from texel 1 of the last row of the last slice
  const char* outside;  // beyond the last slice, or the end of the row
  std::uint32_t height;
  std::uint32_t slices;
};

constexpr Access kAccesses[] = {
    {"1d", "4", "16", 0, 1},
    {"2d", "4, 2", "4, 3", kHeight, 1},
    {"3d", "4, 2, 1, 77", "4, 2, 2, 77", kHeight, 2},
    {"a1d", "1, 4", "2, 4", 0, 2},
    {"a2d", "1, 4, 2, 77", "2, 4, 2, 77", kHeight, 2},
};

TEST(PtxGeometries, SurfacesOfEveryGeometryAreReadAndWritten) {
  for (const Access& access : kAccesses)
    for (const char* bounds : {"trap", "clamp", "zero"}) {
      const Accessed result = accessed(access.geometry, access.inside, bounds, access.height, access.slices);
      EXPECT_EQ(result.failure, "") << access.geometry;
      const std::uint32_t row = access.height == 0 ? 0 : access.height - 1;
      const auto value = static_cast<float>(1 + 10 * row + 100 * (access.slices - 1));
      EXPECT_THAT(result.read, ElementsAre(bits(value), bits(value + 1))) << access.geometry;
      const std::size_t end = result.written.size();
      EXPECT_EQ(result.written[end - 4], value - 1) << access.geometry;
      EXPECT_EQ(result.written[end - 3], 42) << access.geometry;
      EXPECT_EQ(result.written[end - 2], 43) << access.geometry;
      EXPECT_EQ(result.written[end - 1], value + 2) << access.geometry;
    }
}

TEST(PtxGeometries, ASurfaceIsLeftAsItsInstructionSays) {
  for (const Access& access : kAccesses) {
    const auto outside = [&](const char* bounds) {
      return accessed(access.geometry, access.outside, bounds, access.height, access.slices);
    };
    EXPECT_THAT(outside("trap").failure, HasSubstr("an access at (")) << access.geometry;
    const Accessed zero = outside("zero");
    EXPECT_EQ(zero.failure, "") << access.geometry;
    EXPECT_THAT(zero.read, ElementsAre(0, 0)) << access.geometry;
    for (const float texel : zero.written) EXPECT_NE(texel, 42) << access.geometry;
    const Accessed clamp = outside("clamp");
    EXPECT_EQ(clamp.failure, "") << access.geometry;
    EXPECT_NE(clamp.read[1], 0U) << access.geometry;
    EXPECT_EQ(std::count(clamp.written.begin(), clamp.written.end(), 42), 1) << access.geometry;
  }
}

}  // namespace
}  // namespace heddle::ptx
