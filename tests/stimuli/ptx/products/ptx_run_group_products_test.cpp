// wgmma: products of a warpgroup with matrices in shared memory, in every layout that a descriptor can state,
// compared with sums of small integers, which are exact in every type.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/ptx/ptx_group_product.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

constexpr int kRows = 64;           // of a
constexpr int kHalf = 16384;        // bytes of shared memory for each matrix; b follows a
constexpr int kMost = 2 * kHalf;    // bytes of shared memory
constexpr int kHeader = 16 + 2048;  // two descriptors, and four registers of each thread

std::uint32_t bits_of_float32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Returns the bits of a small integer in a type of floating point with so many bits of exponent and mantissa.
std::uint32_t small_float(int value, int exponent_bits, int mantissa_bits) {
  if (value == 0) return 0;
  const int magnitude = std::abs(value);
  const int power = static_cast<int>(std::log2(magnitude));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int mantissa = (magnitude << mantissa_bits >> power) - (1 << mantissa_bits);
  const int sign = value < 0 ? 1 << (exponent_bits + mantissa_bits) : 0;
  return static_cast<std::uint32_t>(sign | (power + bias) << mantissa_bits | mantissa);
}

std::uint32_t element_bits(Type type, int value) {
  switch (type) {
    case Type::kF16:
      return small_float(value, 5, 10);
    case Type::kBf16:
      return small_float(value, 8, 7);
    case Type::kE4m3:
      return small_float(value, 4, 3);
    case Type::kE5m2:
      return small_float(value, 5, 2);
    case Type::kTf32:
    case Type::kF32:
      return bits_of_float32(static_cast<float>(value));
    default:
      return static_cast<std::uint32_t>(value) & 0xffU;
  }
}

// The layout as the manual draws it: `line` is a row of a or a column of b, and the result counts bytes from
// the start of the matrix.
struct Placed {
  MatrixLayout layout;
  int lines = 0;
  int bytes = 2;  // of an element

  int leading() const {
    if (layout.swizzle == 0) return layout.k_major ? 16 * lines : 128;
    return layout.k_major ? 16 : 16 * layout.swizzle;
  }
  int stride() const {
    if (layout.swizzle == 0) return layout.k_major ? 128 : 256;
    return 8 * layout.swizzle;
  }
  int place(int line, int k) const {
    const int along = layout.k_major ? k : line;   // the elements of 16 bytes follow each other
    const int across = layout.k_major ? line : k;  // 8 rows follow each other
    const int chunk = along * bytes / 16 + layout.chunk;
    const int rest = along * bytes % 16;
    const int row = across % 8;
    if (layout.swizzle == 0) {
      const int of_row = layout.k_major ? stride() : leading();
      const int of_chunk = layout.k_major ? leading() : stride();
      return across / 8 * of_row + chunk * of_chunk + 16 * row + rest;
    }
    const int chunks = layout.swizzle / 16;
    const int pattern = row * layout.swizzle / 128;
    return across / 8 * stride() + chunk / chunks * leading() + row * layout.swizzle +
           (chunk % chunks ^ pattern % chunks) * 16 + rest;
  }
  std::uint64_t descriptor(int start) const {
    const int mode = layout.swizzle == 0 ? 0 : layout.swizzle == 128 ? 1 : layout.swizzle == 64 ? 2 : 3;
    const auto field = [](int value) { return static_cast<std::uint64_t>(value) / 16; };
    return field(start + 16 * layout.chunk) | field(leading()) << 16U | field(stride()) << 32U |
           static_cast<std::uint64_t>(layout.base) << 49U | static_cast<std::uint64_t>(mode) << 62U;
  }
};

// Returns register i of a fragment of a (PTX ISA, "Matrix Fragments for wgmma.mma_async").
std::uint32_t register_of_a(const GroupProduct& product, int thread, int i) {
  const int bits = static_cast<int>(bits_of(product.a));
  const int per = 32 / bits;
  std::uint32_t word = 0;
  for (int j = 0; j < per; ++j) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8;
    const int k = i / 2 * 4 * per + thread % 4 * per + j;
    word |= element_bits(product.a, product.number_a(row, k)) << (j * bits);
  }
  return word;
}

void put(std::vector<std::uint8_t>& bytes, int at, std::uint32_t bits, int count) {
  ASSERT_LE(at + count, static_cast<int>(bytes.size()));
  std::memcpy(&bytes[static_cast<std::size_t>(at)], &bits, static_cast<std::size_t>(count));
}

