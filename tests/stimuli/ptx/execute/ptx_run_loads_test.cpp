// Every spelling of ld and st, executed by a warp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kPlace = 16;  // bytes of memory for each lane
constexpr std::uint64_t kBefore = 0x5a5a5a5a5a5a5a5a;
constexpr std::uint32_t kGuard = 0xa5c3f00f;  // the active lanes

const char* const kDeclarations =
    ".const .align 16 .b8 c[512]; .shared .align 16 .b8 s[512]; .global .align 16 .b8 g[512];";

std::vector<std::uint32_t> widths_for(Type type) {
  const std::uint32_t bits = bits_of(type);
  if (is_float(type)) return {bits};
  if (bits == 64) return {64};
  if (bits == 32) return {32, 64};
  return {16, 32, 64};
}

std::string name_for(Type type, std::uint32_t bits, std::uint32_t number) {
  const char* file = type == Type::kF32   ? "%f"
                     : type == Type::kF64 ? "%d"
                     : bits == 16         ? "%h"
                     : bits == 32         ? "%r"
                                          : "%rd";
  return file + std::to_string(number);
}

// Returns code that copies the data at %rd1 to the place of every lane. %rd20 to %rd23 are the addresses of
// the place in global, shared, local and constant memory, and %rd24 is a generic address in shared memory.
// %p1 is true in the lanes of kGuard.
std::string prologue() {
  std::string text =
      ".local .align 16 .b8 l[512]; .param .align 16 .b8 pp[16];\n"
      "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd20, %rd1, %rd2; mov.u64 %rd3, s; add.u64 %rd21, %rd3, %rd2;\n"
      "mov.u64 %rd3, l; add.u64 %rd22, %rd3, %rd2; mov.u64 %rd3, c; add.u64 %rd23, %rd3, %rd2;\n"
      "cvta.shared.u64 %rd24, %rd21; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd20];\n"
      "st.shared.v4.u32 [%rd21], {%r1, %r2, %r3, %r4}; st.local.v4.u32 [%rd22], {%r1, %r2, %r3, %r4};\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; st.param.v4.u32 [pp], {%r1, %r2, %r3, %r4};\n"
      "mul.wide.u32 %rd2, %r0, 8; add.u64 %rd30, %rd0, %rd2;\n";
  return text + fmt::format(
                    "mov.u32 %r5, {}; shr.u32 %r5, %r5, %r0; and.b32 %r5, %r5, 1; "
                    "setp.ne.u32 %p1, %r5, 0;\n",
                    kGuard);
}

std::string place_in(Space space, std::size_t turn) {
  switch (space) {
    case Space::kShared:
      return "[%rd21]";
    case Space::kLocal:
      return "[%rd22]";
    case Space::kConst:
      return "[%rd23]";
    case Space::kParam:
      return "[pp]";
    default:
      return space == Space::kGeneric && turn % 2 == 1 ? "[%rd24]" : "[%rd20]";
  }
}

struct Case {
  Spelling spelling;
  std::vector<std::uint32_t> widths;  // of the registers
  bool guarded = false;
};

std::vector<Case> cases_of(const Form& form) {
  std::vector<Case> all;
  std::size_t turn = 0;
  for (const Spelling& spelling : spellings_of(form)) {
    const std::vector<std::uint32_t> widths = widths_for(spelling.fields.type);
    for (std::size_t first = 0; first < widths.size(); ++first) {
      Case one{spelling, {}, ++turn % 3 == 0};
      for (std::uint32_t i = 0; i < spelling.fields.width; ++i)
        one.widths.push_back(widths[(first + i) % widths.size()]);
      all.push_back(one);
    }
  }
  return all;
}

std::string registers_of(const Case& one) {
  std::string text = one.widths.size() > 1 ? "{" : "";
  for (std::uint32_t i = 0; i < one.widths.size(); ++i)
    text += (i > 0 ? ", " : "") + name_for(one.spelling.fields.type, one.widths[i], 10 + i);
  return text + (one.widths.size() > 1 ? "}" : "");
}

// Returns the operand of a cache hint, whose value changes nothing.
std::string policy_of(const Case& one) {
  return one.spelling.text.find("cache_hint") == std::string::npos ? "" : ", %rd20";
}

std::uint64_t cut(std::uint64_t value, std::uint32_t bits) {
  return bits < 64 ? value & ((std::uint64_t{1} << bits) - 1) : value;
}

