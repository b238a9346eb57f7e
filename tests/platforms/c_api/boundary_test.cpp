// Blocks of the memory path alone, in lockstep with the caller.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "models/core/base/random.h"
#include "tests/platforms/c_api/c_library.h"

namespace heddle::test {
namespace {

using ::testing::HasSubstr;

// Addresses of the slice l2_0 of gtx480, with 6 channels of two slices that take turns every 256 bytes: each
// twelfth piece of 256 bytes. They are in the channel dram0 as well.
std::uint64_t in_first_slice(std::uint64_t piece, std::uint64_t offset) {
  return piece * 12 * 256 + offset;
}

class CBoundary : public testing::Test {
 protected:
  int open(const char* block, const char* options = "") {
    const int handle = heddle_.boundary_open("gtx480", block, options);
    EXPECT_GT(handle, 0) << heddle_.error(0);
    return handle;
  }
  std::uint64_t now(int handle, const char* clock) {
    std::uint64_t cycle = 0;
    EXPECT_EQ(heddle_.now(handle, clock, &cycle), HEDDLE_OK) << heddle_.error(handle);
    return cycle;
  }
  std::uint64_t counter(int handle, const char* name) {
    std::uint64_t value = 0;
    EXPECT_EQ(heddle_.counter(handle, name, &value), HEDDLE_OK) << heddle_.error(handle);
    return value;
  }
  // Sends one request, and steps until its response can be taken. Returns the cycles until it has come.
  std::uint64_t latency(int handle, std::uint64_t address, std::uint32_t bytes, int write = 0) {
    EXPECT_EQ(heddle_.boundary_send(handle, 77, address, bytes, write), HEDDLE_OK) << heddle_.error(handle);
    std::uint64_t id = 0;
    for (std::uint64_t cycles = 0; cycles < 1000; ++cycles) {
      EXPECT_EQ(heddle_.step(handle, 1), HEDDLE_OK) << heddle_.error(handle);
      if (heddle_.boundary_take(handle, &id) != HEDDLE_OK) continue;
      EXPECT_EQ(id, 77u);
      return cycles;
    }
    ADD_FAILURE() << "no response";
    return 0;
  }

