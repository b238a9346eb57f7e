// A captured program is replayed with its data at the captured addresses. Its copies to the host must bring
// the captured data.

#include "stimuli/capture/replay/capture_application.h"

#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "stimuli/functional/functional_host.h"
#include "tests/support/captures.h"

namespace heddle::capture {
namespace {

using Kind = CapturedCall::Kind;

Application application_of(const std::vector<CapturedCall>& calls) {
  const std::string bytes = wrapped_capture(packed_calls(calls), twice_blobs());
  return capture_application(std::make_shared<const Capture>(read_capture(bytes, "twice.hcap")),
                             "twice.hcap");
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

}  // namespace
}  // namespace heddle::capture
