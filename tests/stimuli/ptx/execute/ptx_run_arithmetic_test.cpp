// The executor runs arithmetic as the function of the instruction's lanes does. Other tests compare that
// function with references.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kGuard = 0x5a3c9ff1;
constexpr std::size_t kRow = 256;  // bytes of memory for the lanes of one operand

// The operands of the first instruction. Operands in braces are listed one by one.
struct Decoded {
  explicit Decoded(const std::string& text) : module(parse(kernel(text))) {
    const Function& function = function_of(module, "k");
    const Statement& statement = function.code[0];
    for (std::uint32_t i = 0; i < statement.operands; ++i)
      add(function, function.operands_of(statement)[i], i < statement.destinations);
  }

  void add(const Function& function, const Operand& operand, bool destination) {
    if (operand.kind == OperandKind::kVector) {
      for (std::uint32_t i = 0; i < operand.count; ++i)
        add(function, function.operands[operand.index + i], destination);
      return;
    }
    (destination ? destinations : sources).push_back(operand);
  }
  std::string name_of(const Operand& operand) const {
    const Function& function = function_of(module, "k");
    return (operand.kind == OperandKind::kPredicate ? function.predicates : function.registers)[operand.index]
        .name;
  }

  Module module;
  std::vector<Operand> destinations;
  std::vector<Operand> sources;
};

bool has_register(const Operand& operand) {
  return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kPredicate;
}

// Returns the code that loads the register from row `row` of the memory at %A0, or stores it there.
std::string move_row(const Decoded& decoded, const Operand& operand, std::size_t row, bool load) {
  const std::string name = decoded.name_of(operand);
  const std::string place = fmt::format("[%A0+{}]", kRow * row);
  if (operand.kind == OperandKind::kPredicate)
    return load ? fmt::format("ld.global.u32 %W0, {}; setp.ne.u32 {}, %W0, 0;\n", place, name)
                : fmt::format("selp.u32 %W0, 1, 0, {}; st.global.u32 {}, %W0;\n", name, place);
  const std::uint32_t bits = bits_of(operand.type);
  return load ? fmt::format("ld.global.b{} {}, {};\n", bits, name, place)
              : fmt::format("st.global.b{} {}, {};\n", bits, place, name);
}

constexpr std::size_t kCarryRow = 10;
constexpr std::size_t kGuardRow = 11;
constexpr std::size_t kRows = 12;  // destinations from row 0 on, sources from row 5 on

std::string body_of(const std::string& text, const Decoded& decoded, bool guarded) {
  std::string body =
      ".reg .b64 %A<4>; .reg .b32 %W<4>; .reg .pred %Q;\nld.param.u64 %A0, [p]; mov.u32 %W0, %tid.x; "
      "mul.wide.u32 %A1, %W0, 8; add.u64 %A0, %A0, %A1;\n";
  for (std::size_t i = 0; i < decoded.destinations.size(); ++i)
    if (has_register(decoded.destinations[i])) body += move_row(decoded, decoded.destinations[i], i, true);
  for (std::size_t i = 0; i < decoded.sources.size(); ++i)
    if (has_register(decoded.sources[i])) body += move_row(decoded, decoded.sources[i], 5 + i, true);
  body += fmt::format("ld.global.u32 %W0, [%A0+{}]; setp.ne.u32 %Q, %W0, 0;\n", kRow * kGuardRow);
  body += fmt::format("ld.global.u32 %W0, [%A0+{}]; add.cc.u32 %W1, %W0, -1;\n", kRow * kCarryRow);
  body += (guarded ? "@!%Q " : "") + text + "\n";
  body += fmt::format("addc.u32 %W1, 0, 0; st.global.u32 [%A0+{}], %W1;\n", kRow * kCarryRow);
  for (std::size_t i = 0; i < decoded.destinations.size(); ++i)
    if (has_register(decoded.destinations[i])) body += move_row(decoded, decoded.destinations[i], i, false);
  return body;
}

struct Rows {
  std::array<std::array<std::uint64_t, 32>, kRows> words{};
};

Rows executed(const std::string& body, const Rows& before) {
  PtxRun run(kernel(body));
  const Address at = run.buffer(std::vector<Rows>{before}, "rows");
  run.pass(std::uint32_t{0});
  struct alignas(16) Structure {
    std::array<std::byte, 64> bytes{};
  };
  run.pass(Structure{});
  run.execute();
  return run.read<Rows>(at, 1)[0];
}

std::uint64_t cut(std::uint64_t value, const Operand& operand) {
  if (operand.kind == OperandKind::kPredicate) return value & 1U;
  return value &
         (bits_of(operand.type) < 64 ? (std::uint64_t{1} << bits_of(operand.type)) - 1 : ~std::uint64_t{0});
}

