// In which part of its response a server is, by what the GPU does.

#include "models/machine/request_watch.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace heddle {
namespace {

using Part = RequestPart;

constexpr std::uint32_t kServer = 0;
constexpr std::uint32_t kLbm = 1;
constexpr std::uint32_t kOther = 2;
constexpr std::uint32_t kSms = 4;  // of two blocks each

class RequestWatchTest : public testing::Test {
 protected:
  RequestWatchTest() {
    SmLimits limits;
    limits.threads = limits.threads_per_block = 1024;
    limits.warps = 32;
    limits.registers = 65'536;
    limits.registers_per_thread = 255;
    limits.block_slots = 2;
    watch_.emplace(RequestWatch::Gpu{limits, kSms, 4, 2}, std::vector<bool>{true, false, false},
                   [this] { return now_; });
  }

  // The service of request 0 begins at 0, and its process waits for the GPU from the start.
  void begin() {
    watch_->arrived(kServer, 0, 0);
    watch_->started(kServer, 0);
    watch_->passes(kServer, 1'000'000);
    watch_->waits_for_gpu(kServer, true);
  }
  const PartTimes& end(std::uint64_t at) {
    now_ = at;
    const PartTimes& service = watch_->ended(kServer, 0).service;
    EXPECT_EQ(service.sum(), at);
    return service;
  }
  void kernel(std::uint64_t at, std::uint32_t ksr, std::uint32_t context, KernelEvent event,
              std::uint64_t blocks = 1) {
    now_ = at;
    KernelLaunch launch;
    launch.context = ContextId{context};
    launch.blocks = blocks;
    launch.shape = {32, 16, 0};
    watch_->kernel_event(Cycle{}, event, KsrId{ksr}, launch);
  }
  // A kernel that has been active since time 0.
  void add_kernel(std::uint32_t ksr, std::uint32_t context, std::uint64_t blocks) {
    kernel(now_, ksr, context, KernelEvent::kLoaded, blocks);
    kernel(now_, ksr, context, KernelEvent::kActivated, blocks);
  }
  void issue(std::uint64_t at, std::uint32_t sm, std::uint32_t ksr, int blocks = 1) {
    now_ = at;
    for (int i = 0; i < blocks; ++i) watch_->block_issued(Cycle{}, SmId{sm}, KsrId{ksr}, BlockId{0});
  }
  void done(std::uint64_t at, std::uint32_t sm, std::uint32_t ksr) {
    now_ = at;
    watch_->block_done(Cycle{}, SmId{sm}, KsrId{ksr}, BlockId{0}, {});
  }
  static Transfer transfer(std::uint64_t number, std::uint32_t context) {
    Transfer transfer;
    transfer.number = number;
    transfer.context = ContextId{context};
    return transfer;
  }

  std::uint64_t now_ = 0;
  std::optional<RequestWatch> watch_;
};

TEST_F(RequestWatchTest, AResponseGoesThroughItsPartsOneAfterAnother) {
  watch_->transfer_taken(Cycle{}, 0, transfer(1, kLbm));
  watch_->transfer_moves(Cycle{}, 0, transfer(1, kLbm));
  add_kernel(0, kLbm, 100);
  for (std::uint32_t sm = 0; sm < kSms; ++sm) issue(0, sm, 0, 2);
  watch_->arrived(kServer, 0, 0);
  watch_->started(kServer, 0);
  watch_->passes(kServer, 1'000'000);
  now_ = 10;  // the call of the copy
  watch_->waits_for_gpu(kServer, true);
  now_ = 15;  // the command has come to the engine
  watch_->transfer_taken(Cycle{}, 0, transfer(2, kServer));
  now_ = 100;
  watch_->transfer_requested(Cycle{}, 0, transfer(1, kLbm));
  watch_->transfer_moves(Cycle{}, 0, transfer(2, kServer));
  now_ = 104;
  watch_->transferred(Cycle{}, Cycle{}, transfer(1, kLbm));
  now_ = 120;
  watch_->transfer_requested(Cycle{}, 0, transfer(2, kServer));
  now_ = 130;
  watch_->transferred(Cycle{}, Cycle{}, transfer(2, kServer));
  now_ = 133;
  watch_->waits_for_gpu(kServer, false);
  now_ = 140;
  watch_->waits_for_gpu(kServer, true);
  kernel(142, 1, kServer, KernelEvent::kLoaded, 1);
  kernel(150, 1, kServer, KernelEvent::kActivated, 1);
  done(200, 3, 0);
  issue(200, 3, 1);
  done(260, 3, 1);
  kernel(260, 1, kServer, KernelEvent::kEnded, 1);
  const PartTimes& parts = end(265);
  EXPECT_EQ(parts.of(Part::kHost), 10U + 7);
  EXPECT_EQ(parts.of(Part::kCopyWait, kLbm), 85U);
  EXPECT_EQ(parts.of(Part::kCopying), 30U);
  EXPECT_EQ(parts.of(Part::kSubmission), 5U + 3 + 10 + 5);
  EXPECT_EQ(parts.of(Part::kSmWait, kLbm), 50U);
  EXPECT_EQ(parts.of(Part::kExecuting), 60U);  // its only block is there
  EXPECT_EQ(parts.of(Part::kSlowed), 0U);
}

TEST_F(RequestWatchTest, BlocksThatWaitForSmsOfOthersSlowThoseThatRun) {
  add_kernel(0, kLbm, 100);
  add_kernel(1, kServer, 8);  // as many as fit the GPU
  issue(0, 0, 0, 2);
  begin();
  issue(0, 1, 1, 2);  // a quarter of them runs
  issue(100, 2, 1, 2);
  const PartTimes& parts = end(200);
  EXPECT_EQ(parts.of(Part::kExecuting), 25U + 50);
  EXPECT_EQ(parts.of(Part::kSlowed, kLbm), 75U + 50);
}

TEST_F(RequestWatchTest, TheCauseIsWhoHasTheMostSms) {
  add_kernel(0, kLbm, 100);
  add_kernel(1, kOther, 100);
  add_kernel(2, kServer, 1);
  issue(0, 0, 0, 2);
  issue(0, 1, 1, 1);
  issue(0, 2, 1, 1);
  begin();
  done(40, 2, 1);  // now both have one: the first of them counts
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kSmWait, kOther), 40U);
  EXPECT_EQ(parts.of(Part::kSmWait, kLbm), 60U);
}

