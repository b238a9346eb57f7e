// Every spelling of atom and red, executed by a warp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/ptx/ptx_edges.h"
#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_half.h"
#include "tests/support/ptx/ptx_numbers.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

// One block. The old value and the operand of each thread are a pair of edge cases.
constexpr std::uint32_t kThreads = 1024;

std::uint64_t flushed(std::uint64_t bits) {
  return (bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits;
}

// Returns the sum that PTX ISA, atom, defines for .f32: global memory flushes subnormals, and shared memory
// does not.
std::uint64_t float_sum(std::uint64_t old, std::uint64_t a, bool shared) {
  if (!shared) {
    old = flushed(old);
    a = flushed(a);
  }
  const float sum = float_of_bits<float>(old) + float_of_bits<float>(a);
  if (std::isnan(sum)) return 0x7fffffff;
  return shared ? bits_of_float(sum) : flushed(bits_of_float(sum));
}

std::uint64_t half_sum(Type type, std::uint64_t old, std::uint64_t a) {
  const HalfNumbers numbers = half_numbers(type);
  return each_half(type, [&](unsigned shift) {
    const double x = numbers.value(static_cast<std::uint32_t>(old >> shift) & 0xffffU);
    const double y = numbers.value(static_cast<std::uint32_t>(a >> shift) & 0xffffU);
    return numbers.result(exact_sum(x, y), x + y);
  });
}

std::uint64_t sum_of(Type type, std::uint64_t old, std::uint64_t a, bool shared) {
  if (is_half(type)) return half_sum(type, old, a);
  if (type == Type::kF32) return float_sum(old, a, shared);
  if (type != Type::kF64) return bits_of_number(type, number_of(type, old) + number_of(type, a));
  const double sum = float_of_bits<double>(old) + float_of_bits<double>(a);
  return std::isnan(sum) ? 0xfff8000000000000 : bits_of_float(sum);
}

std::uint64_t expected(const Statement& fields, std::uint64_t old, std::uint64_t a, std::uint64_t b,
                       bool shared) {
  const Type type = fields.type;
  switch (fields.variant) {
    case Variant::kAdd:
      return sum_of(type, old, a, shared);
    case Variant::kMin:
      return number_of(type, a) < number_of(type, old) ? a : old;
    case Variant::kMax:
      return number_of(type, a) > number_of(type, old) ? a : old;
    case Variant::kInc:
      return old >= a ? 0 : old + 1;
    case Variant::kDec:
      return old == 0 || old > a ? a : old - 1;
    case Variant::kAnd:
      return old & a;
    case Variant::kOr:
      return old | a;
    case Variant::kXor:
      return old ^ a;
    case Variant::kExch:
      return a;
    default:
      return old == a ? b : old;
  }
}

std::string name_for(Type type, std::uint32_t number) {
  const char* file = type == Type::kF32    ? "%f"
                     : type == Type::kF64  ? "%d"
                     : bits_of(type) == 16 ? "%h"
                     : bits_of(type) == 32 ? "%r"
                                           : "%rd";
  return file + std::to_string(number);
}

// Returns the body of the kernel. In shared memory, the cell at [%rd2] of the buffer is copied there and
// back. With `same` all threads use one cell.
std::string body_of(const Spelling& spelling, bool in_shared, bool same) {
  const Statement& fields = spelling.fields;
  const bool returns = fields.opcode == Opcode::kAtom;
  const bool generic = fields.space == Space::kGeneric;
  std::string text = same ? "mov.u64 %rd9, 0;\n" : "mul.wide.u32 %rd9, %r0, 8;\n";
  text +=
      "add.u64 %rd2, %rd0, %rd9; mov.u64 %rd3, s; add.u64 %rd3, %rd3, %rd9;\n"
      "mul.wide.u32 %rd4, %r0, 16; add.u64 %rd4, %rd1, %rd4;\n"
      "mul.wide.u32 %rd5, %r0, 8; add.u64 %rd5, %rd0, %rd5;\n";
  const std::string a = name_for(fields.type, 10);
  const std::string b = name_for(fields.type, 11);
  const std::string old = name_for(fields.type, 12);
  text +=
      fmt::format("ld.global.b{0} {1}, [%rd4]; ld.global.b{0} {2}, [%rd4+8];\n", bits_of(fields.type), a, b);
  if (in_shared) text += "ld.global.u64 %rd6, [%rd2]; st.shared.u64 [%rd3], %rd6; bar.sync 0;\n";
  if (in_shared && generic) text += "cvta.shared.u64 %rd3, %rd3;\n";
  text += fmt::format("{} {}[{}+0], {}{};\n", spelling.text, returns ? old + ", " : "",
                      in_shared ? "%rd3" : "%rd2", a, fields.variant == Variant::kCas ? ", " + b : "");
  if (in_shared && generic) text += "cvta.to.shared.u64 %rd3, %rd3;\n";
  if (in_shared) text += "bar.sync 0; ld.shared.u64 %rd6, [%rd3]; st.global.u64 [%rd2], %rd6;\n";
  if (returns) text += fmt::format("st.global.b{} [%rd5+8192], {};\n", bits_of(fields.type), old);
  return text;
}

struct Cells {
  std::vector<std::uint64_t> old = std::vector<std::uint64_t>(2 * kThreads);
  std::vector<std::uint64_t> operands = std::vector<std::uint64_t>(2 * kThreads);
};

// Returns the cells. All bits beyond the type of the cell are ones.
Cells cells_of(Type type) {
  std::mt19937_64 random(3);
  const Type edges_type = is_float(type) ? type : (bits_of(type) == 64 ? Type::kU64 : Type::kU32);
  const std::vector<std::uint64_t> edges = edges_of(edges_type);
  Cells cells;
  for (std::size_t i = 0; i < kThreads; ++i) {
    const bool near = !is_float(type) && i % 3 == 0;
    const std::uint64_t old = edges[random() % edges.size()];
    const std::uint64_t a = near ? old + random() % 3 - 1 : edges[random() % edges.size()];
    cells.old[i] = (old & mask_of(type)) | ~mask_of(type);
    cells.operands[2 * i] = a & mask_of(type);
    cells.operands[2 * i + 1] = random() & mask_of(type);
  }
  return cells;
}

void expect_atomic(const Spelling& spelling, bool in_shared) {
  const Type type = spelling.fields.type;
  const Cells cells = cells_of(type);
  for (const bool same : {false, true}) {
    PtxRun run(kernel_text(body_of(spelling, in_shared, same), ".shared .align 16 .b8 s[8192];"));
    run.block.x = same ? 32 : kThreads;
    const Address out = run.buffer(cells.old, "out");
    run.buffer(cells.operands, "in");
    run.execute();
    const std::vector<std::uint64_t> results = run.read<std::uint64_t>(out, 2 * kThreads);
    std::vector<std::uint64_t> wanted = cells.old;
    for (std::size_t i = 0; i < run.block.x; ++i) {
      std::uint64_t& cell = wanted[same ? 0 : i];
      const std::uint64_t old = cell & mask_of(type);
      if (spelling.fields.opcode == Opcode::kAtom) wanted[kThreads + i] = old;
      cell = (cell & ~mask_of(type)) |
             expected(spelling.fields, old, cells.operands[2 * i], cells.operands[2 * i + 1], in_shared);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_EQ(results[i], wanted[i])
          << spelling.text
          << fmt::format(" {} of {:#x}, {:#x} gives {:#x}", i, cells.old[i % kThreads],
                         cells.operands[2 * (i % kThreads)], results[i]);
  }
}

void expect_every_spelling(std::string_view mnemonic) {
  for (const Spelling& spelling : spellings_of(mnemonic)) {
    const Space space = spelling.fields.space;
    if (stores_across(spelling.fields.opcode)) continue;  // tests of clusters have these
    if (space != Space::kShared) expect_atomic(spelling, false);
    if (space != Space::kGlobal) expect_atomic(spelling, true);
  }
}

TEST(PtxAtomics, EverySpellingOfAtomReturnsWhatWasThereAndUpdatesIt) {
  expect_every_spelling("atom");
}

TEST(PtxAtomics, EverySpellingOfRedUpdatesWhatIsThere) {
  expect_every_spelling("red");
}

TEST(PtxAtomics, AnUnwantedResultOfAtomIsDropped) {
  const std::vector<std::uint64_t> words =
      words_of("atom.global.add.u32 _, [%rd0], 3; atom.global.add.u64 _, [%rd0+8], 5;", 2);
  EXPECT_EQ(words, (std::vector<std::uint64_t>{96, 160}));
}

TEST(PtxAtomics, OnlyLanesThatAreGuardedInTakePart) {
  const std::vector<std::uint64_t> words =
      words_of("setp.lt.u32 %p1, %r0, 5; @!%p1 atom.global.add.u32 %r1, [%rd0], 1;", 1);
  EXPECT_EQ(words[0], 27u);
}

}  // namespace
}  // namespace heddle::ptx