// Expects that the executor gives the results of the lane function. `wanting` is the same instruction with a
// register for each result.
void expect_as_lanes(const std::string& text, const std::string& wanting, std::mt19937_64& random,
                     bool guarded) {
  const Decoded decoded(text);
  LaneRig rig(wanting.substr(0, wanting.size() - 1));
  ASSERT_TRUE(rig.known()) << text;
  ASSERT_EQ(rig.sources(), decoded.sources.size()) << text;
  const std::uint64_t before = random();
  Rows rows;
  for (std::size_t i = 0; i < decoded.sources.size(); ++i) {
    const Operand& source = decoded.sources[i];
    const Type type = source.kind == OperandKind::kPredicate ? Type::kPred : source.type;
    const std::vector<std::uint64_t> edges = edges_of(type);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::uint64_t value =
          random() % 2 == 0 ? edges[random() % edges.size()] : random_of(type, random);
      rig.set(i, lane, has_register(source) ? value : source.value);
      rows.words[5 + i][lane] = rig.source(i, lane);
    }
  }
  const auto carry = static_cast<std::uint32_t>(random());
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t i = 0; i < decoded.destinations.size(); ++i)
      rows.words[i][lane] = cut(before, decoded.destinations[i]);
    rows.words[kCarryRow][lane] = carry >> lane & 1U;
    rows.words[kGuardRow][lane] = ~kGuard >> lane & 1U;
  }
  const Rows after = executed(body_of(text, decoded, guarded), rows);
  rig.set_carry(carry);
  rig.run(guarded ? kGuard : kEveryLane, before);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(after.words[kCarryRow][lane], rig.carry() >> lane & 1U) << text << " carry of lane " << lane;
    for (std::size_t i = 0; i < decoded.destinations.size(); ++i) {
      if (!has_register(decoded.destinations[i])) continue;
      ASSERT_EQ(after.words[i][lane], rig.result(lane, i)) << text << " lane " << lane << " result " << i;
    }
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.rfind(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// Returns the text with a number in place of the last operand that is an arithmetic register.
// No number has 16 bits of floating point.
std::string with_number(const std::string& text, const Decoded& decoded) {
  if (text.find("f16") != std::string::npos) return text;
  for (std::size_t i = decoded.sources.size(); i-- > 0;) {
    const Operand& source = decoded.sources[i];
    if (source.kind != OperandKind::kRegister) continue;
    const std::string number = source.type == Type::kF32   ? "0f40490fdb"
                               : source.type == Type::kF64 ? "0dc00921fb54442d18"
                                                           : "-7";
    return replaced(text, decoded.name_of(source), number);
  }
  return text;
}

struct Variation {
  std::string text;
  std::string wanting;
};

std::vector<Variation> variations_of(const Form& form, const std::string& text) {
  std::vector<Variation> all = {{text, text}};
  const auto add = [&](const std::string& other) { all.push_back({other, other}); };
  // The number as the source of a conversion would have no type.
  if (form.opcode != Opcode::kCvt) add(with_number(text, Decoded(text)));
  for (const OperandSlot& slot : form.operands)
    if (slot.negatable && text.rfind("%pred_") > text.find(' ')) add(replaced(text, ", %pred_", ", !%pred_"));
  const std::size_t second = text.find('|');
  const std::string start = text.substr(0, text.find(' ') + 1);
  if (second != std::string::npos) {
    all.push_back({text.substr(0, second + 1) + "_" + text.substr(text.find(',', second)), text});
    all.push_back({start + "_" + text.substr(second), text});
  } else if (text.find('{') == std::string::npos && text.find(',') != std::string::npos) {
    all.push_back({start + "_" + text.substr(text.find(',')), text});
  }
  return all;
}

TEST(PtxArithmetic, EverySpellingDoesInTheExecutorWhatItsLanesDo) {
  std::mt19937_64 random(11);
  std::size_t tried = 0;
  for (const Form& form : forms())
    for (std::size_t turn = 0; turn < turns_of(form); ++turn) {
      const std::string sample = sample_of(form, turn).text;
      const Module module = parse(kernel(sample));
      const Function& function = function_of(module, "k");
      if (!lane_operation(function.code[0], function.operands_of(function.code[0]))) continue;
      for (const auto& [text, wanting] : variations_of(form, sample))
        expect_as_lanes(text, wanting, random, ++tried % 2 == 0);
    }
  EXPECT_GT(tried, 1000u);
}

TEST(PtxArithmetic, BracesJoinAndPartInTheExecutorAsInTheLanes) {
  std::mt19937_64 random(12);
  for (const char* text :
       {"mov.b32 %b32_0, {%b16_0, %b16_1};", "mov.b64 %b64_0, {%b16_0, %b16_1, %b16_2, %b16_3};",
        "mov.b64 %b64_0, {%b32_0, %b32_1};", "mov.b64 {%b32_0, %b32_1}, %b64_0;",
        "mov.b32 {%b16_0, %b16_1}, %b32_0;", "mov.b64 {%b16_0, %b16_1, %b16_2, %b16_3}, %b64_0;",
        "mov.b64 {_, %b32_1}, %b64_0;", "mov.b64 {%b32_1, _}, %b64_0;",
        "mov.b64 {%b16_0, _, _, %b16_3}, %b64_0;", "mov.b64 %b64_0, {%b32_0, 17};",
        "mov.b32 %b32_0, {-1, %b16_1};"})
    for (const bool guarded : {false, true}) expect_as_lanes(text, text, random, guarded);
}

TEST(PtxArithmetic, SpecialRegistersHoldWhereAThreadIs) {
  PtxRun run(kernel_text(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ctaid.x; mov.u32 %r5, "
      "%ctaid.y; "
      "mov.u32 %r6, %ctaid.z; mov.u32 %r7, %laneid; mov.u32 %r8, %warpid; mov.u32 %r9, %nwarpid; mov.u16 "
      "%h1, "
      "%ntid.y; cvt.u32.u16 %r10, %h1; mov.u32 %r11, %lanemask_le; mov.u32 %r12, %lanemask_gt; mov.u32 %r13, "
      "%nctaid.z; mad.lo.u32 %r20, %r3, 3, %r2; mad.lo.u32 %r20, %r20, 5, %r1; mad.lo.u32 %r21, %r6, 3, %r5; "
      "mad.lo.u32 %r21, %r21, 2, %r4; mad.lo.u32 %r20, %r21, 60, %r20; mul.wide.u32 %rd2, %r20, 64; add.u64 "
      "%rd2, "
      "%rd0, %rd2; st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%rd2+16], {%r5, %r6, "
      "%r7, "
      "%r8}; st.global.v4.u32 [%rd2+32], {%r9, %r10, %r11, %r12}; st.global.u32 [%rd2+48], %r13;"));
  run.block = {5, 3, 4};
  run.grid = {2, 3, 2};
  const Address out = run.buffer(std::vector<std::uint32_t>(720 * 16), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  const std::vector<std::uint32_t> words = run.read<std::uint32_t>(out, 720 * 16);
  for (std::uint32_t i = 0; i < 720; ++i) {
    const std::uint32_t thread = i % 60;
    const std::uint32_t block = i / 60;
    const std::uint32_t lane = thread % 32;
    const std::vector<std::uint32_t> wanted = {thread % 5,
                                               thread / 5 % 3,
                                               thread / 15,
                                               block % 2,
                                               block / 2 % 3,
                                               block / 6,
                                               lane,
                                               thread / 32,
                                               2,
                                               3,
                                               static_cast<std::uint32_t>((2ULL << lane) - 1),
                                               ~static_cast<std::uint32_t>((2ULL << lane) - 1),
                                               2};
    ASSERT_EQ(std::vector<std::uint32_t>(&words[16 * i], &words[16 * i] + wanted.size()), wanted) << i;
  }
}

TEST(PtxArithmetic, AClockMovesOnWhereverItIsRead) {
  const std::vector<std::uint64_t> words = words_of(
      "mov.u64 %rd2, %clock64; mov.u64 %rd3, %clock64; st.global.u64 [%rd0], %rd2; st.global.u64 [%rd0+8], "
      "%rd3; "
      "st.global.u64 [%rd0+16], %clock64; st.global.u64 [%rd0+24], %clock64;",
      4);
  EXPECT_LT(words[0], words[1]);
  EXPECT_LT(words[1], words[2]);
  EXPECT_LT(words[2], words[3]);
}

TEST(PtxArithmetic, ACarryGoesThroughFourWords) {
  const std::vector<std::uint64_t> words = words_of(
      "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; ld.global.u64 %rd4, [%rd1+16]; "
      "ld.global.u64 %rd5, "
      "[%rd1+24]; add.cc.u64 %rd2, %rd2, 1; addc.cc.u64 %rd3, %rd3, 0; addc.cc.u64 %rd4, %rd4, 0; addc.u64 "
      "%rd5, %rd5, "
      "0; st.global.v2.u64 [%rd0], {%rd2, %rd3}; st.global.v2.u64 [%rd0+16], {%rd4, %rd5};",
      4, {~0ULL, ~0ULL, ~0ULL, 6});
  EXPECT_EQ(words, (std::vector<std::uint64_t>{0, 0, 0, 7}));
}

}  // namespace
}  // namespace heddle::ptx
