// RTL blocks in YAML: what is read, and one message for each mistake.

#include "platforms/load/read_rtl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/problems.h"

namespace heddle::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string folder() {
  return source_directory() + "/tests/data/rtl";
}

RtlSpec read(const std::string& text) {
  const config::Document document = config::Document::parse(text, "block.yaml");
  RtlSpec spec = read_rtl_block(document.root(), folder());
  document.finish();
  return spec;
}

const std::string kHead = "rtl: arbiter\nrole: crossbar_arbiter\nmodel: round-robin\n";
const std::string kPins = "pins: {grant_o: grant_mask}\n";

// Returns a block of the sources of tests/data/rtl with more keys.
std::string block(const std::string& more = "", const std::string& pins = kPins) {
  return kHead + "sources: [arbiter.sv]\ntop: arbiter\nclocks: {clk: icnt}\n" + pins + more;
}

// The same with one more pin.
std::string block_with_pin(const std::string& pin, const std::string& more = "") {
  return block(more, "pins: {grant_o: grant_mask, " + pin + "}\n");
}

Problems problems(const std::string& text) {
  return problems_of([&] { read(text); });
}

// Expects one problem, which has this text.
void expect_one(const std::string& text, const std::string& problem) {
  const Problems found = problems(text);
  ASSERT_EQ(found.size(), 1u) << testing::PrintToString(found);
  EXPECT_THAT(found[0], HasSubstr(problem));
}

TEST(ReadRtl, KeysHaveDefaults) {
  const RtlSpec spec = read(block());
  EXPECT_EQ(spec.name, "arbiter");
  EXPECT_EQ(spec.role, "crossbar_arbiter");
  EXPECT_THAT(spec.source.files, ElementsAre(folder() + "/arbiter.sv"));
  EXPECT_EQ(spec.source.directory, folder());
  EXPECT_EQ(spec.source.library, "");
  EXPECT_FALSE(spec.source.waves);
  EXPECT_EQ(spec.mode, RtlMode::kReplace);
  EXPECT_TRUE(spec.stop_on_divergence);
  EXPECT_FALSE(spec.resync);
  EXPECT_TRUE(spec.gated);
  EXPECT_EQ(spec.latency, 0u);
  EXPECT_EQ(spec.seed, 1u);
  EXPECT_THAT(spec.instances, IsEmpty());
}

