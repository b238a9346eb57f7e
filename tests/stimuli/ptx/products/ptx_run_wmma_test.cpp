// wmma: a program sees matrices in memory, not the fragments of lanes. Loads, a product and a store are
// compared with a product of matrices in plain C++.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "stimuli/ptx/execute/matrix_unit.h"
#include "tests/support/problems.h"
#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

constexpr int kMatrixBytes = 8192;  // room of a matrix in memory

// Where the elements of a matrix lie in memory.
struct Placed {
  bool by_columns = false;
  int stride = 0;  // in elements
  int at(int row, int column) const { return by_columns ? column * stride + row : row * stride + column; }
};

void write(std::vector<std::uint8_t>& memory, int base, const Numbers& matrix, const Placed& placed) {
  const auto bytes = static_cast<int>(bytes_of(matrix.type()));
  for (int row = 0; row < matrix.rows(); ++row)
    for (int column = 0; column < matrix.columns(); ++column) {
      const std::uint64_t bits = matrix.at(row, column);
      std::memcpy(&memory.at(base + placed.at(row, column) * bytes), &bits, bytes);
    }
}

Numbers random_matrix(Type type, int rows, int columns, std::mt19937_64& random) {
  Numbers matrix(type, rows, columns);
  const std::uint64_t mask = bits_of(type) < 64 ? (std::uint64_t{1} << bits_of(type)) - 1 : ~std::uint64_t{0};
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      matrix.set(row, column, random_word(type, random, false) & mask);
  return matrix;
}

struct Types {
  Type a, b, c, d;
};
Types types_of(const Statement& fields) {
  if (fields.other_type == Type::kNone) return {Type::kF16, Type::kF16, fields.source_type, fields.type};
  return {fields.source_type, fields.other_type, fields.type, fields.type};
}

std::string registers(Type type, int first, std::uint32_t count) {
  std::string text = "{";
  for (std::uint32_t i = 0; i < count; ++i)
    text += fmt::format("{}%{}{}", i > 0 ? ", " : "", type == Type::kF64 ? "rd" : "r", first + i);
  return text + "}";
}

const char* layout_name(bool by_columns) {
  return by_columns ? "col" : "row";
}

// Returns "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16" and the like.
std::string access(const std::string& what, bool by_columns, const std::string& shape, const char* space,
                   Type type) {
  return fmt::format("wmma.{}.sync.aligned.{}.{}{}.{}", what, layout_name(by_columns), shape, space,
                     name_of(type));
}

std::string shape_in(const std::string& text) {
  const std::size_t first = text.find(".m") == 4 ? text.find(".m", 5) : text.find(".m");
  return text.substr(first + 1, text.find('.', first + 1) - first - 1);
}

