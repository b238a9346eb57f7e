// A captured program is replayed with its data at the captured addresses. Its copies to the host must bring
// the captured data.

#include "stimuli/capture/replay/capture_application.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "models/core/config/config.h"
#include "stimuli/capture/replay/recall.h"
#include "stimuli/functional/functional_host.h"
#include "tests/support/capture/captures.h"
#include "tests/support/problems.h"

namespace heddle::capture {
namespace {

using Kind = CapturedCall::Kind;

std::shared_ptr<Capture> capture_of(const std::vector<CapturedCall>& calls) {
  const std::string bytes = wrapped_capture(packed_calls(calls), twice_blobs());
  return std::make_shared<Capture>(read_capture(bytes, "twice.hcap"));
}

Application application_of(const std::vector<CapturedCall>& calls) {
  return capture_application(capture_of(calls), "twice.hcap");
}

std::string refusal(const std::vector<CapturedCall>& calls) {
  try {
    application_of(calls);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(CaptureApplication, IsTheProgramUnderItsOwnNames) {
  const Application application = application_of(twice_calls());
  EXPECT_EQ(application.program.name, "twice");
  ASSERT_EQ(application.program.kernels.size(), 1u);
  EXPECT_EQ(application.program.kernels[0].name, "twice");
  EXPECT_EQ(application.program.kernels[0].shape.threads, 32u);
  EXPECT_EQ(application.launches, std::vector<std::uint64_t>{1});
  EXPECT_EQ(application.program.streams, (std::vector<std::string>{"default", "stream-1"}));
}

TEST(CaptureApplication, BringsDownWhatItBroughtDownAgainAndAgain) {
  FunctionalHost host(application_of(twice_calls()).program);
  for (int i = 0; i < 2; ++i) {
    const std::vector<FunctionalLaunch> launches = host.run();
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].counts.warp_instructions, 8u);
  }
}

TEST(CaptureApplication, FailsWhereOtherBytesComeDown) {
  std::vector<CapturedCall> calls = twice_calls();
  calls[5].digest[0] ^= 1U;
  FunctionalHost host(application_of(calls).program);
  try {
    host.run();
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("call 5: the 128 bytes that came down are others"),
              std::string::npos)
        << error.what();
  }
}

// CUDA's lower numbers go first, and Heddle's larger ones.
TEST(CaptureApplication, LaunchesHaveThePriorityOfTheirStream) {
  std::vector<CapturedCall> calls = twice_calls();
  const auto priority_of = [](const Application& application) {
    for (const ApiCall& call : application.program.calls)
      if (call.kind == ApiCall::Kind::kLaunch) return call.priority;
    return -1;
  };
  EXPECT_EQ(priority_of(application_of(calls)), 0);
  calls[4].priority = kGreatestPriority;
  EXPECT_EQ(priority_of(application_of(calls)), 5);
  for (const std::int32_t priority : {kLeastPriority + 1, kGreatestPriority - 1}) {
    calls[4].priority = priority;
    EXPECT_EQ(refusal(calls), "twice.hcap: call 4: no launch can have such a priority");
  }
}

TEST(CaptureApplication, LaunchesPreferTheCarveOutOfTheCapture) {
  std::vector<CapturedCall> calls = twice_calls();
  EXPECT_EQ(application_of(calls).program.kernels[0].shape.carve_out, BlockShape::kAnyCarveOut);
  calls[4].carve_out = 100;
  EXPECT_EQ(application_of(calls).program.kernels[0].shape.carve_out, 100);
  for (const std::int32_t carve_out : {-2, 101}) {
    calls[4].carve_out = carve_out;
    EXPECT_EQ(refusal(calls), "twice.hcap: call 4: no launch can prefer such a carve-out");
  }
}

TEST(CaptureApplication, LaunchesHaveTheClustersOfTheCapture) {
  std::vector<CapturedCall> calls = twice_calls();
  EXPECT_EQ(application_of(calls).program.kernels[0].shape.cluster, 1u);
  calls[4].grid = {16, 1, 1};
  calls[4].cluster = {2, 1, 1};
  EXPECT_EQ(application_of(calls).program.kernels[0].shape.cluster, 2u);
  calls[4].cluster = {16, 1, 1};
  EXPECT_NE(refusal(calls).find("the most are 8"), std::string::npos);
  calls[4].flag = true;
  EXPECT_EQ(application_of(calls).program.kernels[0].shape.cluster, 16u);
}

TEST(CaptureApplication, LaunchesHaveTheSmsOfTheirStream) {
  std::vector<CapturedCall> calls = twice_calls();
  calls[2].sms = {4, 5, 7};
  const ApiProgram program = application_of(calls).program;
  ASSERT_EQ(program.sm_sets.size(), 1u);
  EXPECT_EQ(program.sm_sets[0], (std::vector<std::uint32_t>{4, 5, 7}));
  for (const ApiCall& call : program.calls)
    EXPECT_EQ(call.sm_set, call.kind == ApiCall::Kind::kLaunch ? 1u : 0u);
  calls[2].sms = {5, 5};
  EXPECT_EQ(refusal(calls), "twice.hcap: call 2: no stream can have such SMs");
}

// The program of three launches, the last of which is not wanted.
TEST(CaptureApplication, ChosenLaunchesRunAndThoseBeforeThemAreSkipped) {
  std::vector<CapturedCall> calls = twice_calls();
  calls.insert(calls.begin() + 5, 2, calls[4]);
  calls.erase(calls.begin() + 7);  // the copy to the host brings down what one launch has made
  const auto chosen = [&](const LaunchRanges& ranges) {
    return capture_application(capture_of(calls), "twice.hcap", {}, ptx::kAnyRegisters, ranges).program;
  };
  const ApiProgram program = chosen(LaunchRanges::read("2"));
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(program.kernels[0].name, "skipped");
  EXPECT_EQ(program.kernels[1].name, "twice");
  const std::vector<FunctionalLaunch> launches = FunctionalHost(program).run();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "skipped");
  EXPECT_EQ(launches[0].counts.warp_instructions, 1u);
  EXPECT_EQ(launches[1].kernel, "twice");
  EXPECT_EQ(launches[1].counts.warp_instructions, 8u);
  EXPECT_EQ(FunctionalHost(chosen({})).run().size(), 3u);
  EXPECT_THROW(chosen(LaunchRanges::read("4-")), config::Error);
}