TEST(ReadRtl, EveryKeyIsRead) {
  const RtlSpec spec = read(block(
      "description: d\nparameters: {PORTS: 32, NAME: '\"a\"'}\nincludes: [., ../rtl]\n"
      "defines: {FAST: '', W: 8}\noptions: [-Wno-WIDTH]\nwaves: true\n"
      "resets: {rst_n: {level: low, cycles: 2, then: 300}, rst: {level: high}}\n"
      "instances: ['crossbar.*.output0']\nmode: shadow\non_divergence: go-on\nresync: true\n"
      "gated: false\nlatency: 64cycles\nseed: 9\n"
      "counters: {grants: {signal: u.count, bits: '15:2'}, hits: {signal: hit, bits: 3, kind: pulse}}\n",
      "pins: {req_i: requests, ages_i: {signal: ages, element: 8}, enable_i: 1, grant_o: grant_mask}\n"));
  EXPECT_THAT(spec.source.parameters, ElementsAre(std::pair("NAME", "\"a\""), std::pair("PORTS", "32")));
  EXPECT_THAT(spec.source.includes, ElementsAre(folder(), folder()));
  EXPECT_THAT(spec.source.defines, ElementsAre(std::pair("FAST", ""), std::pair("W", "8")));
  EXPECT_THAT(spec.source.options, ElementsAre("-Wno-WIDTH"));
  EXPECT_TRUE(spec.source.waves);
  ASSERT_EQ(spec.clocks.size(), 1u);
  EXPECT_EQ(spec.clocks[0].pin + " " + spec.clocks[0].domain, "clk icnt");
  ASSERT_EQ(spec.resets.size(), 2u);
  EXPECT_FALSE(spec.resets[0].active_high);
  EXPECT_EQ(spec.resets[0].cycles, 2u);
  EXPECT_EQ(spec.resets[0].then, 300u);
  EXPECT_TRUE(spec.resets[1].active_high);
  EXPECT_EQ(spec.resets[1].cycles, 1u);
  ASSERT_EQ(spec.pins.size(), 4u);
  EXPECT_EQ(spec.pins[0].signal, "requests");
  EXPECT_EQ(spec.pins[1].signal, "ages");
  EXPECT_EQ(spec.pins[1].element, 8u);
  EXPECT_EQ(spec.pins[2].signal, "");
  EXPECT_EQ(spec.pins[2].constant, 1u);
  EXPECT_EQ(spec.pins[3].pin, "grant_o");
  EXPECT_EQ(spec.pins[3].place, "block.yaml:7:83");
  EXPECT_THAT(spec.instances, ElementsAre("crossbar.*.output0"));
  EXPECT_EQ(spec.mode, RtlMode::kShadow);
  EXPECT_FALSE(spec.stop_on_divergence);
  EXPECT_TRUE(spec.resync);
  EXPECT_FALSE(spec.gated);
  EXPECT_EQ(spec.latency, 64u);
  EXPECT_EQ(spec.seed, 9u);
  ASSERT_EQ(spec.counters.size(), 2u);
  EXPECT_EQ(spec.counters[0].signal, "u.count");
  EXPECT_EQ(spec.counters[0].high, 15u);
  EXPECT_EQ(spec.counters[0].low, 2u);
  EXPECT_FALSE(spec.counters[0].pulse);
  EXPECT_EQ(spec.counters[1].high, 3u);
  EXPECT_EQ(spec.counters[1].low, 3u);
  EXPECT_TRUE(spec.counters[1].pulse);
}

TEST(ReadRtl, AReadyLibraryTakesThePlaceOfSources) {
  const std::string ready = kHead + kPins + "library: arbiter.sv\n";
  EXPECT_EQ(read(ready).source.library, folder() + "/arbiter.sv");
  EXPECT_THAT(read(ready).source.files, IsEmpty());
  expect_one(ready + "top: a\n", "top: has no meaning beside a ready 'library'");
  expect_one(ready + "sources: [arbiter.sv]\n", "sources: has no meaning beside a ready 'library'");
  expect_one(ready + "parameters: {A: 1}\n", "parameters: has no meaning beside a ready 'library'");
  expect_one(kHead + kPins + "library: none.so\n", "there is no file '" + folder() + "/none.so'");
}

TEST(ReadRtl, ABlockNeedsSourcesOrALibrary) {
  expect_one(kHead + kPins, "needs 'sources', or a ready 'library'");
  expect_one(kHead + kPins + "top: a\n", "needs 'sources', or a ready 'library'");
  expect_one(kHead + kPins + "sources: []\ntop: a\n", "needs 'sources', or a ready 'library'");
  expect_one(kHead + kPins + "sources: [arbiter.sv]\n", "top: missing key");
}

TEST(ReadRtl, FilesAndFoldersExist) {
  EXPECT_THAT(problems(kHead + kPins + "sources: [arbiter.sv, b.sv, '']\ntop: a\nincludes: [none]\n"),
              ElementsAre("block.yaml:5:23: sources[1]: there is no file '" + folder() + "/b.sv'",
                          "block.yaml:5:29: sources[2]: needs a file",
                          "block.yaml:7:12: includes[0]: there is no folder '" + folder() + "/none'"));
}

