// Boxes of tensors: tensor maps, copies to and from shared memory by cp.async.bulk.tensor, and reductions.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "stimuli/ptx/tensors/tensor_box.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kSharedBytes = 16384;

struct Tensor {
  TensorMap map;
  TensorCoordinates at{};
  std::uint64_t bytes = 0;  // of device memory
};

// A tensor of 10 by 6 words whose rows lie 48 bytes apart, with boxes of 4 by 3. Further dimensions have 2
// elements each, of which a box has both.
Tensor words_10_by_6(std::uint8_t dimensions = 2) {
  Tensor tensor;
  tensor.map.element = TensorMap::Element::kU32;
  tensor.map.dimensions = dimensions;
  tensor.map.dimension[0] = {10, 4, 4, 1};
  tensor.map.dimension[1] = {6, 48, 3, 1};
  tensor.bytes = 6 * 48;
  for (std::size_t d = 2; d < dimensions; ++d) {
    tensor.map.dimension[d] = {2, tensor.bytes, 2, 1};
    tensor.bytes *= 2;
  }
  return tensor;
}

Tensor random_tensor(std::mt19937& random) {
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  Tensor tensor;
  TensorMap& map = tensor.map;
  for (;;) {
    map = TensorMap{};
    map.element = static_cast<TensorMap::Element>(below(TensorMap::kElements));
    map.dimensions = static_cast<std::uint8_t>(1 + below(5));
    map.swizzle = TensorMap::kSwizzles[below(4)];
    map.fills_with_nan = map.is_float() && below(2) != 0;
    std::uint64_t stride = map.element_bytes();
    for (std::size_t d = 0; d < map.dimensions; ++d) {
      map.dimension[d] = {1 + below(d == 0 ? 40 : 7), stride, 1 + below(d == 0 ? 32 : 6),
                          d == 0 ? 1 : 1 + below(3)};
      stride = (stride * map.dimension[d].size + 15) / 16 * 16 + 16 * below(2);
      tensor.at[d] = static_cast<std::int32_t>(below(50)) - 20;
      if (d > 0) tensor.at[d] %= 5;
    }
    tensor.bytes = stride;
    if (problem_of(map).empty() && map.rows_of_box() * map.row_pitch() <= kSharedBytes) return tensor;
  }
}

// What shared memory holds behind the load of a box, element by element.
std::vector<std::uint8_t> box_by_elements(const Tensor& tensor, const std::vector<std::uint8_t>& device) {
  const TensorMap& map = tensor.map;
  std::vector<std::uint8_t> shared(kSharedBytes);
  const std::uint32_t bytes = map.element_bytes();
  for (std::uint32_t row = 0; row < map.rows_of_box(); ++row) {
    for (std::uint32_t x = 0; x < map.dimension[0].box; ++x) {
      std::int64_t from = 0;
      bool inside = true;
      std::uint32_t left = row;
      for (std::size_t d = 0; d < map.dimensions; ++d) {
        std::int64_t place = tensor.at[d];
        if (d == 0) {
          place += x;
        } else {
          place += std::int64_t{left % map.rows(d)} * map.dimension[d].step;
          left /= map.rows(d);
        }
        inside = inside && place >= 0 && place < static_cast<std::int64_t>(map.dimension[d].size);
        from += place * static_cast<std::int64_t>(map.dimension[d].stride);
      }
      for (std::uint32_t i = 0; i < bytes; ++i) {
        std::uint32_t to = row * map.row_pitch() + x * bytes + i;
        if (map.swizzle == 128) to ^= (to >> 7 & 7U) << 4;
        if (map.swizzle == 64) to ^= (to >> 7 & 3U) << 4;
        if (map.swizzle == 32) to ^= (to >> 7 & 1U) << 4;
        const std::uint8_t outside = !map.fills_with_nan ? 0 : i + 1 == bytes ? 0x7f : 0xff;
        shared[to] = inside ? device[static_cast<std::size_t>(from) + i] : outside;
      }
    }
  }
  return shared;
}

