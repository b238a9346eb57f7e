// Invalid synthetic kernels, each with one clear problem and its place, and the shipped kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "models/core/config/data_path.h"
#include "stimuli/synthetic/access_reader.h"
#include "tests/support/problems.h"
#include "tests/support/synthetic.h"

namespace heddle {
namespace {

using test::KernelText;
using testing::HasSubstr;

struct Bad {
  std::string code;
  std::string problem;
};

std::vector<std::string> problems_of(const KernelText& text) {
  return test::problems_of([&] { test::application_of(test::application_text(text)); });
}

TEST(SyntheticInput, IsRefusedWithOneProblemAndItsPlace) {
  const std::vector<Bad> bad{
      {"[]", "kernels.k.code: no instruction"},
      {"[{phase: {live_registers: 4}}]", "kernels.k.code: no instruction"},
      {"{}", "kernels.k.code: needs a list"},
      {"[{op: float_fam}]", "code[0].op: 'float_fam' is not one of int_add, int_max"},
      {"[{op: load}]", "code[0].op:"},
      {"[{opp: move}]", "code[0]: no such entry; did you mean 'op'? Known: op, mix"},
      {"[move]", "code[0]: needs a section"},
      {"[{op: move, cuont: 3}]", "code[0].cuont: unknown key; did you mean 'count'?"},
      {"[{op: move, count: 0}]", "code[0].count:"},
      {"[{op: move, count: 9223372036854775808}]", "code[0].count:"},
      {"[{op: move, distance: 0}]", "code[0].distance:"},
      {"[{op: nop, distance: 2}]", "code[0].distance: unknown key"},
      {"[{op: move, count: 65536}]", "code: more than 65536 instructions of code"},
      {"[{mix: {move: 0}, count: 4}]", "code[0].mix: its weights come to nothing"},
      {"[{mix: {}, count: 4}]", "code[0].mix: its weights come to nothing"},
      {"[{mix: {mov: 1, sfu: 1}, count: 4}]", "code[0].mix.mov: no operation 'mov'; did you mean 'move'?"},
      {"[{mix: {move: -1, sfu: 2}, count: 4}]", "code[0].mix.move:"},
      {"[{op: move, from: x}]", "code[0].from: no entry writes the value 'x'"},
      {"[{op: move, from: []}]", "code[0].from: no value"},
      {"[{loop: 0, body: [{op: move}]}]", "code[0].loop:"},
      {"[{loop: 4, body: []}]", "code[0].body: no entry"},
      {"[{loop: 4}]", "code[0].body: missing key"},
      {"[{loop: {least: 4, most: 3}, body: [{op: move}]}]", "code[0].loop.most: fewer than at least"},
      {"[{loop: {least: 4, most: 5, of: lane}, body: [{op: move}]}]", "code[0].loop.of:"},
      {"[{loop: 2000000000, body: [{loop: 2000000000, body: [{op: move}]}]}]",
       "code: a warp would issue more than 2^48 instructions"},
      {"[{if: 1.5, then: [{op: move}]}]", "code[0].if:"},
      {"[{if: 0.5, then: []}]", "code[0].then: no entry"},
      {"[{if: 0.5, then: [{barrier: 0}]}]", "code[0].then[0]: the block's warps do not all come"},
      {"[{loop: {least: 1, most: 2}, body: [{barrier: 0}]}]",
       "code[0].body[0]: the block's warps do not all"},
      {"[{barrier: 16}]", "code[0].barrier:"},
      {"[{if: 0.5, of: blocks, then: [{phase: {live_registers: 3}}, {op: move}]}]",
       "code[0].then[0].phase: a phase is the whole block's"},
      {"[{loop: {least: 1, most: 2}, body: [{phase: {live_registers: 3}}, {op: move}]}]",
       "code[0].body[0].phase: a phase is the whole warp's"},
      {"[{phase: {live_registers: 65}}, {op: move}]",
       "code[0].phase.live_registers: 65 live registers; the kernel has 64"},
      {"[{phase: {live_registers: 0}}, {op: move}]", "code[0].phase.live_registers:"},
      {"[{phase: {live_shared: 2KiB}}, {op: move}]",
       "code[0].phase.live_shared: 2048 live bytes of shared memory; the kernel has 1024"},
      {"[{op: move, count: 80, distance: 65}]",
       "code[0]: values, chains and loop counters up to here take 65"},
      {"[{phase: {live_registers: 4}}, {loop: 2, body: [{op: move, count: 4, distance: 4}]}]",
       "take 5 registers; 4 are live"},
      {"[{load: global, pattern: stream}]",
       "code[0]: it needs either a 'buffer' of the application or a 'region'"},
      {"[{load: global, pattern: stream, buffer: data, region: 1KiB}]",
       "code[0]: it needs either a 'buffer'"},
      {"[{load: global, pattern: stream, buffer: dta}]",
       "code[0].buffer: no buffer 'dta'; did you mean 'data'?"},
      {"[{load: global, buffer: data}]", "code[0].pattern: missing key"},
      {"[{load: global, pattern: streem, buffer: data, stride: 4B}]", "code[0].pattern:"},
      {"[{load: glob, pattern: stream, buffer: data}]", "code[0].load:"},
      {"[{atomic: local}]", "code[0].atomic:"},
      {"[{store: constant, pattern: stream, buffer: data}]", "code[0].store:"},
      {"[{load: global, pattern: stream, buffer: data, bytes: 3}]", "code[0].bytes:"},
      {"[{load: global, pattern: stream, buffer: data, bytes: 0}]", "code[0].bytes:"},
      {"[{load: global, pattern: stream, buffer: data, lines: 2}]", "code[0].lines: unknown key"},
      {"[{load: global, pattern: stream, region: 9223372036854775808B}]",
       "code[0].region: more than 512 GiB"},
      {"[{load: global, pattern: stream, region: 0B}]", "code[0]: 0 bytes hold no element of 4"},
      {"[{load: global, pattern: strided, buffer: data}]", "code[0].stride: missing key"},
      {"[{load: global, pattern: strided, buffer: data, stride: 0B}]",
       "code[0].stride: a stride is a multiple"},
      {"[{load: global, pattern: strided, buffer: data, stride: 6B}]",
       "code[0].stride: a stride is a multiple"},
      {"[{load: global, pattern: random, buffer: data, lines: 33}]", "code[0].lines:"},
      {"[{load: global, pattern: random, buffer: data, lines: 0}]", "code[0].lines:"},
      {"[{load: global, pattern: random, region: 100B}]",
       "code[0]: a set of 0 bytes; a warp's 1 lines are 128"},
      {"[{load: global, pattern: random, buffer: data, set: 1MiB}]",
       "code[0].set: a set of 1048576 bytes in 4096"},
      {"[{load: global, pattern: working_set, buffer: data, set: 200B}]",
       "code[0].set: a set is whole lines"},
      {"[{load: global, pattern: working_set, buffer: data, set: 256B, lines: 3}]",
       "code[0].set: a set of 256"},
      {"[{load: global, pattern: per_block, buffer: data}]", "code[0].tile: missing key"},
      {"[{load: global, pattern: per_block, buffer: data, tile: 0B}]", "code[0].tile: a set of 0 bytes"},
      {"[{load: global, pattern: per_block, buffer: data, tile: 200B}]",
       "code[0].tile: a set is whole lines"},
      {"[{load: global, pattern: per_block, buffer: data, tile: 512B, lines: 3}]",
       "code[0].tile: a tile is a mult"},
      {"[{load: global, pattern: per_block, buffer: data, tile: 512B, times: 0}]", "code[0].times:"},
      {"[{atomic: global, pattern: scatter, buffer: data, addresses: 0}]", "code[0].addresses:"},
      {"[{atomic: global, pattern: scatter, buffer: data, addresses: 1025}]",
       "code[0].addresses: 1025 addresses; 4096 bytes hold 1024 elements"},
      {"[{load: shared, conflicts: 33}]", "code[0].conflicts:"},
      {"[{load: shared, conflicts: 9}]",
       "code[0]: it spreads over 1152 bytes of shared memory; 1024 are live here"},
      {"[{load: shared, conflicts: 2, bytes: 8}]",
       "code[0].conflicts: conflicts are between words of 4 bytes"},
      {"[{load: shared, pattern: stream}]", "code[0].pattern: unknown key"},
      {"[{load: local, set: 6B}]", "code[0].set: local memory is a multiple of 4 bytes"},
      {"[{load: local, bypass_l1: true}]", "code[0].bypass_l1: unknown key"},
      {"[{store: global, pattern: stream, buffer: data, dependent: true}]", "code[0].dependent: unknown key"},
      {"[{op: move, to: x}, {load: global, pattern: stream, buffer: data, dependent: true, at: x}]",
       "code[1].at: a dependent load's address"},
  };
  for (const Bad& one : bad) {
    KernelText text{one.code};
    text.more = "buffers: {data: 4KiB}\n";
    text.shared = "1KiB";
    const std::vector<std::string> problems = problems_of(text);
    ASSERT_EQ(problems.size(), 1U) << one.code << "\n" << testing::PrintToString(problems);
    EXPECT_THAT(problems[0], HasSubstr(one.problem)) << one.code;
    EXPECT_THAT(problems[0], testing::StartsWith("k.yaml:")) << one.code;
  }
}

std::vector<std::string> problems_with(const std::string& from, const std::string& to) {
  std::string yaml = test::application_text({"[{op: move}]"});
  yaml.replace(yaml.find(from), from.size(), to);
  return test::problems_of([&] { test::application_of(yaml); });
}

TEST(SyntheticInput, AKernelHasEitherATimeOrCode) {
  EXPECT_THAT(problems_with("    code:", "    time: 1ms\n    code:"),
              testing::ElementsAre(HasSubstr("kernels.k.time: a kernel has either a 'time' or 'code'")));
  EXPECT_THAT(problems_with("source: s", "source: s\nmeasured_on: k20-cusched"),
              testing::ElementsAre(HasSubstr("measured_on: no kernel has a time that was measured")));
  EXPECT_THAT(problems_with("    code: [{op: move}]", "    time: 1ms"),
              testing::Contains(HasSubstr("measured_on: missing key")));
  EXPECT_THAT(problems_with("registers: 64", "registers: 0"),
              testing::Contains(HasSubstr("kernels.k.registers: code needs 1 .. 1016 registers")));
}

TEST(SyntheticInput, EachLaunchHasAProgramOfItsOwn) {
  const Application application = test::application_of(test::application_text({"[{op: move}]"}));
  EXPECT_EQ(application.kernel_time_ps, std::vector<std::uint64_t>{0});
  EXPECT_EQ(application.measured_on, "");
  const auto one = application.program.kernels[0].program({});
  const auto two = application.program.kernels[0].program({});
  EXPECT_NE(&one->start(BlockId{0}), &two->start(BlockId{0}));
}

// Runs one warp in eight of the kernel to its end. Accesses must stay within buffers and declared regions.
void run(const SyntheticKernel& kernel) {
  SyntheticProgram program(lay_out(kernel));
  std::uint64_t most = 0;
  IssuedInstruction issued;
  for (std::uint64_t block = 0; block < kernel.blocks; block += 8) {
    BlockStream& stream = program.start(BlockId{block});
    std::uint64_t count = 0;
    for (; stream.peek(0, 0) != nullptr; ++count) {
      stream.issue(0, issued);
      if (!is_memory(issued.code->operation)) continue;
      for (const Address address : test::addresses_of(issued))
        if (issued.code->space == MemorySpace::kShared) {
          ASSERT_LE(address + issued.code->bytes, kernel.shape.shared_bytes);
        } else {
          ASSERT_GE(address, VirtualSpace::kBase);
        }
    }
    ASSERT_LE(count, program.code().most_issues);
    if (!program.code().varies) {
      ASSERT_EQ(count, program.code().most_issues);
    }
    most = std::max(most, count);
    program.finish(stream);
  }
  EXPECT_GT(most, program.code().most_issues / 3);
}

TEST(SyntheticApplications, RunToTheirEnds) {
  std::size_t kernels = 0;
  for (const std::string& name : known_data("stimuli/applications")) {
    const config::Document document = load_application_document(find_data("stimuli/applications", name));
    HostSpec host;
    host.touch_bytes_per_second = 1e9;
    const Application application = read_application(document.root(), host);
    document.finish();
    for (const auto& kernel : application.synthetic) {
      if (kernel == nullptr) continue;
      SCOPED_TRACE(name);
      run(*kernel);
      ++kernels;
    }
  }
  EXPECT_EQ(kernels, 8U + 22 + 10 + 6);
}

}  // namespace
}  // namespace heddle