  const CLibrary heddle_;
};

// The links take a cycle each way, also those between the slice and the memory behind it. Before the tags
// there are 120 cycles, and a hit takes 8. The fourth sector of a line is looked up three cycles later.
TEST_F(CBoundary, ASliceAnswersHitsAndMissesAfterTheirLatencies) {
  const int slice = open("l2_0", "--latency 50\n--set l2.hit_latency=9cycles");
  EXPECT_EQ(latency(slice, 0, 32), 120u + 1 + (1 + 50 + 1) + 1);
  EXPECT_EQ(latency(slice, 0, 32), 120u + 1 + 9 + 1);
  EXPECT_EQ(latency(slice, 128, 128), 120u + 1 + 2 + (1 + 50 + 1) + 1);
  EXPECT_EQ(latency(slice, 128, 128), 120u + 1 + 3 + 9 + 1);
  EXPECT_EQ(counter(slice, "gpu.l2_0.requests"), 4u);
  EXPECT_EQ(counter(slice, "gpu.l2_0.hits"), 5u);
  EXPECT_EQ(counter(slice, "gpu.l2_0.fills"), 3u);
  EXPECT_THAT(heddle_.list(slice, "counters"), HasSubstr("gpu.l2_0.hits\t"));
  EXPECT_THAT(heddle_.list(slice, "clocks"), HasSubstr("l2\t699"));
}

// A row that is open saves the activate, and another row of the bank costs a precharge as well.
TEST_F(CBoundary, AChannelAnswersByTheStateOfItsRows) {
  const int channel =
      open("dram0", "--set dram.refresh=off\n--set dram.timing.rcdrd=15\n--set dram.timing.rp=11");
  const std::uint64_t closed = latency(channel, 0, 64);
  EXPECT_EQ(closed, latency(channel, 64, 64) + 15);
  EXPECT_EQ(heddle_.step(channel, 200), HEDDLE_OK);
  const std::uint64_t row = std::uint64_t{6} << 17;  // adds one to the row, and changes nothing else
  EXPECT_EQ(latency(channel, row, 64), closed + 11);
  EXPECT_EQ(now(channel, "dram"), 3 + closed + (closed - 15) + 200 + (closed + 11));
}

// Random requests as fast as the slice takes them. Returns by id the cycle in which the response was taken.
std::map<std::uint64_t, std::uint64_t> run_random(const CLibrary& heddle, int slice, std::uint64_t* busy) {
  constexpr std::uint64_t kRequests = 3000;
  Random random(5);
  std::map<std::uint64_t, std::uint64_t> taken;
  std::uint64_t sent = 0;
  *busy = 0;
  for (std::uint64_t cycle = 0; taken.size() < kRequests && cycle < 200000; ++cycle) {
    while (sent < kRequests) {
      const std::uint64_t address = in_first_slice(random.below(1000), 128 * random.below(2));
      const int result = heddle.boundary_send(slice, sent, address, 128, random.below(4) == 0 ? 1 : 0);
      EXPECT_GE(result, 0) << heddle.error(slice);
      if (result != HEDDLE_OK) break;
      ++sent;
    }
    *busy += sent < kRequests ? 1 : 0;
    EXPECT_EQ(heddle.step(slice, 1), HEDDLE_OK);
    for (std::uint64_t id = 0; heddle.boundary_take(slice, &id) == HEDDLE_OK;)
      EXPECT_TRUE(taken.emplace(id, cycle).second) << id;
  }
  return taken;
}

TEST_F(CBoundary, AnswersEachRequestOnceAndTheSameAfterAReset) {
  const int slice = open("l2_0");
  std::uint64_t busy = 0;
  const auto first = run_random(heddle_, slice, &busy);
  EXPECT_EQ(first.size(), 3000u);
  EXPECT_GT(busy, 3 * 3000u);  // a request of four sectors takes four cycles
  const std::string counters[]{"gpu.l2_0.requests", "gpu.l2_0.hits", "gpu.l2_0.fills",
                               "gpu.l2_0.write_backs"};
  std::vector<std::uint64_t> values;
  for (const std::string& name : counters) values.push_back(counter(slice, name.c_str()));
  EXPECT_EQ(values[0], 3000u);
  EXPECT_EQ(heddle_.boundary_send(slice, 1, 0, 128, 0), HEDDLE_OK);
  EXPECT_EQ(heddle_.step(slice, 60), HEDDLE_OK);
  ASSERT_EQ(heddle_.reset(slice), HEDDLE_OK);
  EXPECT_EQ(now(slice, "l2"), 0u);
  EXPECT_EQ(run_random(heddle_, slice, &busy), first);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(counter(slice, counters[i].c_str()), values[i]);
}

TEST_F(CBoundary, BlocksOfOneProcessStandInOneTime) {
  const int first = open("l2_0", "--latency 10");
  const int second = open("l2_11", "--latency 30");
  ASSERT_EQ(heddle_.boundary_send(first, 1, in_first_slice(0, 0), 32, 0), HEDDLE_OK);
  ASSERT_EQ(heddle_.boundary_send(second, 2, 11 * 256, 32, 0), HEDDLE_OK) << heddle_.error(second);
  std::uint64_t id = 0;
  ASSERT_EQ(heddle_.step(first, 120 + 4 + 10 + 1), HEDDLE_OK);
  EXPECT_EQ(now(second, "l2"), now(first, "l2"));
  EXPECT_EQ(heddle_.boundary_take(second, &id), HEDDLE_BUSY);
  EXPECT_EQ(heddle_.boundary_take(first, &id), HEDDLE_OK);
  EXPECT_EQ(id, 1u);
  ASSERT_EQ(heddle_.step(first, 20), HEDDLE_OK);
  EXPECT_EQ(heddle_.boundary_take(second, &id), HEDDLE_OK);
  EXPECT_EQ(id, 2u);
  EXPECT_EQ(heddle_.boundary_open("gtx480", "l2_1", ""), 0);
  EXPECT_THAT(heddle_.error(0), HasSubstr("opened before the first step of the process"));
}

TEST_F(CBoundary, AWrongCallSaysWhy) {
  const auto refusal = [&](const char* platform, const char* block, const char* options) {
    EXPECT_EQ(heddle_.boundary_open(platform, block, options), 0) << block;
    return std::string(heddle_.error(0));
  };
  EXPECT_THAT(refusal("gtx48", "l2_0", ""), HasSubstr("did you mean 'gtx480'?"));
  EXPECT_THAT(refusal("gtx480", "l2_12", ""), HasSubstr("known: l2_0 to l2_11, dram0 to dram5"));
  EXPECT_THAT(refusal("gtx480", "l2_0x", ""), HasSubstr("has no block 'l2_0x'"));
  EXPECT_THAT(refusal("gtx480", "dram0", "--latency 5"), HasSubstr("far side of an L2 slice"));
  EXPECT_THAT(refusal("gtx480", "l2_0", "--latency x"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal("gtx480", "l2_0", "--seed 4"), HasSubstr("there is no option '--seed'"));
  EXPECT_THAT(refusal("gtx480", "l2_0", "--policy dram_scheduler=fifo"),
              HasSubstr("known: atlas, bandwidth-limits, bandwidth-shares, bliss"));
  const int slice = open("l2_0");
  const auto send = [&](std::uint64_t address, std::uint32_t bytes, int write) {
    EXPECT_EQ(heddle_.boundary_send(slice, 1, address, bytes, write), HEDDLE_BAD_CALL);
    return std::string(heddle_.error(slice));
  };
  EXPECT_THAT(send(256, 32, 0), HasSubstr("address 0x100 belongs to l2_2"));
  EXPECT_THAT(send(16, 32, 0), HasSubstr("whole sectors of 32 bytes within 128 bytes"));
  EXPECT_THAT(send(64, 128, 0), HasSubstr("a request has 128 bytes at 0x40"));
  EXPECT_THAT(send(0, 0, 0), HasSubstr("whole sectors"));
  EXPECT_THAT(send(std::uint64_t{1} << 40, 32, 0), HasSubstr("beyond the device memory"));
  EXPECT_THAT(send(0, 32, 2), HasSubstr("a write (1) or none (0), not 2"));
  EXPECT_EQ(heddle_.boundary_send(slice, 1, 0, 32, 0), HEDDLE_OK);
  EXPECT_EQ(heddle_.boundary_send(slice, 2, 0, 32, 0), HEDDLE_BUSY);
  EXPECT_EQ(heddle_.run(slice, 0), HEDDLE_BAD_CALL);
  EXPECT_THAT(heddle_.error(slice), HasSubstr("a boundary has no end"));
  EXPECT_EQ(heddle_.open("vector_add", "--platform gtx480"), 0);
  EXPECT_THAT(heddle_.error(0), HasSubstr("this process has had a boundary"));
}

}  // namespace
}  // namespace heddle::test