std::string coordinates(const Tensor& tensor) {
  const std::vector<std::int32_t> given(tensor.at.begin(), tensor.at.begin() + tensor.map.dimensions);
  return fmt::format("[%rd1, {{{}}}]", fmt::join(given, ", "));
}

// Lane 0 loads a box to shared memory, executes `then` and copies the shared memory to the first buffer. The
// second buffer has the map.
std::string box_kernel(const std::string& load, std::uint64_t bytes, const std::string& then = "") {
  return kernel_text(
      fmt::format("mov.u64 %rd5, s; cvt.u32.u64 %r5, %rd5; setp.eq.u32 %p0, %r0, 0; mov.u64 %rd7, 0;\n"
                  "mov.u16 %h0, 1;\n"
                  "@%p0 mbarrier.init.shared::cta.b64 [bar], 1;\n"
                  "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %rd8, [bar], {};\n"
                  "bar.sync 0;\n"
                  "@%p0 {}\n"
                  "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n"
                  "@!%p1 bra again;\n"
                  "{}\n"
                  "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], {};\n"
                  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                  bytes, load, then, kSharedBytes),
      fmt::format(".shared .align 1024 .b8 s[{}]; .shared .align 8 .b64 bar;", kSharedBytes));
}

struct BoxRun {
  BoxRun(const std::string& text, const Tensor& tensor) : run(text) {
    device.resize(tensor.bytes);
    for (std::size_t i = 0; i < device.size(); ++i)
      device[i] = static_cast<std::uint8_t>(7 * i + i / 251 + 1);
    out = run.buffer(std::vector<std::uint8_t>(kSharedBytes), "out");
    TensorMap map = tensor.map;
    array = run.memory().allocate(device.size(), "tensor");
    run.memory().write(array, device.data(), device.size());
    map.address = array;
    const EncodedTensorMap encoded = encode(map);
    run.buffer(std::vector<std::byte>(encoded.begin(), encoded.end()), "map");
    run.block.x = 64;
  }

  PtxRun run;
  Address out = 0;
  Address array = 0;
  std::vector<std::uint8_t> device;
};

std::string load_of(const Tensor& tensor) {
  return fmt::format(
      "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], {}, [bar];",
      tensor.map.dimensions, coordinates(tensor));
}

TEST(PtxTensorMaps, AnEncodedMapIsTheSameMap) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    TensorMap map = random_tensor(random).map;
    map.address = 0x123456789ab0;
    const std::optional<TensorMap> read = decode(encode(map));
    ASSERT_TRUE(read);
    EXPECT_EQ(encode(*read), encode(map));
    EXPECT_EQ(read->address, map.address);
    EXPECT_EQ(read->bytes_of_box(), map.bytes_of_box());
  }
  EncodedTensorMap damaged = encode(words_10_by_6().map);
  damaged[0] = std::byte{0};
  EXPECT_FALSE(decode(damaged));
}

TEST(PtxTensorMaps, AMapThatHardwareDoesNotTakeHasAProblem) {
  const auto problem = [](auto change) {
    TensorMap map = words_10_by_6().map;
    change(map);
    return problem_of(map);
  };
  EXPECT_EQ(problem([](TensorMap&) {}), "");
  EXPECT_THAT(problem([](TensorMap& map) { map.dimensions = 6; }), HasSubstr("6 dimensions"));
  EXPECT_THAT(problem([](TensorMap& map) { map.address = 8; }), HasSubstr("no multiple of 16"));
  EXPECT_THAT(problem([](TensorMap& map) { map.dimension[1].stride = 40; }), HasSubstr("stride of 40"));
  EXPECT_THAT(problem([](TensorMap& map) { map.dimension[1].box = 257; }), HasSubstr("257 elements"));
  EXPECT_THAT(problem([](TensorMap& map) { map.dimension[1].step = 9; }), HasSubstr("number 9"));
  EXPECT_THAT(problem([](TensorMap& map) { map.dimension[0].box = 3; }), HasSubstr("12 bytes"));
  EXPECT_THAT(problem([](TensorMap& map) { map.dimension[0].size = 0; }), HasSubstr("0 elements"));
  EXPECT_THAT(problem([](TensorMap& map) {
                map.swizzle = 32;
                map.dimension[0].box = 16;
              }),
              HasSubstr("more than the 32 of the swizzle"));
  EXPECT_THAT(problem([](TensorMap& map) { map.fills_with_nan = true; }), HasSubstr("NaN"));
}