std::vector<std::uint8_t> input_of(const GroupProduct& product) {
  std::vector<std::uint8_t> input(kHeader + kMost);
  const int bytes = static_cast<int>(bytes_of(product.a));
  const Placed a{product.a_layout, kRows, bytes};
  const Placed b{product.b_layout, product.columns, bytes};
  const int a_start = 128 * product.a_layout.base;
  const int b_start = kHalf + 128 * product.b_layout.base;
  const std::uint64_t descriptors[2] = {a.descriptor(a_start), b.descriptor(b_start)};
  std::memcpy(input.data(), descriptors, sizeof descriptors);
  for (int thread = 0; thread < kGroupThreads; ++thread)
    for (int i = 0; i < 4; ++i) put(input, 16 + 16 * thread + 4 * i, register_of_a(product, thread, i), 4);
  for (int k = 0; k < product.depth(); ++k) {
    for (int row = 0; row < kRows; ++row)
      put(input, kHeader + a_start + a.place(row, k), element_bits(product.a, product.number_a(row, k)),
          bytes);
    for (int column = 0; column < product.columns; ++column)
      put(input, kHeader + b_start + b.place(column, k), element_bits(product.b, product.number_b(k, column)),
          bytes);
  }
  return input;
}

// Returns the registers of d, by thread.
std::vector<std::uint32_t> registers_of(const GroupProduct& product) {
  const int count = product.registers();
  std::uint32_t before = element_bits(product.d, product.before);
  if (product.d == Type::kS32) before = static_cast<std::uint32_t>(product.before);
  if (product.d == Type::kF16) before |= before << 16U;
  std::string body = fmt::format(
      ".reg .b32 %w<{}>; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd3, %rd1, %rd2; shl.b32 %r2, %r0, 4;\n"
      "mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.global.v4.u32 {{%r20, %r21, %r22, %r23}}, [%rd3+16];\n"
      "COPY: ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%rd3+{}]; st.shared.v4.u32 [%r3], {{%r4, %r5, %r6, "
      "%r7}};\n"
      "add.u64 %rd3, %rd3, 2048; add.u32 %r3, %r3, 2048; add.u32 %r2, %r2, 2048; setp.lt.u32 %p1, %r2, {};\n"
      "@%p1 bra COPY; fence.proxy.async; bar.sync 0; setp.ne.u32 %p2, %r2, 0; setp.eq.u32 %p3, %r2, 0;\n"
      "ld.global.u64 %rd10, [%rd1]; ld.global.u64 %rd11, [%rd1+8];\n",
      count, kHeader, kMost);
  for (int i = 0; i < count; ++i) body += fmt::format("mov.b32 %w{}, {};\n", i, before);
  body += fmt::format(
      "wgmma.fence.sync.aligned;\n{} {};\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %rd2, %r0, {}; add.u64 %rd2, %rd0, %rd2;\n",
      product.spelling(), product.operands(), 4 * count);
  for (int i = 0; i < count; ++i) body += fmt::format("st.global.b32 [%rd2+{}], %w{};\n", 4 * i, i);
  PtxRun run(kernel_text(body, fmt::format(".shared .align 1024 .b8 s[{}];", kMost)));
  run.block = {kGroupThreads, 1, 1};
  const auto words = std::size_t{kGroupThreads} * static_cast<std::size_t>(count);
  const Address out = run.buffer(std::vector<std::uint32_t>(words), "out");
  run.buffer(input_of(product), "in");
  run.execute();
  return run.read<std::uint32_t>(out, words);
}

using Wanted = std::function<int(int sum)>;  // the element for a sum of products

void expect_product(const GroupProduct& product, const Wanted& wanted) {
  const std::vector<std::uint32_t> registers = registers_of(product);
  const int elements = product.columns / 2;  // of a thread
  for (int thread = 0; thread < kGroupThreads; ++thread)
    for (int i = 0; i < elements; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      const int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      int sum = 0;
      for (int k = 0; k < product.depth(); ++k) sum += product.number_a(row, k) * product.number_b(k, column);
      const int value = wanted(sum);
      const int per = elements / product.registers();
      const std::uint32_t word =
          registers[static_cast<std::size_t>(thread) * static_cast<std::size_t>(product.registers()) +
                    static_cast<std::size_t>(i / per)];
      const std::uint32_t bits = per == 1 ? word : word >> (i % 2 * 16) & 0xffffU;
      const std::uint32_t expected =
          product.d == Type::kS32 ? static_cast<std::uint32_t>(value) : element_bits(product.d, value);
      ASSERT_EQ(bits, expected) << product.spelling() << " row " << row << " column " << column;
    }
}
void expect_sum(const GroupProduct& product) {
  expect_product(product, [&](int sum) { return product.before + sum; });
}