std::uint64_t extended(const std::byte* from, Type type, std::uint32_t bits) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes_of(type));
  const std::uint32_t unused = 64 - bits_of(type);
  if (is_signed(type))
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  return cut(value, bits);
}

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

const char* move_to(std::uint32_t bits, Type type) {
  if (type == Type::kF32) return "mov.f32";
  if (type == Type::kF64) return "mov.f64";
  return bits == 16 ? "mov.b16" : bits == 32 ? "mov.b32" : "mov.b64";
}

std::string preset(Type type, std::uint32_t bits, std::uint32_t number) {
  const std::string to = name_for(type, bits, number);
  if (type == Type::kF32) return fmt::format("mov.f32 {}, 0f5a5a5a5a;\n", to);
  if (type == Type::kF64) return fmt::format("mov.f64 {}, 0d5a5a5a5a5a5a5a5a;\n", to);
  return fmt::format("{} {}, {};\n", move_to(bits, type), to, cut(kBefore, bits));
}

std::string load_text(const Case& one, std::size_t turn, std::size_t& word) {
  const Type type = one.spelling.fields.type;
  std::string text;
  for (std::uint32_t i = 0; i < one.widths.size(); ++i) text += preset(type, one.widths[i], 10 + i);
  text += fmt::format("{}{} {}, {}{};\n", one.guarded ? "@%p1 " : "", one.spelling.text, registers_of(one),
                      place_in(one.spelling.fields.space, turn), policy_of(one));
  for (std::uint32_t i = 0; i < one.widths.size(); ++i)
    text += fmt::format("st.global.b{} [%rd30+{}], {};\n", one.widths[i], 256 * word++,
                        name_for(type, one.widths[i], 10 + i));
  return text;
}

void expect_loads(const std::vector<Case>& cases) {
  std::string body = prologue();
  std::size_t words = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) body += load_text(cases[i], i, words);
  PtxRun run(kernel_text(body, kDeclarations));
  const std::vector<std::byte> data = random_bytes(32 * kPlace);
  const Address out = run.buffer(std::vector<std::uint64_t>(32 * words), "out");
  run.buffer(data, "in");
  run.memory().write(run.address_of("c"), data.data(), data.size());
  run.execute();
  const std::vector<std::uint64_t> results = run.read<std::uint64_t>(out, 32 * words);
  std::size_t word = 0;
  for (const Case& one : cases)
    for (std::size_t element = 0; element < one.widths.size(); ++element, ++word)
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const Statement& fields = one.spelling.fields;
        const std::size_t at =
            (fields.space == Space::kParam ? 0 : lane * kPlace) + element * bytes_of(fields.type);
        const bool active = !one.guarded || (kGuard >> lane & 1U) != 0;
        const std::uint32_t bits = one.widths[element];
        ASSERT_EQ(results[32 * word + lane],
                  active ? extended(&data[at], fields.type, bits) : cut(kBefore, bits))
            << one.spelling.text << " " << registers_of(one) << " element " << element << " lane " << lane;
      }
}

TEST(PtxLoads, EverySpellingLoadsAndExtendsIntoEveryWiderRegister) {
  const FormRange range = forms_of("ld");
  std::size_t tried = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    const std::vector<Case> all = cases_of(forms()[i]);
    constexpr std::size_t kAtOnce = 2000;
    for (std::size_t first = 0; first < all.size(); first += kAtOnce)
      expect_loads({all.begin() + first, all.begin() + std::min(first + kAtOnce, all.size())});
    tried += all.size();
  }
  EXPECT_GT(tried, 1500u);
}

std::string store_text(const Case& one, std::size_t turn, std::size_t number) {
  const Statement& fields = one.spelling.fields;
  const std::string place = place_in(fields.space, turn);
  const char* const space = fields.space == Space::kGeneric  ? ""
                            : fields.space == Space::kShared ? ".shared"
                            : fields.space == Space::kLocal  ? ".local"
                            : fields.space == Space::kParam  ? ".param"
                                                             : ".global";
  std::string text;
  for (std::uint32_t i = 0; i < one.widths.size(); ++i)
    text += fmt::format("ld.global.b{} {}, [%rd31+{}];\n", one.widths[i],
                        name_for(fields.type, one.widths[i], 10 + i), 8 * (i + 4 * (number % 16)));
  text += "mov.u32 %r1, 0x5a5a5a5a;\n";
  text += fmt::format("st{0}.v4.u32 {1}, {{%r1, %r1, %r1, %r1}};\n{2}{3} {1}, {4}{5};\n", space, place,
                      one.guarded ? "@%p1 " : "", one.spelling.text, registers_of(one), policy_of(one));
  text += fmt::format(
      "ld{0}.v4.u32 {{%r1, %r2, %r3, %r4}}, {1};\nst.global.v4.u32 [%rd32+{2}], {{%r1, %r2, "
      "%r3, %r4}};\n",
      space, place, 32 * kPlace * number);
  return text;
}

