// mma and ldmatrix compared with the tables of the PTX ISA for the elements of each lane, and with sums that
// are rounded by an independent implementation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

struct Place {
  int row = 0;
  int column = 0;
};

// The formulas of the PTX ISA, "Matrix Fragments for mma.<shape>", for element i of a lane.
Place place_of_a(const Spelling& one, int lane, int i) {
  const int group = lane >> 2;
  const int thread = lane % 4;
  const Shape shape = one.fields.shape;
  const Type type = one.fields.source_type;
  if (shape == Shape::kM8n8k4) return {group, thread};
  if (shape == Shape::kM8n8k16) return {group, thread * 4 + i};
  if (shape == Shape::kM16n8k4) return {i == 0 ? group : group + 8, thread};
  if (type == Type::kTf32) return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  if (shape == Shape::kM16n8k8) return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  if (is_half(type))
    return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  if (shape == Shape::kM16n8k16) return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
  return {i < 4 || (i >= 8 && i < 12) ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
Place place_of_b(const Spelling& one, int lane, int i) {
  const int group = lane >> 2;
  const int thread = lane % 4;
  const Type type = one.fields.source_type;
  if (is_half(type)) return {thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
  if (type == Type::kTf32) return {i == 0 ? thread : thread + 4, group};
  if (type == Type::kF64) return {thread, group};
  return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
}
Place place_of_c(int lane, int i) {
  return {(lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

struct Counts {
  int registers = 0;
  int elements = 0;
};
// The numbers of the table "Matrix Fragments": elements of a lane, and the registers that they take.
Counts counts_of(Type type, int elements) {
  const int bits = static_cast<int>(bits_of(type));
  return {bits >= 32 ? elements : elements * bits / 32, elements};
}

// The registers of a fragment by lane and register, each 32 or 64 bits.
using Registers = std::vector<std::vector<std::uint64_t>>;

Registers random_registers(Type type, int registers, std::mt19937_64& random, bool wild) {
  Registers all(32);
  for (auto& lane : all)
    for (int i = 0; i < registers; ++i) lane.push_back(random_word(type, random, wild));
  return all;
}

struct Fragments {
  Registers a, b, c, d;
};

std::string names(const char* prefix, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}{}", i > 0 ? ", " : "", prefix, first + i);
  return text + "}";
}

// Executes the instruction with each lane's registers from memory.
void execute(const std::string& spelling, Fragments& run, int d_registers, bool wide) {
  const char* const prefix = wide ? "%rd" : "%r";
  std::string body = "mul.wide.u32 %rd2, %r0, 192; add.u64 %rd3, %rd1, %rd2; add.u64 %rd4, %rd0, %rd2;\n";
  int number = 10;
  std::string operands;
  std::vector<std::uint64_t> input(32 * 24);
  for (const Registers* fragment : {&run.a, &run.b, &run.c}) {
    const int count = static_cast<int>((*fragment)[0].size());
    operands += ", " + names(prefix, number, count);
    for (int i = 0; i < count; ++i, ++number) {
      for (int lane = 0; lane < 32; ++lane) input[24 * lane + number - 10] = (*fragment)[lane][i];
      body +=
          fmt::format("ld.global.b{} {}{}, [%rd3+{}];\n", wide ? 64 : 32, prefix, number, 8 * (number - 10));
    }
  }
  body += fmt::format("{} {}{};\n", spelling, names(prefix, 40, d_registers), operands);
  for (int i = 0; i < d_registers; ++i)
    body += fmt::format("st.global.b{} [%rd4+{}], {}{};\n", wide ? 64 : 32, 8 * i, prefix, 40 + i);
  const std::vector<std::uint64_t> words = words_of(body, 32 * 24, input);
  run.d.assign(32, {});
  for (int lane = 0; lane < 32; ++lane)
    run.d[lane].assign(&words[24 * lane], &words[24 * lane] + d_registers);
}

std::uint64_t element_of(const Registers& registers, Type type, int lane, int i) {
  const int bits = static_cast<int>(bits_of(type));
  if (bits >= 32) return registers[lane][i];
  const int per = 32 / bits;
  return registers[lane][i / per] >> (i % per * bits) & ((1U << bits) - 1);
}

void expect_product(const Spelling& one, std::mt19937_64& random, bool wild) {
  const MatrixSize size = size_of(one.fields.shape);
  const Type a_type = one.fields.source_type;
  const Type b_type = one.fields.other_type;
  const Type d_type = one.fields.type;
  const int m = static_cast<int>(size.m), n = static_cast<int>(size.n), k = static_cast<int>(size.k);
  const Counts a = counts_of(a_type, m * k / 32), b = counts_of(b_type, k * n / 32),
               c = counts_of(d_type, m * n / 32);
  Fragments run;
  run.a = random_registers(a_type, a.registers, random, wild);
  run.b = random_registers(b_type, b.registers, random, wild);
  run.c = random_registers(d_type, c.registers, random, wild);
  execute(one.text, run, c.registers, d_type == Type::kF64);
  Numbers a_numbers(a_type, m, k), b_numbers(b_type, k, n), c_numbers(d_type, m, n);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < a.elements; ++i) {
      const Place at = place_of_a(one, lane, i);
      a_numbers.set(at.row, at.column, element_of(run.a, a_type, lane, i));
    }
    for (int i = 0; i < b.elements; ++i) {
      const Place at = place_of_b(one, lane, i);
      b_numbers.set(at.row, at.column, element_of(run.b, b_type, lane, i));
    }
    for (int i = 0; i < c.elements; ++i)
      c_numbers.set(place_of_c(lane, i).row, place_of_c(lane, i).column, element_of(run.c, d_type, lane, i));
  }
  const Numbers d = product(a_numbers, b_numbers, c_numbers, d_type, one.fields);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c.elements; ++i)
      ASSERT_EQ(element_of(run.d, d_type, lane, i), d.at(place_of_c(lane, i).row, place_of_c(lane, i).column))
          << one.text << " lane " << lane << " element " << i;
}

TEST(PtxProducts, EverySpellingOfMmaHasTheFragmentsOfTheIsa) {
  std::mt19937_64 random(1);
  std::size_t tried = 0;
  for (const Spelling& one : spellings_of("mma"))
    for (int round = 0; round < 3; ++round, ++tried)
      ASSERT_NO_FATAL_FAILURE(expect_product(one, random, round == 2));
  EXPECT_GT(tried, 90u);
}

TEST(PtxProducts, SumsOfIntegersWrapAroundOrAreClamped) {
  for (const bool clamps : {false, true}) {
    Fragments run;
    run.a.assign(32, {0x7f7f7f7fU});
    run.b.assign(32, {0x7f7f7f7fU});
    run.c.assign(32, {0x7fffff00U, 0x80000000U});
    execute(fmt::format("mma.sync.aligned.m8n8k16.row.col{}.s32.s8.s8.s32", clamps ? ".satfinite" : ""), run,
            2, false);
    const std::uint32_t products = 16 * 127 * 127;
    EXPECT_EQ(run.d[7][0], clamps ? 0x7fffffffU : 0x7fffff00U + products);
    EXPECT_EQ(run.d[7][1], 0x80000000U + products);
  }
}

// Returns what ldmatrix gives a lane (PTX ISA, "ldmatrix"): element j of register i of matrix i.
std::uint32_t element_of_row(const std::vector<std::uint16_t>& halves, const std::vector<std::uint32_t>& rows,
                             int matrix, int lane, int j, bool transposed) {
  const int row = transposed ? lane % 4 * 2 + j : lane / 4;
  const int column = transposed ? lane / 4 : lane % 4 * 2 + j;
  return halves[rows[8 * matrix + row] / 2 + column];
}

TEST(PtxLdmatrix, EverySpellingGivesTheElementsOfTheRowsThatLanesName) {
  std::mt19937_64 random(2);
  std::vector<std::uint16_t> halves(1024);
  for (std::uint16_t& half : halves) half = static_cast<std::uint16_t>(random());
  std::vector<std::uint32_t> rows(32);
  for (std::uint32_t& row : rows) row = 16 * (random() % 128);
  for (const Spelling& one : spellings_of("ldmatrix")) {
    PtxRun run(kernel_text(
        fmt::format(
            "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd3, %rd1, %rd2; mov.u64 %rd5, s; add.u64 %rd4, %rd5, "
            "%rd2;\n"
            "ld.global.v2.u64 {{%rd6, %rd7}}, [%rd3]; st.shared.v2.u64 [%rd4], {{%rd6, %rd7}};\n"
            "ld.global.v2.u64 {{%rd6, %rd7}}, [%rd3+512]; st.shared.v2.u64 [%rd4+512], {{%rd6, %rd7}};\n"
            "ld.global.v2.u64 {{%rd6, %rd7}}, [%rd3+1024]; st.shared.v2.u64 [%rd4+1024], {{%rd6, %rd7}};\n"
            "ld.global.v2.u64 {{%rd6, %rd7}}, [%rd3+1536]; st.shared.v2.u64 [%rd4+1536], {{%rd6, %rd7}};\n"
            "bar.sync 0; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r1, "
            "[%rd3+2048]; cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd5;\n{}\n"
            "{} {}, [%rd2];\n"
            "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd0, %rd2; st.global.v4.u32 [%rd2], {{%r10, %r11, "
            "%r12, %r13}};",
            one.fields.space == Space::kGeneric ? "cvta.shared.u64 %rd2, %rd2;" : "", one.text,
            names("%r", 10, one.fields.width)),
        ".shared .align 16 .b8 s[2048];"));
    const Address out = run.buffer(std::vector<std::uint32_t>(128), "out");
    std::vector<std::uint32_t> input(512 + 32);
    std::memcpy(input.data(), halves.data(), 2048);
    std::copy(rows.begin(), rows.end(), input.begin() + 512);
    run.buffer(input, "in");
    run.execute();
    const std::vector<std::uint32_t> words = run.read<std::uint32_t>(out, 128);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < one.fields.width; ++i) {
        const bool transposed = one.fields.has(kTransposed);
        const std::uint32_t wanted = element_of_row(halves, rows, i, lane, 0, transposed) |
                                     element_of_row(halves, rows, i, lane, 1, transposed) << 16U;
        ASSERT_EQ(words[4 * lane + i], wanted) << one.text << " lane " << lane << " register " << i;
      }
  }
}

// ldmatrix with the same lanes and rows gives back what stmatrix has stored, and the rows are those that
// lanes name.
TEST(PtxStmatrix, EverySpellingStoresTheElementsToTheRowsThatLanesName) {
  for (const Spelling& one : spellings_of("stmatrix")) {
    const std::uint32_t matrices = static_cast<std::uint32_t>(one.fields.width);
    const std::string loads = one.fields.has(kTransposed) ? ".trans" : "";
    // Lane i names row 31 - i, and register j of lane i is 256 j + i and, in its upper half, 1000 more.
    PtxRun run(kernel_text(
        fmt::format("sub.u32 %r1, 31, %r0; mul.wide.u32 %rd2, %r1, 16; mov.u64 %rd5, s; add.u64 %rd2, %rd2, "
                    "%rd5; mov.u64 %rd6, %rd2;\n"
                    "add.u32 %r2, %r0, 1000; shl.b32 %r2, %r2, 16; add.u32 %r10, %r0, %r2;\n"
                    "add.u32 %r11, %r10, 256; add.u32 %r12, %r10, 512; add.u32 %r13, %r10, 768;\n"
                    "{}\n{} [%rd2], {};\nbar.sync 0;\n"
                    "ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%rd6];\n"
                    "mul.wide.u32 %rd3, %r0, 32; add.u64 %rd3, %rd0, %rd3;\n"
                    "st.global.v4.u32 [%rd3], {{%r20, %r21, %r22, %r23}};\n"
                    "mul.wide.u32 %rd4, %r0, 16; add.u64 %rd4, %rd4, %rd5; ld.shared.v4.u32 {{%r4, %r5, %r6, "
                    "%r7}}, [%rd4]; st.global.v4.u32 [%rd3+16], {{%r4, %r5, %r6, %r7}};",
                    one.fields.space == Space::kGeneric ? "cvta.shared.u64 %rd2, %rd2;" : "", one.text,
                    names("%r", 10, matrices), matrices, loads, names("%r", 20, matrices)),
        ".shared .align 16 .b8 s[512];"));
    const Address out = run.buffer(std::vector<std::uint32_t>(256), "out");
    run.pass(std::uint64_t{0});
    run.execute();
    const std::vector<std::uint32_t> words = run.read<std::uint32_t>(out, 256);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t i = 0; i < matrices; ++i)
        ASSERT_EQ(words[8 * lane + i], 256 * i + lane + ((lane + 1000) << 16U)) << one.text;
    // The first row of matrix 0 is row 31, and has the registers of lanes 0 to 3, or one half of each lane
    // that is a multiple of 4.
    const std::uint32_t first = words[8 * 31 + 4];
    EXPECT_EQ(first, one.fields.has(kTransposed) ? 0U | 4U << 16U : 0U | 1000U << 16U) << one.text;
  }
}