TEST(ReadRtl, NamesAndRolesAreRequired) {
  EXPECT_THAT(problems(kPins + "sources: [arbiter.sv]\ntop: a\n"),
              ElementsAre(HasSubstr("rtl: missing key"), HasSubstr("role: missing key")));
  expect_one(
      "rtl: a/b\nrole: crossbar_arbiter\nmodel: round-robin\n" + kPins + "sources: [arbiter.sv]\ntop: a\n",
      "block.yaml:1:6: rtl: needs a name of letters, digits, '_', '.' and '-'");
  expect_one(block("colour: red\n"), "colour: unknown key");
}

TEST(ReadRtl, DomainsAndLevelsAreKnownOnes) {
  expect_one(kHead + kPins + "sources: [arbiter.sv]\ntop: a\nclocks: {clk: icn}\n", "did you mean 'icnt'?");
  expect_one(block("resets: {rst: {level: up}}\n"), "resets.rst.level: ");
  expect_one(block("resets: {rst: {}}\n"), "resets.rst.level: missing key");
  expect_one(block("resets: {rst: {level: low, cycles: 0}}\n"), "resets.rst.cycles: ");
  expect_one(kHead + kPins + "sources: [arbiter.sv]\ntop: a\nresets: {rst: {level: low}}\n",
             "a reset needs a clock under 'clocks'");
}

TEST(ReadRtl, APinHasOneDriver) {
  expect_one(block_with_pin("clk: 1"), "pins.clk: pin 'clk' has two drivers: it is a clock already");
  expect_one(block("resets: {clk: {level: low}}\n"), "pin 'clk' has two drivers: it is a clock already");
  expect_one(block_with_pin("r: 0", "resets: {r: {level: low}}\n"),
             "pin 'r' has two drivers: it is a reset already");
  EXPECT_THAT(problems(block_with_pin("a: 1, a: 2")), Contains(HasSubstr("duplicate")));
}

TEST(ReadRtl, APinIsASignalAConstantOrASection) {
  expect_one(block_with_pin("a: ''"), "pins.a: needs a signal of the role, or a number");
  expect_one(block_with_pin("a: -1"), "pins.a: ");
  expect_one(block_with_pin("a: 1x"), "pins.a: ");
  expect_one(block_with_pin("a: {signal: ages}"), "pins.a.element: missing key");
  expect_one(block_with_pin("a: {signal: ages, element: 0}"), "pins.a.element: ");
  expect_one(block_with_pin("a: {signal: ages, element: 65}"), "pins.a.element: ");
  expect_one(block_with_pin("a: [ages]"), "pins.a: ");
}

TEST(ReadRtl, PinsNameSignalsOfTheRole) {
  expect_one(block_with_pin("a: request"), "did you mean 'requests'?");
  expect_one(block("", "pins: {a: requests}\n"), "needs a pin for its signal grant or grant_mask");
  expect_one("rtl: a\nrole: crossbar_arbitre\nsources: [arbiter.sv]\ntop: a\n",
             "did you mean 'crossbar_arbiter'?");
}

TEST(ReadRtl, OptionsMustNotChangeWhatVerilatorMakes) {
  expect_one(block("options: [--exe]\n"), "options[0]: '--exe' is not for a block");
  expect_one(block("options: [-Wall, --Mdir=x]\n"), "options[1]: '--Mdir' is not for a block");
}

TEST(ReadRtl, UsesAreKnownOnes) {
  expect_one(block("mode: shadows\n"), "did you mean 'shadow'?");
  expect_one(block("on_divergence: go_on\n"), "did you mean 'go-on'?");
  expect_one(block("latency: 64\n"), "latency: ");
  expect_one(block("seed: -1\n"), "seed: ");
  expect_one(block("gated: maybe\n"), "gated: ");
}