// What a skipped launch writes is there: the copy to the host brings down what the capture has.
TEST(CaptureApplication, ASkippedLaunchWritesWhatItWrote) {
  std::vector<CapturedCall> calls = twice_calls();
  calls.insert(calls.begin() + 6, calls[4]);
  const ApiProgram program =
      capture_application(capture_of(calls), "twice.hcap", {}, ptx::kAnyRegisters, LaunchRanges::read("2"))
          .program;
  EXPECT_NO_THROW(FunctionalHost(program).run());
  calls[5].digest[0] ^= 1U;
  const ApiProgram wrong =
      capture_application(capture_of(calls), "twice.hcap", {}, ptx::kAnyRegisters, LaunchRanges::read("2"))
          .program;
  EXPECT_THROW(FunctionalHost(wrong).run(), std::runtime_error);
}

constexpr const char* kRace = R"(.version 6.0
.target sm_35
.address_size 64
.visible .entry race(.param .u64 data) {
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %ctaid.x;
  st.global.u32 [%d1+4], %r1;
  ret;
}
)";

// A program in which the last block writes last under capture, and the first one in the other order. Its
// kernel writes so many bytes behind its memory.
std::shared_ptr<Capture> racy_capture(std::uint64_t behind = 0) {
  std::vector<CapturedCall> calls = twice_calls();
  DeviceMemory memory;
  memory.allocate(ptx::image_bytes(ptx::parse_module(kRace, "race")), "module");
  const Address words = memory.allocate(128, "words");
  for (const std::size_t i : {1, 3, 5, 7}) calls[i].rows.address = words;
  calls[4].grid.x = 8;
  std::vector<std::uint32_t> read(32);
  std::iota(read.begin(), read.end(), 1U);
  read[1] = 7;
  calls[5].digest = digest_of(read.data(), 128);
  std::vector<std::string> blobs = twice_blobs();
  blobs[0] = kRace;
  const Address parameter = words + behind;
  blobs[2] = std::string(reinterpret_cast<const char*>(&parameter), 8);
  return std::make_shared<Capture>(read_capture(wrapped_capture(packed_calls(calls), blobs), "race.hcap"));
}

TEST(CaptureApplication, NamesTheFirstByteThatDiffersFromTheCapture) {
  const Application application = capture_application(racy_capture(), "race.hcap");
  EXPECT_NO_THROW(FunctionalHost(application.program).run());
  try {
    FunctionalHost(application.program, FunctionalOrder::kInterleaved).run();
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "twice: call 5: the 128 bytes that came down are others than under capture: byte 4 is "
        "0x00, not 0x07; a program whose results depend on the order of its threads is captured with "
        "--racy");
  }
}

TEST(CaptureApplication, AFaultNamesTheProgramOnce) {
  FunctionalHost host(capture_application(racy_capture(1 << 20), "race.hcap").program);
  try {
    host.run();
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("twice: module 0:9: "));
    EXPECT_THAT(error.what(), testing::HasSubstr("(kernel race, block (0, 0, 0), thread (0, 0, 0)"));
    EXPECT_EQ(std::string(error.what()).find("twice", 1), std::string::npos) << error.what();
  }
}

TEST(CaptureApplication, OfARacyProgramGoesOnBehindADifference) {
  const auto racy = racy_capture();
  racy->exact = false;
  FunctionalHost host(capture_application(racy, "race.hcap").program, FunctionalOrder::kInterleaved);
  EXPECT_EQ(host.run().size(), 1u);
}

