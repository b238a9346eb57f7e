// The functions that the device provides, call by call.

#include "stimuli/ptx/execute/device_functions.h"

#include <gmock/gmock.h>

#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using Kind = Step::Kind;

const char* const kExternals =
    ".extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);"
    ".extern .func (.param .b64 r) malloc (.param .b64 bytes);"
    ".extern .func free (.param .b64 address); .extern .func unknown (.param .b64 n);";

struct DeviceRig : StepRig {
  explicit DeviceRig(const std::string& body) : StepRig(body, kExternals) {}

  const CallSite& site(const WarpStep& at) const { return code.calls[at.step.index]; }
  void call(const WarpStep& at) { functions.call(at, site(at), state.module().functions[at.step.target]); }

  BlockMemory memory{state, faults};
  DeviceFunctions functions{state, memory, faults};
};

TEST(PtxDeviceFunctions, MallocGivesEachActiveLaneMemoryThatFreeTakesBack) {
  DeviceRig rig("call (%rd2), malloc, (%rd3); call free, (%rd4);");
  const std::size_t before = rig.run.memory().allocations().size();
  const WarpStep malloc = rig.at(Kind::kCall, 0, 0x3U);
  const Row result = rig.site(malloc).results[0].row;
  set_lane(malloc, rig.site(malloc).arguments[0].row, 0, std::uint64_t{24});
  set_lane(malloc, rig.site(malloc).arguments[0].row, 1, std::uint64_t{1} << 40U);
  rig.call(malloc);
  const auto first = lane_of<std::uint64_t>(malloc, result, 0);
  ASSERT_NE(rig.run.memory().find(first, 24), nullptr);
  EXPECT_EQ(lane_of<std::uint64_t>(malloc, result, 1), 0u);  // the request exceeds the heap
  EXPECT_EQ(rig.run.memory().allocations().size(), before + 1);

  const WarpStep free = rig.at(Kind::kCall, 1, 0x5U);
  const Row freed = rig.site(free).arguments[0].row;
  set_lane(free, freed, 0, first);
  set_lane(free, freed, 2, std::uint64_t{0});
  rig.call(free);
  EXPECT_EQ(rig.run.memory().allocations().size(), before);
}

TEST(PtxDeviceFunctions, FreeForgetsTheAllocationsThatAccessesFoundLast) {
  DeviceRig rig("ld.global.u32 %r1, [%rd2]; call free, (%rd4);");
  const Address heap = rig.run.memory().allocate(64, "device heap");
  const WarpStep load = rig.at(Kind::kLoad, 2);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(load, load.step.source[0], lane, heap);
  IssuedInstruction issued = rig.issue(load);
  rig.memory.access(load, issued);
  const WarpStep free = rig.at(Kind::kCall, 0, 0x1U);
  set_lane(free, rig.site(free).arguments[0].row, 0, heap);
  rig.call(free);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) set_lane(load, load.step.source[0], lane, heap);
  EXPECT_THAT(fault_of([&] { rig.memory.access(load, issued); }), HasSubstr("4 bytes at"));
}

TEST(PtxDeviceFunctions, FreeOfAnythingElseIsAFault) {
  DeviceRig rig("call free, (%rd4);");
  const Address buffer = rig.run.memory().allocate(64, "buffer");
  const WarpStep free = rig.at(Kind::kCall, 0, 0x8U);
  set_lane(free, rig.site(free).arguments[0].row, 3, buffer);
  EXPECT_THAT(fault_of([&] { rig.call(free); }), HasSubstr("which malloc did not give"));
}

TEST(PtxDeviceFunctions, VprintfPrintsForEachActiveLaneAndReturnsTheNumberOfItsValues) {
  DeviceRig rig("call (%r1), vprintf, (%rd2, %rd3);");
  const Address format = rig.run.buffer(std::vector<char>{'%', 'd', ';', 0}, "format");
  const Address values = rig.run.buffer(std::vector<std::int32_t>{-7, 8}, "values");
  const WarpStep print = rig.at(Kind::kCall, 0, 0x6U);
  for (const std::uint32_t lane : {1U, 2U}) {
    set_lane(print, rig.site(print).arguments[0].row, lane, format);
    set_lane(print, rig.site(print).arguments[1].row, lane, values + std::uint64_t{4} * (lane - 1));
  }
  rig.call(print);
  EXPECT_EQ(rig.run.printed(), "-7;8;");
  EXPECT_EQ(lane_of<std::uint32_t>(print, rig.site(print).results[0].row, 2), 1u);
}

}  // namespace
}  // namespace heddle::ptx