TEST(ReadRtl, BitsOfACounterAreARangeOfAtMost64) {
  const auto with_bits = [](const std::string& bits) {
    return block("counters: {c: {signal: s, bits: " + bits + "}}\n");
  };
  EXPECT_THAT(problems(with_bits("'65:2'")), IsEmpty());
  expect_one(with_bits("'0:15'"), "counters.c.bits: the higher bit comes first: '15:0'");
  expect_one(with_bits("'64:0'"), "counters.c.bits: a counter reads at most 64 bits, not 65");
  expect_one(with_bits("all"), "counters.c.bits: needs bits such as '15:0' or 3, has 'all'");
  expect_one(with_bits("'15:'"), "needs bits such as '15:0' or 3, has '15:'");
  expect_one(with_bits("-1"), "needs bits such as '15:0' or 3, has '-1'");
  expect_one(block("counters: {c: {signal: s, kind: edge}}\n"), "counters.c.kind: ");
  expect_one(block("counters: {c: {}}\n"), "counters.c.signal: missing key");
  expect_one(block("counters: {c: {signal: 'a b'}}\n"), "'a b' is no name of a signal");
}

TEST(ReadRtl, EveryProblemIsReported) {
  EXPECT_EQ(
      problems(block_with_pin("clk: 1", "mode: x\nresets: {r: {level: up}}\ncounters: {c: {bits: x}}\n"))
          .size(),
      5u);
}

TEST(ReadRtl, ABlockIsLoadedByFileName) {
  const RtlSpec spec = load_rtl_block(folder() + "/arbiter.yaml");
  EXPECT_EQ(spec.name, "test_arbiter");
  EXPECT_EQ(spec.place, folder() + "/arbiter.yaml:1:1");
  EXPECT_THAT(spec.source.files, ElementsAre(folder() + "/arbiter.sv"));
  EXPECT_THAT(problems_of([] { load_rtl_block("no_such_block"); }).at(0),
              HasSubstr("'no_such_block' is not in stimuli/rtl"));
}

TEST(ReadRtl, EveryKeyIsDescribed) {
  std::vector<std::string> paths;
  for (const config::KeyDescription& key : rtl_block_keys()) {
    EXPECT_NE(key.description, "") << key.path;
    paths.push_back(key.path);
  }
  for (const char* path : {"rtl",
                           "role",
                           "library",
                           "sources",
                           "top",
                           "parameters.NAME",
                           "waves",
                           "clocks.PIN",
                           "resets.PIN.level",
                           "resets.PIN.then",
                           "vectors.NAME",
                           "pins.PIN",
                           "pins.PIN.element",
                           "instances",
                           "mode",
                           "on_divergence",
                           "resync",
                           "gated",
                           "latency",
                           "seed",
                           "counters.NAME.signal",
                           "counters.NAME.bits",
                           "counters.NAME.kind",
                           "dump.instance",
                           "dump.file"})
    EXPECT_THAT(paths, Contains(path));
}

TEST(ReadRtl, ADumpNamesCyclesOfAnInstance) {
  const RtlSpec spec = read(block("dump: {instance: u, from: 10cycles, to: 20cycles, file: /tmp/a.vcd}\n"));
  ASSERT_TRUE(spec.dump.has_value());
  EXPECT_EQ(spec.dump->instance, "u");
  EXPECT_EQ(spec.dump->from, 10u);
  EXPECT_EQ(spec.dump->to, 20u);
  EXPECT_EQ(spec.dump->file, "/tmp/a.vcd");
  EXPECT_TRUE(spec.source.waves) << "the library needs waveforms";
  expect_one(block("dump: {instance: u, from: 10cycles, to: 9cycles, file: a.vcd}\n"), "lies before 'from'");
  EXPECT_EQ(problems(block("dump: {}\n")).size(), 4u);
}