TEST_F(RequestWatchTest, AKernelAloneIsNotSlowedWhileItsBlocksAreIssued) {
  add_kernel(1, kServer, 8);
  begin();
  for (std::uint32_t sm = 0; sm < kSms; ++sm)
    watch_->slice_event(Cycle{}, SliceEvent::kSetUp, SmId{sm}, KsrId{1});
  now_ = 20;
  for (std::uint32_t sm = 0; sm < kSms; ++sm) issue(20 + sm, sm, 1, 2);
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kSmWait, kServer), 20U);  // its SMs are being set up
  EXPECT_EQ(parts.of(Part::kExecuting), 80U);
}

TEST_F(RequestWatchTest, APartitionOfFewerSmsSlowsAKernelThatHasMoreBlocksToIssue) {
  add_kernel(1, kServer, 8);
  begin();
  watch_->slice_event(Cycle{}, SliceEvent::kReserved, SmId{1}, KsrId{1});
  watch_->slice_event(Cycle{}, SliceEvent::kFreed, SmId{1}, KsrId{1});  // it never was on that SM
  watch_->slice_event(Cycle{}, SliceEvent::kSetUp, SmId{0}, KsrId{1});
  issue(0, 0, 1, 2);
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kExecuting), 25U);
  EXPECT_EQ(parts.of(Part::kSlowed, kServer), 75U);
}

TEST_F(RequestWatchTest, ALowerShareOfBandwidthSlows) {
  add_kernel(0, kLbm, 100);
  add_kernel(1, kServer, 1);
  issue(0, 0, 0, 2);
  begin();
  issue(0, 1, 1);
  now_ = 60;
  BandwidthTable table;
  table.rates = {ServerState::kWhole, ServerState::kWhole / 4, 0, 0};
  watch_->shares_changed(Cycle{}, table);
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kExecuting), 60U + 10);
  EXPECT_EQ(parts.of(Part::kSlowed, kLbm), 30U);
}

TEST_F(RequestWatchTest, ABlockThatIsSavedWaitsForAnSmAgain) {
  add_kernel(0, kLbm, 100);
  add_kernel(1, kServer, 1);
  begin();
  issue(0, 1, 1);
  now_ = 30;
  watch_->block_saved(Cycle{}, SmId{1}, KsrId{1}, BlockId{0});
  issue(30, 1, 0);
  now_ = 70;
  watch_->block_resumed(Cycle{}, SmId{2}, KsrId{1}, BlockId{0});
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kExecuting), 60U);
  EXPECT_EQ(parts.of(Part::kSmWait, kLbm), 40U);
}

TEST_F(RequestWatchTest, ACopyThatIsInterruptedWaitsForTheOther) {
  watch_->transfer_taken(Cycle{}, 1, transfer(1, kServer));
  watch_->transfer_taken(Cycle{}, 1, transfer(2, kOther));
  watch_->transfer_moves(Cycle{}, 1, transfer(1, kServer));
  begin();
  now_ = 20;
  watch_->transfer_moves(Cycle{}, 1, transfer(2, kOther));
  now_ = 50;
  watch_->transfer_moves(Cycle{}, 1, transfer(1, kServer));
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kCopying), 70U);
  EXPECT_EQ(parts.of(Part::kCopyWait, kOther), 30U);
}

TEST_F(RequestWatchTest, ACommandThatAFullEngineKeepsOutWaitsForWhatTheEngineDoes) {
  watch_->transfer_taken(Cycle{}, 0, transfer(1, kLbm));
  watch_->transfer_moves(Cycle{}, 0, transfer(1, kLbm));
  add_kernel(0, kOther, 100);
  issue(0, 0, 0);
  begin();
  Command command;
  command.context = ContextId{kServer};
  command.kind = Command::Kind::kCopyUp;
  watch_->waits_for_engine(Cycle{}, command);
  now_ = 40;
  watch_->sent(Cycle{}, command);
  command.kind = Command::Kind::kLaunch;
  watch_->waits_for_engine(Cycle{}, command);
  now_ = 70;
  watch_->sent(Cycle{}, command);
  const PartTimes& parts = end(100);
  EXPECT_EQ(parts.of(Part::kCopyWait, kLbm), 40U);
  EXPECT_EQ(parts.of(Part::kSmWait, kOther), 30U);
  EXPECT_EQ(parts.of(Part::kSubmission), 30U);
}

}  // namespace
}  // namespace heddle