TEST(CaptureApplication, RemembersTheBytesOfTheOrderInWhichItWasCaptured) {
  const auto racy = racy_capture();
  EXPECT_EQ(bytes_under_capture(racy, "race.hcap", 5).at(4), std::byte{7});
  racy->order = FunctionalOrder::kInterleaved;  // which gives other bytes than those that the capture knows
  EXPECT_TRUE(bytes_under_capture(racy, "race.hcap", 5).empty());
}

TEST(CaptureApplication, FailsWhereMemoryLiesElsewhere) {
  std::vector<CapturedCall> calls = twice_calls();
  for (const std::size_t i : {1, 3, 5, 7}) calls[i].rows.address += 0x10000;
  FunctionalHost host(application_of(calls).program);
  EXPECT_THROW(host.run(), std::runtime_error);
}

// Returns the calls of the program with a count from its machine code.
std::vector<CapturedCall> counted_calls(std::uint32_t entry = 0, std::uint32_t registers = 50) {
  std::vector<CapturedCall> calls = twice_calls();
  CapturedCall counted;
  counted.kind = Kind::kRegisters;
  counted.entry = entry;
  counted.registers = registers;
  calls.insert(calls.begin() + 1, counted);
  return calls;
}

std::uint32_t registers_of(const std::vector<CapturedCall>& calls, const RegisterCounts& stated,
                           std::uint32_t most = ptx::kAnyRegisters) {
  const std::string bytes = wrapped_capture(packed_calls(calls), twice_blobs());
  const auto capture = std::make_shared<const Capture>(read_capture(bytes, "twice.hcap"));
  return capture_application(capture, "twice.hcap", stated, most)
      .program.kernels[0]
      .shape.registers_per_thread;
}

TEST(CaptureRegisters, AreStatedOrCountedOrEstimated) {
  EXPECT_LT(registers_of(twice_calls(), {}), 16u);
  EXPECT_EQ(registers_of(counted_calls(), {}), 50u);
  EXPECT_EQ(registers_of(counted_calls(), {{"twice", 24}}), 24u);
  EXPECT_EQ(registers_of(twice_calls(), {{"twice", 24}}), 24u);
}

TEST(CaptureRegisters, AreNoMoreThanAThreadMayHave) {
  EXPECT_EQ(registers_of(counted_calls(), {}, 40), 40u);
}

TEST(CaptureRegisters, OfAnUnknownKernelAreRefused) {
  try {
    registers_of(twice_calls(), {{"thrice", 24}});
    ADD_FAILURE();
  } catch (const config::Error& error) {
    EXPECT_STREQ(error.what(),
                 "twice.hcap: registers of 'thrice', which the program does not launch; known: twice");
  }
  EXPECT_EQ(refusal(counted_calls(9)), "twice.hcap: call 1: there is no such kernel");
  EXPECT_EQ(refusal(counted_calls(0, 0)), "twice.hcap: call 1: no thread can have such registers");
}

TEST(CaptureApplicationRefusals, NameTheCall) {
  const std::vector<CapturedCall> good = twice_calls();
  EXPECT_EQ(refusal(good), "no refusal");
  std::vector<CapturedCall> calls = good;
  calls[3].rows.bytes = calls[3].rows.pitch = 129;
  EXPECT_EQ(refusal(calls), "twice.hcap: call 3: no memory is allocated there");
  calls = good;
  calls[3].rows = {good[3].rows.address, 64, 64, 1};
  EXPECT_EQ(refusal(calls), "twice.hcap: call 3: data of another size than the copy");
  calls = good;
  calls[4].stream = 9;
  EXPECT_EQ(refusal(calls), "twice.hcap: call 4: there is no such stream");
  calls = good;
  calls[4].blob = 1;
  EXPECT_EQ(refusal(calls).rfind("twice.hcap: call 4: ", 0), 0u) << refusal(calls);
  calls = good;
  calls[7].rows.address += 256;
  EXPECT_EQ(refusal(calls), "twice.hcap: call 7: no memory is allocated there");
  calls = good;
  calls[4].kind = Kind::kSynchronise;
  EXPECT_EQ(refusal(calls), "twice.hcap: call 9: the program launches no kernel");
}

TEST(CaptureApplicationRefusals, NameTheFileAndTheLineOfTheModule) {
  std::vector<std::string> blobs = twice_blobs();
  const auto problem = [&](const std::string& ptx) {
    blobs[0] = ptx;
    const auto capture = std::make_shared<Capture>(
        read_capture(wrapped_capture(packed_calls(twice_calls()), blobs), "race.hcap"));
    return fmt::format(
        "{}", fmt::join(test::problems_of([&] { capture_application(capture, "race.hcap"); }), "\n"));
  };
  EXPECT_THAT(problem(std::string(kRace) + ".entry"),
              testing::StartsWith("race.hcap: call 0: module 0:12:7: "));
  std::string unknown = kRace;
  unknown.replace(unknown.find("mov.u32"), 3, "move");
  EXPECT_THAT(problem(unknown),
              testing::StartsWith("race.hcap: call 4: kernel 'race' cannot be executed, because its PTX has "
                                  "forms that are not read:\nmodule 0:8:3: unknown opcode 'move'"));
}

}  // namespace
}  // namespace heddle::capture