TEST(PtxTensorCopies, EverySpellingLoadsABox) {
  std::size_t spellings = 0;
  for (const Spelling& one : spellings_of("cp")) {
    if (one.fields.opcode != Opcode::kTensorLoad) continue;
    ++spellings;
    Tensor tensor = words_10_by_6(one.fields.width);
    tensor.at = {-2, 4};
    const std::string mask = one.fields.has(kMulticast) ? ", %h0" : "";
    const std::string policy = one.text.find("cache_hint") != std::string::npos ? ", %rd7" : "";
    BoxRun box(box_kernel(fmt::format("{} [s], {}, [bar]{}{};", one.text, coordinates(tensor), mask, policy),
                          tensor.map.bytes_of_box()),
               tensor);
    box.run.execute();
    EXPECT_EQ(box.run.read<std::uint8_t>(box.out, kSharedBytes), box_by_elements(tensor, box.device))
        << one.text;
  }
  EXPECT_GE(spellings, 20U);
}

TEST(PtxTensorCopies, ABoxIsWhatItsElementsAre) {
  std::mt19937 random(2);
  for (std::uint64_t i = 0; i < cases(50); ++i) {
    const Tensor tensor = random_tensor(random);
    BoxRun box(box_kernel(load_of(tensor), tensor.map.bytes_of_box()), tensor);
    box.run.execute();
    ASSERT_EQ(box.run.read<std::uint8_t>(box.out, kSharedBytes), box_by_elements(tensor, box.device))
        << "tensor " << i;
  }
}

// The box is stored two elements further, where the tensor holds it afterwards as far as it has room.
TEST(PtxTensorCopies, AStoreWritesTheElementsThatLieInTheTensor) {
  std::mt19937 random(3);
  for (std::uint64_t i = 0; i < cases(50); ++i) {
    const Tensor tensor = random_tensor(random);
    Tensor moved = tensor;
    moved.at[0] += 2;
    const std::string store =
        fmt::format("@%p0 cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group {}, [s];",
                    tensor.map.dimensions, coordinates(moved));
    BoxRun box(box_kernel(load_of(tensor), tensor.map.bytes_of_box(), store), tensor);
    box.run.execute();
    const auto shared = box.run.read<std::uint8_t>(box.out, kSharedBytes);
    const auto device = box.run.read<std::uint8_t>(box.array, box.device.size());
    // What lies in the tensor now is what a load of the moved box would find, but for what lies outside.
    const std::vector<std::uint8_t> seen = box_by_elements(moved, device);
    const std::vector<std::uint8_t> inside =
        box_by_elements(moved, std::vector<std::uint8_t>(device.size(), 1));
    for (std::size_t at = 0; at < seen.size(); ++at)
      if (inside[at] == 1) {
        ASSERT_EQ(seen[at], shared[at]) << "tensor " << i << " byte " << at;
      }
    std::size_t changed = 0;
    for (std::size_t at = 0; at < device.size(); ++at) changed += device[at] != box.device[at] ? 1 : 0;
    ASSERT_LE(changed, static_cast<std::size_t>(std::count(inside.begin(), inside.end(), 1)));
  }
}