// Multiplies matrices that lie in shared or global memory.
void expect_product(const Spelling& one, bool c_by_columns, const char* space, std::mt19937_64& random) {
  const MatrixSize size = size_of(one.fields.shape);
  const int m = static_cast<int>(size.m), n = static_cast<int>(size.n), k = static_cast<int>(size.k);
  const Types types = types_of(one.fields);
  const std::string shape = shape_in(one.text);
  const int more = 16;  // elements between lines
  const Placed a{one.fields.layout == Layout::kColumns,
                 (one.fields.layout == Layout::kColumns ? m : k) + more};
  const Placed b{one.fields.other_layout == Layout::kColumns,
                 (one.fields.other_layout == Layout::kColumns ? k : n) + more};
  const Placed c{c_by_columns, (c_by_columns ? m : n) + more};
  const Numbers a_matrix = random_matrix(types.a, m, k, random);
  const Numbers b_matrix = random_matrix(types.b, k, n, random);
  const Numbers c_matrix = random_matrix(types.c, m, n, random);
  std::vector<std::uint8_t> memory(3 * kMatrixBytes);
  write(memory, 0, a_matrix, a);
  write(memory, kMatrixBytes, b_matrix, b);
  write(memory, 2 * kMatrixBytes, c_matrix, c);

  const bool shared = std::string(space) == ".shared";
  const auto count = [&](Fragment fragment) { return info_of(one.fields, fragment).registers; };
  std::string body = "mul.wide.u32 %rd2, %r0, 16; mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3;\n";
  for (int at = 0; shared && at < 3 * kMatrixBytes; at += 512)
    body += fmt::format(
        "add.u64 %rd5, %rd1, %rd2; ld.global.v2.u64 {{%rd6, %rd7}}, [%rd5+{0}]; add.u64 %rd5, %rd3, "
        "%rd2; st.shared.v2.u64 [%rd5+{0}], {{%rd6, %rd7}};\n",
        at);
  body += shared ? "bar.sync 0; mov.u64 %rd8, %rd3;\n" : "mov.u64 %rd8, %rd1;\n";
  body += fmt::format("mov.u32 %r1, {};\n", a.stride);
  body += fmt::format("{} {}, [%rd8], %r1;\n", access("load.a", a.by_columns, shape, space, types.a),
                      registers(types.a, 10, count(Fragment::kA)));
  body += fmt::format("{} {}, [%rd8+{}], {};\n", access("load.b", b.by_columns, shape, space, types.b),
                      registers(types.b, 20, count(Fragment::kB)), kMatrixBytes, b.stride);
  body += fmt::format("{} {}, [%rd8+{}], {};\n", access("load.c", c_by_columns, shape, space, types.c),
                      registers(types.c, 30, count(Fragment::kC)), 2 * kMatrixBytes, c.stride);
  body +=
      fmt::format("{} {}, {}, {}, {};\n", one.text, registers(types.d, 40, count(Fragment::kD)),
                  registers(types.a, 10, count(Fragment::kA)), registers(types.b, 20, count(Fragment::kB)),
                  registers(types.c, 30, count(Fragment::kC)));
  body += fmt::format("{} [%rd0], {}, {};\n", access("store.d", c_by_columns, shape, ".global", types.d),
                      registers(types.d, 40, count(Fragment::kD)), c.stride);
  PtxRun run(kernel_text(body, fmt::format(".shared .align 32 .b8 s[{}];", 3 * kMatrixBytes)));
  const Address out = run.buffer(std::vector<std::uint8_t>(kMatrixBytes), "out");
  run.buffer(memory, "in");
  run.execute();

  std::vector<std::uint8_t> wanted(kMatrixBytes);
  write(wanted, 0, product(a_matrix, b_matrix, c_matrix, types.d, one.fields), c);
  EXPECT_EQ(run.read<std::uint8_t>(out, kMatrixBytes), wanted) << one.text << space << c_by_columns;
}

TEST(PtxWmma, EverySpellingMultipliesMatricesOfEveryLayout) {
  std::mt19937_64 random(3);
  std::size_t tried = 0;
  for (const Spelling& one : spellings_of("wmma")) {
    if (one.fields.opcode != Opcode::kWmmaMma || !one.fields.has(kAligned)) continue;
    for (const bool c_by_columns : {false, true})
      expect_product(one, c_by_columns,
                     ++tried % 3 == 0 ? ".shared"
                     : tried % 3 == 1 ? ".global"
                                      : "",
                     random);
  }
  EXPECT_GT(tried, 150u);
}

TEST(PtxWmma, WithoutAStrideLinesFollowEachOther) {
  std::vector<std::uint32_t> words(256);
  for (std::uint32_t i = 0; i < 256; ++i) words[i] = 3 * i;
  PtxRun run(kernel_text(
      "wmma.load.c.sync.aligned.row.m16n16k16.s32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];\n"
      "wmma.store.d.sync.aligned.col.m16n16k16.s32 [%rd0], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};"));
  const Address out = run.buffer(std::vector<std::uint32_t>(256), "out");
  run.buffer(words, "in");
  run.execute();
  const std::vector<std::uint32_t> turned = run.read<std::uint32_t>(out, 256);
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(turned[i % 16 * 16 + i / 16], words[i]);
}

// Each element of c lies in one lane, and each of a in as many lanes as others.
TEST(PtxWmma, AFragmentHoldsEveryElementEquallyOften) {
  for (const Spelling& one : spellings_of("wmma")) {
    if (one.fields.opcode == Opcode::kWmmaStore) continue;
    for (const Fragment fragment : {Fragment::kA, Fragment::kB, Fragment::kC}) {
      if (one.fields.opcode == Opcode::kWmmaLoad && fragment != Fragment::kA) continue;
      const Fragment asked = one.fields.opcode == Opcode::kWmmaLoad ? Fragment::kNamed : fragment;
      const FragmentTable table = fragment_table(one.fields, asked);
      std::multiset<std::uint16_t> places(table.places.begin(), table.places.end());
      const std::size_t elements = std::size_t{table.info.rows} * table.info.columns;
      for (std::uint16_t place = 0; place < elements; ++place)
        ASSERT_EQ(places.count(place), places.size() / elements) << one.text;
    }
  }
}

