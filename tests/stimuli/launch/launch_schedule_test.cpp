// Launch files that are executed with scheduled code leave the same bytes in memory.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>

#include "models/core/config/data_path.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/forwarding_script.h"
#include "tests/support/launch_rig.h"

namespace heddle {
namespace {

using Contents = std::map<Address, std::vector<std::byte>>;

Contents contents_of(const DeviceMemory& memory) {
  Contents contents;
  for (const auto& [address, allocation] : memory.allocations()) {
    std::vector<std::byte>& bytes = contents[address];
    bytes.resize(allocation.bytes);
    memory.read(address, bytes.data(), bytes.size());
  }
  return contents;
}

// A program that tells the contents of the memory when it ends.
class Watched final : public KernelProgram {
 public:
  Watched(std::unique_ptr<KernelProgram> program, std::function<void()> ended)
      : program_(std::move(program)), ended_(std::move(ended)) {}
  ~Watched() override { ended_(); }
  BlockStream& start(BlockId block) override { return program_->start(block); }
  void finish(BlockStream& stream) override { program_->finish(stream); }

 private:
  const std::unique_ptr<KernelProgram> program_;
  const std::function<void()> ended_;
};

class ScheduledScript final : public ForwardingScript {
 public:
  ScheduledScript(std::unique_ptr<HostScript> script, CodeSchedule schedule, std::vector<Contents>& after)
      : ForwardingScript(std::move(script)), schedule_(schedule), after_(after) {}

  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions&) override {
    return std::make_unique<Watched>(ForwardingScript::open(arguments, memory, {false, {schedule_}}),
                                     [this, &memory] {
                                       if (after_.size() < kMostLaunches)
                                         after_.push_back(contents_of(memory));
                                     });
  }

 private:
  static constexpr std::size_t kMostLaunches = 8;

  const CodeSchedule schedule_;
  std::vector<Contents>& after_;
};

// Returns the contents of the device memory after each of the first launches.
std::vector<Contents> contents_after(const std::string& name, CodeSchedule schedule) {
  std::vector<Contents> after;
  ApiProgram program = load_launch_application(kLaunches + name + ".yaml", {}).application.program;
  program.make_script = [make = program.make_script, schedule, &after] {
    return std::make_unique<ScheduledScript>(make(), schedule, after);
  };
  FunctionalHost(program).run();
  return after;
}

class ScheduledLaunches : public testing::TestWithParam<std::string> {};

TEST_P(ScheduledLaunches, LeaveTheSameMemory) {
  const std::vector<Contents> plain = contents_after(GetParam(), CodeSchedule::kNone);
  const std::vector<Contents> scheduled = contents_after(GetParam(), CodeSchedule::kPtxasLike90);
  ASSERT_FALSE(plain.empty());
  ASSERT_EQ(plain.size(), scheduled.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(plain[i] == scheduled[i]) << "launch " << i;
}

std::vector<std::string> compared() {
  std::vector<std::string> names;
  for (const std::string& name : known_data("stimuli/launches"))
    if (!is_of_study(name)) names.push_back(name);
  return names;
}

std::string name_of_launch(const testing::TestParamInfo<std::string>& tested) {
  return tested.param;
}

INSTANTIATE_TEST_SUITE_P(All, ScheduledLaunches, testing::ValuesIn(compared()), name_of_launch);

}  // namespace
}  // namespace heddle