TEST(PtxGroupProducts, EverySwizzleGivesTheElementsOfMatricesInEitherOrder) {
  for (const int swizzle : {0, 32, 64, 128})
    for (const bool a_is_k_major : {true, false})
      for (const bool b_is_k_major : {true, false}) {
        SCOPED_TRACE(fmt::format("swizzle {}, a {}, b {}", swizzle, a_is_k_major, b_is_k_major));
        GroupProduct product;
        product.a_layout = {swizzle, a_is_k_major};
        product.b_layout = {swizzle, b_is_k_major};
        ASSERT_NO_FATAL_FAILURE(expect_sum(product));
      }
}

TEST(PtxGroupProducts, AProductBeginsAtAnyKOfARowThatIsSwizzled) {
  for (const int swizzle : {64, 128})
    for (int chunk = 2; chunk < swizzle / 16; chunk += 2) {
      SCOPED_TRACE(fmt::format("swizzle {}, chunk {}", swizzle, chunk));
      GroupProduct product;
      product.a_layout = product.b_layout = {swizzle, true, chunk};
      ASSERT_NO_FATAL_FAILURE(expect_sum(product));
    }
}

TEST(PtxGroupProducts, TheBaseOffsetMovesThePatternOfTheSwizzle) {
  for (int base = 1; base < 8; ++base) {
    SCOPED_TRACE(base);
    GroupProduct product;
    product.columns = 64;
    product.a_layout = {128, true, 0, base};
    product.b_layout = {128, false, 0, 8 - base};
    ASSERT_NO_FATAL_FAILURE(expect_sum(product));
  }
}

TEST(PtxGroupProducts, ProductsOfEveryTypeAreExactWithAInRegistersAndInSharedMemory) {
  struct Types {
    Type d, a, b;
  };
  for (const Types& types :
       {Types{Type::kF32, Type::kF16, Type::kF16}, Types{Type::kF16, Type::kF16, Type::kF16},
        Types{Type::kF32, Type::kBf16, Type::kBf16}, Types{Type::kF32, Type::kTf32, Type::kTf32},
        Types{Type::kF32, Type::kE4m3, Type::kE4m3}, Types{Type::kF32, Type::kE4m3, Type::kE5m2},
        Types{Type::kF16, Type::kE5m2, Type::kE4m3}, Types{Type::kF32, Type::kE5m2, Type::kE5m2},
        Types{Type::kS32, Type::kS8, Type::kS8}})
    for (const bool in_registers : {true, false})
      for (const int columns : {8, 24, 256}) {
        GroupProduct product;
        product.d = types.d;
        product.a = types.a;
        product.b = types.b;
        product.columns = columns;
        product.a_in_registers = in_registers;
        product.a_layout = {64, true};
        product.b_layout = {32, true};
        ASSERT_NO_FATAL_FAILURE(expect_sum(product));
      }
}

TEST(PtxGroupProducts, IntegersOf8BitsHaveASignOrNone) {
  for (const Type a : {Type::kS8, Type::kU8})
    for (const Type b : {Type::kS8, Type::kU8}) {
      GroupProduct product;
      product.d = Type::kS32;
      product.a = a;
      product.b = b;
      product.columns = 48;
      product.number_a = [a](int row, int k) { return a == Type::kS8 ? -128 + row + k : 255 - row - k; };
      product.number_b = [b](int k, int column) {
        return b == Type::kS8 ? k - column : 200 + k + column / 4;
      };
      ASSERT_NO_FATAL_FAILURE(expect_sum(product));
    }
}

TEST(PtxGroupProducts, ASumOfIntegersIsClampedWithSatfiniteOnly) {
  for (const bool clamps : {false, true}) {
    GroupProduct product;
    product.d = Type::kS32;
    product.a = product.b = Type::kS8;
    product.columns = 16;
    product.flags = clamps ? ".satfinite" : "";
    product.before = 0x7fffffff;
    product.number_a = product.number_b = [](int, int) { return 1; };
    const int wraps = static_cast<int>(0x8000001fU);
    ASSERT_NO_FATAL_FAILURE(expect_product(product, [&](int) { return clamps ? 0x7fffffff : wraps; }));
  }
}

TEST(PtxGroupProducts, ScalesNegateAAndBAndLeaveOutD) {
  for (const char* scale : {"0", "1", "%p2", "%p3"})
    for (const int scale_a : {1, -1})
      for (const int scale_b : {1, -1}) {
        GroupProduct product;
        product.columns = 32;
        product.scale = scale;
        product.scale_a = scale_a;
        product.scale_b = scale_b;
        const bool adds = product.scale == "1" || product.scale == "%p2";
        ASSERT_NO_FATAL_FAILURE(
            expect_product(product, [&](int sum) { return (adds ? 100 : 0) + scale_a * scale_b * sum; }));
      }
}