void expect_stores(const std::vector<Case>& cases) {
  std::string body = prologue() +
                     "mul.wide.u32 %rd2, %r0, 512; add.u64 %rd31, %rd1, %rd2; mul.wide.u32 %rd2, %r0, 16; "
                     "add.u64 %rd32, %rd0, %rd2; mov.u64 %rd3, g; add.u64 %rd20, %rd3, %rd2;\n";
  for (std::size_t i = 0; i < cases.size(); ++i) body += store_text(cases[i], i, i);
  PtxRun run(kernel_text(body, kDeclarations));
  const std::vector<std::byte> data = random_bytes(std::size_t{32} * 512);
  const Address out = run.buffer(std::vector<std::byte>(32 * kPlace * cases.size()), "out");
  run.buffer(data, "in");
  run.execute();
  const std::vector<std::byte> results = run.read<std::byte>(out, 32 * kPlace * cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      std::array<std::byte, kPlace> wanted;
      wanted.fill(std::byte{0x5a});
      const std::size_t bytes = bytes_of(cases[i].spelling.fields.type);
      if (!cases[i].guarded || (kGuard >> lane & 1U) != 0)
        for (std::size_t e = 0; e < cases[i].widths.size(); ++e)
          std::memcpy(&wanted[e * bytes], &data[lane * 512 + 8 * (e + 4 * (i % 16))], bytes);
      ASSERT_EQ(std::memcmp(wanted.data(), &results[(32 * i + lane) * kPlace], kPlace), 0)
          << cases[i].spelling.text << " " << registers_of(cases[i]) << " lane " << lane;
    }
}

TEST(PtxStores, EverySpellingStoresTheLowBytesAndNothingBeside) {
  const FormRange range = forms_of("st");
  std::size_t tried = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    if (stores_across(forms()[i].opcode)) continue;  // tests of clusters have these
    const std::vector<Case> all = cases_of(forms()[i]);
    constexpr std::size_t kAtOnce = 2000;
    for (std::size_t first = 0; first < all.size(); first += kAtOnce)
      expect_stores({all.begin() + first, all.begin() + std::min(first + kAtOnce, all.size())});
    tried += all.size();
  }
  EXPECT_GT(tried, 1000u);
}

// CUDA C++ Programming Guide, "__global__ Function Parameters": up to 32,764 bytes.
TEST(PtxParameters, MayHave32764Bytes) {
  const auto text = [](std::uint32_t bytes) {
    return ".version 8.1\n.target sm_75\n.address_size 64\n.entry k(.param .u64 out, .param .align 4 .b8 "
           "all[" +
           std::to_string(bytes) +
           "]) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [all+" +
           std::to_string(bytes - 4) + "]; st.global.u32 [%rd1], %r1; mov.b64 %rd2, all; " +
           "ld.param.u32 %r2, [%rd2+4092]; st.global.u32 [%rd1+4], %r2; ret; }";
  };
  constexpr std::uint32_t kMost = 32764 - 8;
  PtxRun run(text(kMost));
  const Address out = run.buffer(std::vector<std::uint32_t>(2), "out");
  std::vector<std::uint32_t> words(kMost / 4);
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = 7 * i;
  run.pass_bytes(words.data(), kMost, 4);
  run.execute();
  EXPECT_EQ(run.read<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{7 * (kMost / 4 - 1), 7 * 1023}));
  PtxRun larger(text(kMost + 4));
  larger.pass(std::uint64_t{0});
  larger.pass_bytes(std::vector<std::byte>(kMost + 4).data(), kMost + 4, 4);
  EXPECT_EQ(launch_problem(larger.launch()), "32768 bytes of parameters; the most are 32764");
}

}  // namespace
}  // namespace heddle::ptx