// Returns the bytes of each access of a lane, and the addresses of the first access.
struct Accesses {
  std::vector<std::uint32_t> bytes;
  std::vector<std::uint32_t> lanes;
  std::array<Address, kLanes> first{};
};
Accesses accesses_of(const std::string& text, Step::Kind kind) {
  StepRig rig(text);
  const Address matrix = rig.run.memory().allocate(4096, "matrix");
  Accesses all;
  for (std::size_t i = 0;; ++i) try {
      const WarpStep at = rig.at(kind, i);
      const MatrixStep& step = rig.code.matrices[at.step.index];
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(at, step.address, lane, matrix);
      BlockMemory memory{rig.state, rig.faults};
      const MatrixUnit unit(rig.state, memory, rig.faults);
      IssuedInstruction issued = rig.issue(at);
      if (kind == Step::Kind::kMatrixLoad)
        unit.load(at, issued);
      else
        unit.store(at, issued);
      all.bytes.push_back(issued.code->bytes);
      all.lanes.push_back(static_cast<std::uint32_t>(__builtin_popcount(issued.mask)));
      if (i == 0)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) all.first[lane] = issued.addresses[lane] - matrix;
    } catch (const std::runtime_error& error) {
      if (std::string(error.what()) != "no such step") throw;
      return all;
    }
}

TEST(PtxWmma, ALoadOrStoreIsAnAccessOfAtMost16BytesForEachPieceOfALane) {
  const auto eight = [](const char* prefix) {
    return fmt::format("{{{0}1, {0}2, {0}3, {0}4, {0}5, {0}6, {0}7, {0}8}}", prefix);
  };
  const Accesses a = accesses_of(
      fmt::format("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {}, [%rd2], 32;", eight("%r")),
      Step::Kind::kMatrixLoad);
  EXPECT_EQ(a.bytes, (std::vector<std::uint32_t>{16, 16}));
  EXPECT_EQ(a.first[0], 0u);
  EXPECT_EQ(a.first[1], 64u);
  EXPECT_EQ(a.first[17], 64u);  // a copy
  const Accesses rows = accesses_of(
      fmt::format("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {}, 16;", eight("%f")),
      Step::Kind::kMatrixStore);
  EXPECT_EQ(rows.bytes, std::vector<std::uint32_t>(4, 8));
  EXPECT_EQ(rows.first[5], 64u + 8u);
  const Accesses columns = accesses_of(
      fmt::format("wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%rd2], {}, 16;", eight("%f")),
      Step::Kind::kMatrixStore);
  EXPECT_EQ(columns.bytes, std::vector<std::uint32_t>(8, 4));
  EXPECT_EQ(columns.first[5], 2 * 64u + 4u);
}

TEST(PtxWmma, LdmatrixIsAnAccessOf16BytesOfEachLaneThatNamesARow) {
  for (const auto& [number, registers_of_lane, lanes] :
       {std::tuple{1, "{%r1}", 8U}, std::tuple{2, "{%r1, %r2}", 16U},
        std::tuple{4, "{%r1, %r2, %r3, %r4}", 32U}}) {
    const Accesses access =
        accesses_of(fmt::format("ldmatrix.sync.aligned.m8n8.x{}.b16 {}, [%rd2];", number, registers_of_lane),
                    Step::Kind::kMatrixLoad);
    EXPECT_EQ(access.bytes, std::vector<std::uint32_t>{16});
    EXPECT_EQ(access.lanes, std::vector<std::uint32_t>{lanes});
  }
}

TEST(PtxWmma, ALineThatIsMisalignedOrOutsideIsAFault) {
  const std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r1, %r2}, [%rd1], ";
  for (const auto& [stride, message] :
       {std::pair{"17;", "which is not aligned"}, std::pair{"64;", "bytes at"}}) {
    PtxRun run(kernel_text(load + stride));
    run.pass(std::uint64_t{0});
    run.buffer(std::vector<std::uint8_t>(512), "in");
    EXPECT_THAT(run.failure(), HasSubstr(message));
  }
}

TEST(PtxWmma, ALoadIntoItsOwnAddressIsRefusedInItsLine) {
  const auto text = kernel(
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.s32 {%u32_0, %u32_1, %u32_2, %u32_3, %u32_4, %u32_5, "
      "%u32_6, "
      "%u32_7}, [%u32_3], 16;");
  EXPECT_THAT(test::problems_of([&] { parse(text); }),
              testing::ElementsAre(HasSubstr(
                  "t.ptx:8:1: a load into the register of its address or stride is not supported")));
}

}  // namespace
}  // namespace heddle::ptx