TEST(PtxTensorCopies, AReductionCombinesTheElements) {
  const auto reduced = [](TensorMap::Element element, const std::string& operation) {
    Tensor tensor = words_10_by_6();
    tensor.map.element = element;
    const std::string reduce =
        fmt::format("@%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.{}.tile.bulk_group {}, [s];",
                    operation, coordinates(tensor));
    BoxRun box(box_kernel(load_of(tensor), tensor.map.bytes_of_box(), reduce), tensor);
    const std::vector<std::uint32_t> words(tensor.bytes / 4, 6);
    box.run.memory().write(box.array, words.data(), tensor.bytes);
    box.run.execute();
    return box.run.read<std::uint32_t>(box.array, tensor.bytes / 4);
  };
  const auto sums = reduced(TensorMap::Element::kU32, "add");
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(sums[i], i % 12 < 4 && i / 12 < 3 ? 12U : 6U) << "word " << i;
  EXPECT_EQ(reduced(TensorMap::Element::kU32, "xor")[0], 0U);
  EXPECT_EQ(reduced(TensorMap::Element::kU32, "inc")[0], 0U);
  EXPECT_EQ(reduced(TensorMap::Element::kS32, "max")[0], 6U);
}

TEST(PtxTensorCopies, AReductionOfConsecutiveBytesCombinesThem) {
  for (const Spelling& one : spellings_of("cp")) {
    if (one.fields.opcode != Opcode::kBulkReduce || one.fields.type != Type::kU32) continue;
    PtxRun run(
        kernel_text("mov.u32 %r5, 3; setp.eq.u32 %p0, %r0, 0; mul.wide.u32 %rd2, %r0, 4;\n"
                    "mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd2; st.shared.u32 [%rd3], %r5; bar.sync 0;\n"
                    "@%p0 " +
                        one.text + " [%rd0], [s], 128;",
                    ".shared .align 128 .b8 s[128];"));
    const Address out = run.buffer(std::vector<std::uint32_t>(33, 5), "out");
    run.pass(std::uint64_t{0});
    run.execute();
    const auto words = run.read<std::uint32_t>(out, 33);
    const Variant variant = one.fields.variant;
    const std::uint32_t wanted = variant == Variant::kAdd   ? 8
                                 : variant == Variant::kMin ? 3
                                 : variant == Variant::kInc ? 0
                                 : variant == Variant::kDec ? 3
                                                            : 5;
    EXPECT_EQ(words[0], wanted) << one.text;
    EXPECT_EQ(words[31], wanted) << one.text;
    EXPECT_EQ(words[32], 5U);
  }
}

TEST(PtxTensorCopies, WhatIsNoBoxIsAFault) {
  const auto failure = [](const std::string& copy, const Tensor& tensor = words_10_by_6()) {
    BoxRun box(box_kernel(copy, 48), tensor);
    return box.run.failure();
  };
  const std::string load = "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes ";
  EXPECT_THAT(failure(load + "[s], [%rd0, {0, 0}], [bar];"), HasSubstr("no tensor map at"));
  EXPECT_THAT(failure(load + "[s+64], [%rd1, {0, 0}], [bar];"), HasSubstr("no multiple of 128"));
  EXPECT_THAT(failure(load + "[s+16384], [%rd1, {0, 0}], [bar];"), HasSubstr("of shared memory"));
  EXPECT_THAT(failure(load + "[s], [%rd1, {0, 0}], [s];"), HasSubstr("no barrier object"));
  EXPECT_THAT(failure("cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1, "
                      "{0}], [bar];"),
              HasSubstr("1 coordinates of a tensor of 2 dimensions"));
  EXPECT_THAT(failure("mov.u16 %h0, 3; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
                      "bytes.multicast::cluster [s], [%rd1, {0, 0}], [bar], %h0;"),
              HasSubstr("a multicast to the blocks 0x3"));
  Tensor large = words_10_by_6(5);
  for (std::size_t d = 1; d < 5; ++d) large.map.dimension[d].box = 256;
  EXPECT_THAT(failure("cp.async.bulk.tensor.5d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1, "
                      "{0, 0, 0, 0, 0}], [bar];",
                      large),
              HasSubstr("68719476736 bytes at"));
  Tensor halves = words_10_by_6();
  halves.map.element = TensorMap::Element::kF16;
  halves.map.dimension[0].box = 8;
  EXPECT_THAT(failure("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [%rd1, {0, 0}], [s];",
                      halves),
              HasSubstr("a reduction that the type"));
}

}  // namespace
}  // namespace heddle::ptx