// Lane 0 of warp 0 waits for the last warp, and the lanes with it go ahead as far as the product.
TEST(PtxGroupProducts, LanesThatWaitedTakePartInTheProductWithTheOthersOfTheirWarp) {
  GroupProduct product;
  product.d = Type::kS32;
  product.a = product.b = Type::kS8;
  product.columns = 8;
  product.a_in_registers = true;
  PtxRun run(
      kernel_text(".reg .b32 %w<4>; mov.u32 %w0, 0; mov.u32 %w1, 0; mov.u32 %w2, 0; mov.u32 %w3, 0;\n"
                  "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n"
                  "mov.u64 %rd10, 0; mov.u64 %rd11, 0x0000000800000000; mov.u32 %r6, 1;\n"
                  "setp.eq.u32 %p0, %r0, 127; @%p0 st.volatile.shared.u32 [flag], %r6;\n"
                  "setp.ne.u32 %p1, %r0, 0; @%p1 bra JOIN;\n"
                  "SPIN: ld.volatile.shared.u32 %r5, [flag]; setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;\n"
                  "JOIN: wgmma.fence.sync.aligned;\n" +
                      product.spelling() + " " + product.operands() +
                      ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                      "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2; add.u32 %w0, %w0, 7;\n"
                      "st.global.u32 [%rd2], %w0;",
                  ".shared .align 4 .b32 flag;"));
  run.block.x = 128;
  run.dynamic_shared = 1024;
  run.options.independent_threads = true;
  const Address out = run.buffer(std::vector<std::uint32_t>(128), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  EXPECT_EQ(run.read<std::uint32_t>(out, 128), std::vector<std::uint32_t>(128, 7));
}

// A product is one operation of four warps. The warp that overwrites b has waited for its own product alone.
TEST(PtxGroupProducts, AWaitHoldsUntilAllWarpsOfTheWarpgroupHaveIssuedTheProduct) {
  GroupProduct product;
  product.d = Type::kS32;
  product.a = product.b = Type::kS8;
  product.columns = 8;
  product.a_in_registers = true;
  PtxRun run(
      kernel_text(".reg .b32 %w<4>; mov.u32 %w0, 0; mov.u32 %w1, 0; mov.u32 %w2, 0; mov.u32 %w3, 0;\n"
                  "mov.u32 %r20, 0x01010101; mov.u32 %r21, %r20; mov.u32 %r22, %r20; mov.u32 %r23, %r20;\n"
                  "mov.u64 %rd10, 0; mov.u64 %rd11, 0x0000000800000000;\n"
                  "shl.b32 %r4, %r0, 2; and.b32 %r4, %r4, 255; st.shared.u32 [%r4], %r20; bar.sync 0;\n"
                  "wgmma.fence.sync.aligned;\n" +
                  product.spelling() + " " + product.operands() +
                  ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                  "mov.u32 %r5, 0; st.shared.u32 [%r4], %r5;\n"
                  "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd0, %rd2;\n"
                  "st.global.v4.u32 [%rd2], {%w0, %w1, %w2, %w3};"));
  run.block.x = 128;
  run.dynamic_shared = 1024;
  const Address out = run.buffer(std::vector<std::uint32_t>(512), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  EXPECT_EQ(run.read<std::uint32_t>(out, 512), std::vector<std::uint32_t>(512, 32));
}

TEST(PtxGroupProducts, ABlockNeedsTheFourWarpsOfAWarpgroupAndMatricesInItsSharedMemory) {
  GroupProduct product;
  product.columns = 8;
  const std::string text = product.spelling() + " " + product.operands() + ";";
  const auto failure = [&](std::uint32_t threads, std::uint64_t descriptor) {
    const std::string descriptors = fmt::format("mov.u64 %rd10, {}; mov.u64 %rd11, 0;\n", descriptor);
    PtxRun run(kernel_text(".reg .b32 %w<4>; " + descriptors + text));
    run.dynamic_shared = 4096;
    run.block = {threads, 1, 1};
    run.pass(std::uint64_t{0});
    run.pass(std::uint64_t{0});
    return run.failure();
  };
  EXPECT_EQ(failure(128, 0), "");
  EXPECT_THAT(failure(96, 0), HasSubstr("without the four warps of its warpgroup"));
  EXPECT_THAT(failure(144, 0), HasSubstr("without all 32 lanes of its warp"));
  EXPECT_THAT(failure(128, 0x100), HasSubstr("shared memory"));
}

}  // namespace
}  // namespace heddle::ptx