// Returns the only product.
Instruction product_of(const std::string& text) {
  PtxRun run(kernel_text(text));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  const auto program = make_program(run.launch(), run.memory());
  BlockStream& stream = program->start(BlockId{0});
  IssuedInstruction issued;
  for (const Instruction* next = stream.peek(0, 0); next != nullptr; next = stream.peek(0, 0)) {
    if (next->operation >= Operation::kTensor && next->operation <= Operation::kTensorDouble) return *next;
    stream.issue(0, issued);
  }
  return {};
}

// Returns the operation of the only product, and how often it repeats.
std::pair<Operation, int> cost_of(const std::string& text) {
  const Instruction product = product_of(text);
  return {product.operation, product.repeats};
}

TEST(PtxProducts, AProductOfTwiceTheDepthIsAnOperationOfItsOwn) {
  const std::string halves = "{%r1, %r2}, {%r3, %r4}, {%r5}, {%r1, %r2};";
  EXPECT_EQ(cost_of("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " + halves),
            std::pair(Operation::kTensor, 1));
  EXPECT_EQ(cost_of("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, "
                    "{%r7, %r8}, {%r1, %r2};"),
            std::pair(Operation::kTensorWide, 1));
  EXPECT_EQ(cost_of("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};"),
            std::pair(Operation::kTensor, 1));
  EXPECT_EQ(cost_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};"),
            std::pair(Operation::kTensorDouble, 1));
  EXPECT_EQ(
      cost_of("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, "
              "%r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4};"),
      std::pair(Operation::kTensorWide, 2));
}

TEST(PtxProducts, AProductCountsByTheBitsThatItMultiplies) {
  const auto work = [](const std::string& text) { return +product_of(text).tensor_products; };
  const std::string four = "{%r1, %r2, %r3, %r4}, ";
  const std::string eight = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, ";
  EXPECT_EQ(
      work("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r1, %r2};"), 1);
  EXPECT_EQ(work("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, " + four +
                 "{%r7, %r8}, "
                 "{%r1, %r2};"),
            2);
  EXPECT_EQ(work("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 " + four + eight + eight +
                 "{%r1, %r2, %r3, %r4};"),
            4);
}

TEST(PtxProducts, AMatrixInstructionWithoutAllLanesIsAFault) {
  const std::string text =
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};";
  PtxRun run(kernel_text(text));
  run.block = {16, 1, 1};
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_NE(run.failure().find("a matrix instruction without all 32 lanes of its warp"), std::string::npos);
}

}  // namespace
}  // namespace heddle::ptx
