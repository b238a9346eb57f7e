// Programs of runtime calls: the order in which one execution performs them, and the facts that are known
// before it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "models/host/api_cursor.h"
#include "models/host/process/host_process_spec.h"

namespace heddle {
namespace {

using Kind = ApiCall::Kind;
using Order = std::vector<std::uint32_t>;

ApiCall launch(std::uint32_t kernel) {
  ApiCall call;
  call.kind = Kind::kLaunch;
  call.kernel = kernel;
  return call;
}

ApiCall repeat(std::uint64_t count, std::uint32_t action = ApiCall::kNoAction) {
  ApiCall call;
  call.kind = Kind::kRepeat;
  call.count = count;
  call.action = action;
  return call;
}

ApiCall end() {
  ApiCall call;
  call.kind = Kind::kEnd;
  return call;
}

struct NoMemory : HostMemory {
  void read(std::uint32_t, std::uint64_t, void*, std::uint64_t) override {}
  void write(std::uint32_t, std::uint64_t, const void*, std::uint64_t) override {}
  Address device_address(std::uint32_t) const override { return 0; }
};

// A host script that answers yes this many times to each action, then no once, and so on.
struct Answers : HostScript {
  explicit Answers(std::vector<int> times) : yes(std::move(times)), left(yes) {}
  void start(HostMemory&) override {}
  void perform(std::uint32_t, HostMemory&) override {}
  bool again(std::uint32_t action, HostMemory&) override {
    ++asked;
    if (left[action]-- > 0) return true;
    left[action] = yes[action];
    return false;
  }
  Launch launch(const ApiCall&, HostMemory&) override { return {}; }
  std::string restart_problem(std::uint64_t, const DeviceMemory&) const override { return {}; }
  std::unique_ptr<KernelProgram> open(std::uint64_t, DeviceMemory&, const CodeOptions&) override {
    return nullptr;
  }
  void finish(HostMemory&) override {}
  const std::vector<int> yes;
  std::vector<int> left;
  int asked = 0;
};

ApiProgram program_of(std::vector<ApiCall> calls) {
  ApiProgram program;
  program.kernels.resize(3);
  for (ApiKernel& kernel : program.kernels) kernel.blocks = 10;
  program.calls = std::move(calls);
  return program;
}

// Returns the kernels in the order of their launches.
Order order(const ApiProgram& program, HostScript* script = nullptr) {
  NoMemory memory;
  ApiCursor cursor(program, script, memory);
  Order kernels;
  while (const ApiCall* call = cursor.next()) kernels.push_back(call->kernel);
  EXPECT_EQ(cursor.next(), nullptr) << "it stays at the end";
  return kernels;
}

TEST(ApiProgram, LoopsAreGoneRoundAsOftenAsTheySay) {
  EXPECT_EQ(order(program_of({})), Order{});
  EXPECT_EQ(
      order(program_of({launch(0), repeat(2), launch(1), repeat(3), launch(2), end(), end(), launch(0)})),
      (Order{0, 1, 2, 2, 2, 1, 2, 2, 2, 0}));
  EXPECT_EQ(order(program_of({repeat(1), launch(1), end(), repeat(5), end()})), Order{1});
}

TEST(ApiProgram, LoopsWithAnActionAreGoneRoundUntilTheScriptSaysNo) {
  Answers script({1, 2});
  EXPECT_EQ(order(program_of({repeat(9, 0), launch(0), repeat(3, 1), launch(1), end(), end()}), &script),
            (Order{0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(script.asked, 2 + 2 * 3);
}

TEST(ApiProgram, ALoopWhoseScriptGoesOnAfterItsCountIsAnError) {
  Answers script({3});
  EXPECT_EQ(order(program_of({repeat(4, 0), launch(0), end()}), &script).size(), 4u);
  EXPECT_THAT(
      [&] {
        order(program_of({repeat(3, 0), launch(0), end()}), &script);
      },
      testing::ThrowsMessage<std::runtime_error>("a loop does not end: it has gone round 3 times"));
}

TEST(ApiProgram, LaunchesAreThoseThatAreCertain) {
  const ApiProgram program = program_of({repeat(3), launch(0), repeat(1'000'000'000, 0), launch(1), repeat(5),
                                         launch(2), end(), end(), end(), launch(1)});
  EXPECT_EQ(launches_per_execution(program), (std::vector<std::uint64_t>{3, 4, 15}));
}

TEST(ApiProgram, BlocksAreNotKnownWhereAScriptMakesLaunches) {
  HostProcessSpec process;
  process.program = program_of({launch(0), launch(1)});
  EXPECT_EQ(process.blocks_per_execution(), 20u);
  process.program.make_script = [] { return std::make_unique<Answers>(std::vector<int>{}); };
  EXPECT_EQ(process.blocks_per_execution(), 0u);
}

TEST(ApiProgram, ARangeLiesInItsBuffer) {
  const ApiBuffer buffer{"b", 100};
  EXPECT_NO_THROW(check_range(buffer, 0, 100));
  EXPECT_NO_THROW(check_range(buffer, 100, 0));
  EXPECT_THAT([&] { check_range(buffer, 1, 100); },
              testing::ThrowsMessage<std::runtime_error>("100 bytes at 1 of 'b', which has 100"));
  EXPECT_THROW(check_range(buffer, 101, 0), std::runtime_error);
  EXPECT_THROW(check_range(buffer, 8, ~std::uint64_t{7}), std::runtime_error) << "the end wraps";
}

}  // namespace
}  // namespace heddle