TEST(ReadRtl, AVectorHasPinsOrBitsOfPins) {
  const RtlSpec spec = read(block("vectors: {v: ['a_i[3]', 'b$_i[40:33]', c_i]}\n"));
  ASSERT_EQ(spec.vectors.size(), 1u);
  const RtlVector& vector = spec.vectors[0];
  EXPECT_EQ(vector.name, "v");
  ASSERT_EQ(vector.parts.size(), 3u);
  EXPECT_EQ(vector.parts[0].pin, "a_i");
  EXPECT_EQ(vector.parts[0].high, 3u);
  EXPECT_EQ(vector.parts[0].low, 3u);
  EXPECT_EQ(vector.parts[1].pin, "b$_i");
  EXPECT_EQ(vector.parts[1].high, 40u);
  EXPECT_EQ(vector.parts[1].low, 33u);
  EXPECT_EQ(vector.parts[2].pin, "c_i");
  EXPECT_FALSE(vector.parts[2].high.has_value());
  expect_one(block("vectors: {v: ['a_i[33:40]']}\n"), "the higher bit comes first: 'a_i[33:40]'");
  expect_one(block("vectors: {v: ['a_i[']}\n"), "'a_i[' is no pin, as in bus_i or bus_i[40:33]");
  expect_one(block("vectors: {v: []}\n"), "vectors.v: a vector has one pin or more");
}

TEST(ReadRtl, AWaveformIsAVcdOrAnFst) {
  EXPECT_FALSE(read(block("dump: {instance: u, from: 0cycles, to: 1cycles, file: /tmp/a.vcd}\n")).dump->fst);
  EXPECT_TRUE(read(block("dump: {instance: u, from: 0cycles, to: 1cycles, file: /tmp/a.fst}\n")).dump->fst);
  expect_one(block("dump: {instance: u, from: 0cycles, to: 1cycles, file: a.wlf}\n"),
             "dump.file: 'a.wlf' must end in .vcd or .fst");
}

TEST(ReadRtl, APinOfOneNumberMayBeginWithAHigherBit) {
  const RtlSpec spec = read(block_with_pin("g: {signal: grant, low: 4}"));
  EXPECT_EQ(spec.pins[1].low, 4u);
  expect_one(block_with_pin("g: {signal: grant, element: 4}"), "pins.g.element: unknown key");
  expect_one(block_with_pin("g: {signal: grant, low: 64}"), "pins.g.low: ");
}

TEST(ReadRtl, ABlockTicksWithTheClockOfItsRole) {
  EXPECT_THAT(read("rtl: a\nrole: crossbar_arbiter\nmodel: round-robin\nlibrary: ../rtl/arbiter.sv\n"
                   "clocks: {a: icnt, b: core}\npins: {g: grant}\n")
                  .clocks,
              testing::SizeIs(2));
  expect_one(
      "rtl: a\nrole: crossbar_arbiter\nmodel: round-robin\nlibrary: ../rtl/arbiter.sv\n"
      "clocks: {a: core}\npins: {g: grant}\n",
      "the role crossbar_arbiter ticks with the clock icnt, of which there is no pin");
}

// ---- interfaces

const std::string kSlice =
    "rtl: slice\nrole: l2_slice\nlibrary: ../rtl/arbiter.sv\nclocks: {clk: l2}\n"
    "pins: {v: request_valid, a: request_address, r: response_valid, m: memory_valid, b: memory_address, f: "
    "fill_valid}\n";

TEST(ReadRtl, AnInterfaceHasKeysOfItsOwnAndNoModel) {
  const RtlSpec plain = read(kSlice);
  EXPECT_EQ(plain.interface.before, 0u);
  EXPECT_EQ(plain.interface.transfer_bytes, 0u);
  EXPECT_TRUE(plain.interface.local_addresses);
  EXPECT_TRUE(plain.interface.write_responses);
  EXPECT_FALSE(plain.interface.check_data.has_value());
  const RtlSpec spec =
      read(kSlice +
           "before: 120cycles\ntransfer: 32B\naddresses: physical\nwrite_responses: off\noutstanding: 4\n"
           "check_data: off\ngate_after: 0cycles\nmemory_latency: 50cycles\n");
  EXPECT_EQ(spec.interface.before, 120u);
  EXPECT_EQ(spec.interface.transfer_bytes, 32u);
  EXPECT_FALSE(spec.interface.local_addresses);
  EXPECT_FALSE(spec.interface.write_responses);
  EXPECT_EQ(spec.interface.outstanding, 4u);
  EXPECT_EQ(spec.interface.check_data, false);
  EXPECT_EQ(spec.interface.gate_after, 0u);
  EXPECT_EQ(spec.interface.memory_latency, 50u);
  expect_one(kSlice + "model: lrr\n", "model: unknown key");
}

