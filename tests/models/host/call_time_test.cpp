#include "models/host/call_time.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Kind = ApiCall::Kind;

HostSpec host() {
  HostSpec spec;
  spec.call_latency_ps = 2;
  spec.launch_latency_ps = 5;
  spec.copy_latency_ps = 4;
  spec.allocation_latency_ps = 50;
  spec.allocation_bytes_per_second = 1e12;  // a byte in a picosecond
  spec.pooled_allocation_bytes = 100;
  return spec;
}

std::uint64_t time_of(Kind kind, const HostSpec& spec, std::uint64_t bytes = 1000) {
  ApiProgram program;
  program.buffers = {{"b", bytes}};
  ApiCall call;
  call.kind = kind;
  return call_time_ps(spec, program, call);
}

TEST(CallTime, OfEachKindOfCall) {
  for (const Kind kind : {Kind::kCopyUp, Kind::kCopyDown, Kind::kCopyAcross, Kind::kFill})
    EXPECT_EQ(time_of(kind, host()), 4U);
  EXPECT_EQ(time_of(Kind::kLaunch, host()), 5U);
  for (const Kind kind : {Kind::kRecord, Kind::kWait, Kind::kSynchronise, Kind::kQuery})
    EXPECT_EQ(time_of(kind, host()), 2U);
  for (const Kind kind : {Kind::kCpu, Kind::kSwap, Kind::kHost, Kind::kRepeat, Kind::kEnd})
    EXPECT_EQ(time_of(kind, host()), 0U);
}

TEST(CallTime, OfAllocationsAndFreesGrowsWithTheirBytesBeyondThePool) {
  for (const Kind kind : {Kind::kAllocate, Kind::kFree}) {
    EXPECT_EQ(time_of(kind, host(), 1000), 1050U);
    EXPECT_EQ(time_of(kind, host(), 101), 151U);
    EXPECT_EQ(time_of(kind, host(), 100), 2U);
  }
  HostSpec at_once = host();
  at_once.allocation_bytes_per_second = 0;
  EXPECT_EQ(time_of(Kind::kAllocate, at_once), 50U);
}

TEST(CallTime, IsNoneByDefault) {
  for (const Kind kind : {Kind::kCopyUp, Kind::kLaunch, Kind::kAllocate, Kind::kSynchronise})
    EXPECT_EQ(time_of(kind, HostSpec{}), 0U);
}

}  // namespace
}  // namespace heddle