TEST(ReadRtl, KeysOfInterfacesAreUnknownToOtherRoles) {
  expect_one(block("before: 1cycles\n"), "before: unknown key");
  expect_one(block("transfer: 32B\n"), "transfer: unknown key");
}

TEST(ReadRtl, AnInterfaceRefusesWhatMakesNoSense) {
  expect_one(kSlice + "transfer: 48B\n",
             "block.yaml:6:11: transfer: must be a power of two of at most 128B, a line");
  expect_one(kSlice + "transfer: 256B\n", "must be a power of two of at most 128B");
  expect_one(kSlice + "resync: on\n", "a block that answers requests cannot be followed");
  expect_one(kSlice + "memory_latency: 0cycles\n", "memory_latency");
}

TEST(ReadRtl, APlaceInTheMemoryPathTakesABlockWithItsRole) {
  std::map<std::string, RtlSpec> blocks;
  blocks["tags"].role = "l2_slice";
  blocks["arbiter"].role = "crossbar_arbiter";
  const auto place = [&](const std::string& text) {
    const config::Document document = config::Document::parse(text, "p.yaml");
    std::string name = read_rtl_place(document.root(), "l2.block", blocks);
    document.finish();
    return name;
  };
  const auto problem = [&](const std::string& text) {
    const Problems found = problems_of([&] { place(text); });
    return found.size() == 1 ? found[0] : testing::PrintToString(found);
  };
  EXPECT_EQ(place("{}"), "");
  EXPECT_EQ(place("block: model"), "");
  EXPECT_EQ(place("block: rtl.tags"), "tags");
  EXPECT_EQ(
      problem("block: rtl.none"),
      "p.yaml:1:8: block: 'rtl.none' is neither 'model' nor rtl.NAME with a block NAME of the section rtl");
  EXPECT_THAT(problem("block: tags"), HasSubstr("is neither 'model' nor rtl.NAME"));
  EXPECT_EQ(problem("block: rtl.arbiter"),
            "p.yaml:1:8: block: rtl.arbiter has the role crossbar_arbiter; here stands a block with the role "
            "l2_slice");
}

// Verilator takes an option after one dash or two, and its value after a blank or '='.
TEST(ReadRtl, OptionsThatMakeSomethingElseAreRefusedHoweverTheyAreSpelt) {
  for (const char* option : {"--exe", "-exe", "--Mdir", "-Mdir=x", "--threads=2"})
    expect_one(block(std::string("options: ['") + option + "']\n"), "is not for a block");
}

TEST(ReadRtl, OptionsThatRunCommandsAreNotedWithTheirPlaces) {
  const RtlSpec spec = read(block(
      "options: [-Wno-fatal, --pipe-filter, 'touch x', '-gdbbt', '-f', more.f, '--pipe-filter=cat']\n"));
  ASSERT_EQ(spec.source.commands.size(), 4u);
  EXPECT_EQ(spec.source.commands[0], "block.yaml:8:23: '--pipe-filter' runs a command; --trust allows it");
  EXPECT_THAT(spec.source.commands[1], HasSubstr("'-gdbbt' runs a command"));
  EXPECT_THAT(spec.source.commands[2],
              HasSubstr("'-f' reads options from a file, which may run commands; --trust allows it"));
  EXPECT_THAT(spec.source.commands[3], HasSubstr("'--pipe-filter=cat' runs a command"));
  EXPECT_FALSE(spec.trusted);
}

}  // namespace
}  // namespace heddle::test
