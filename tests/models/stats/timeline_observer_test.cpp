// The timeline of a small run made by hand, read back as a viewer reads it.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "models/core/base/check.h"
#include "models/machine/timeline_observer.h"
#include "tests/support/trace_decoder.h"

namespace heddle {
namespace {

using trace::Event;
using trace::Trace;

constexpr std::uint64_t kCorePs = 2000;  // 2 ns a cycle
constexpr std::uint64_t kPciePs = 4000;

class TimelineOfARun : public testing::Test {
 protected:
  TimelineOfARun() { observe(TimelineDetail::kBlocks, timeline_); }

  void observe(TimelineDetail detail, Timeline& timeline) {
    TimelineObserver::Shape shape;
    shape.detail = detail;
    shape.sms = 2;
    shape.block_slots = 2;
    shape.ksrs = 2;
    shape.core_ps = [](Cycle cycle) { return cycle.value * kCorePs; };
    shape.pcie_ps = [](Cycle cycle) { return cycle.value * kPciePs; };
    shape.application = [](ContextId context) { return "app" + std::to_string(context.value); };
    shape.kernel = [](ContextId, std::uint32_t tag) { return "kernel" + std::to_string(tag); };
    observer_ = std::make_unique<TimelineObserver>(timeline, shape);
  }

  Trace read() {
    timeline_.flush();
    return Trace(out_.str());
  }

  static KernelLaunch launch(std::uint32_t context, std::uint32_t tag) {
    KernelLaunch launch;
    launch.context = ContextId{context};
    launch.tag = tag;
    launch.kernel = KernelId{40 + tag};
    launch.stream = StreamId{7};
    launch.blocks = 3;
    launch.shape.threads = 64;
    return launch;
  }

  // Returns the begin and the end, in ns, of the slices with this name on this track.
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> slices(const Trace& read,
                                                                     const std::string& track,
                                                                     const std::string& name) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    bool open = false;
    for (const Event& event : read.events) {
      if (event.track != track) continue;
      if (event.type == trace::kBegin && event.name == name) {
        found.emplace_back(event.ns, 0);
        open = true;
      } else if (event.type == trace::kEnd && open) {
        found.back().second = event.ns;
        open = false;
      }
    }
    return found;
  }

  // Issues the three blocks of a kernel, two to one SM and one to the other, and copies 4096 B.
  void run_a_kernel() {
    const KsrId ksr{1};
    observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 3));
    for (const SmId sm : {SmId{0}, SmId{1}}) {
      observer_->slice_event(Cycle{2}, SliceEvent::kSetUp, sm, ksr);
      observer_->slice_event(Cycle{9}, SliceEvent::kRunning, sm, ksr);
      observer_->block_issued(Cycle{10}, sm, ksr, BlockId{sm.value});
    }
    observer_->block_issued(Cycle{11}, SmId{1}, ksr, BlockId{2});
    observer_->block_done(Cycle{20}, SmId{0}, ksr, BlockId{0}, {});
    observer_->slice_event(Cycle{21}, SliceEvent::kFreed, SmId{0}, ksr);
    for (const BlockId block : {BlockId{1}, BlockId{2}})
      observer_->block_done(Cycle{30}, SmId{1}, ksr, block, {});
    observer_->slice_event(Cycle{31}, SliceEvent::kFreed, SmId{1}, ksr);
    observer_->kernel_event(Cycle{31}, KernelEvent::kEnded, ksr, launch(0, 3));
    Transfer transfer;
    transfer.context = ContextId{0};
    transfer.stream = StreamId{5};
    transfer.bytes = 4096;
    observer_->transferred(Cycle{20}, Cycle{25}, transfer);
  }

  // Returns the number of slices by the names of their tracks.
  static std::map<std::string, int> slices_by_track(const Trace& read) {
    std::map<std::string, int> count;
    for (const Event& event : read.events)
      if (event.type == trace::kBegin) ++count[event.track];
    return count;
  }

  using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  std::ostringstream out_;
  Timeline timeline_{out_};
  std::unique_ptr<TimelineObserver> observer_;
};

// The SM has two slots.
TEST_F(TimelineOfARun, GivesBlocksBeyondTheSlotsOfAnSmTracksOfTheirOwn) {
  const KsrId ksr{1};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 3));
  for (std::uint64_t block = 0; block < 64; ++block)
    observer_->block_issued(Cycle{10 + block}, SmId{1}, ksr, BlockId{block});
  observer_->block_done(Cycle{100}, SmId{1}, ksr, BlockId{63}, {});
  observer_->block_issued(Cycle{101}, SmId{1}, ksr, BlockId{64});
  for (std::uint64_t block = 0; block < 63; ++block)
    observer_->block_done(Cycle{110 + block}, SmId{1}, ksr, BlockId{block}, {});
  observer_->block_done(Cycle{180}, SmId{1}, ksr, BlockId{64}, {});
  const Trace trace = read();
  std::map<std::string, int> expected;
  for (int slot = 0; slot < 64; ++slot) expected["SM 1 slot " + std::to_string(slot)] = slot == 63 ? 2 : 1;
  EXPECT_EQ(slices_by_track(trace), expected);
}

TEST_F(TimelineOfARun, RefusesTheEndOfABlockThatNeverBegan) {
  EXPECT_THROW(observer_->block_done(Cycle{20}, SmId{0}, KsrId{1}, BlockId{5}, {}), InvariantError);
}

TEST_F(TimelineOfARun, ShowsEachBlockOnASlotOfItsSmUnderItsKernelsName) {
  const KsrId ksr{1};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 3));
  observer_->block_issued(Cycle{10}, SmId{1}, ksr, BlockId{0});
  observer_->block_issued(Cycle{11}, SmId{1}, ksr, BlockId{1});
  observer_->block_done(Cycle{20}, SmId{1}, ksr, BlockId{1}, {});
  observer_->block_issued(Cycle{21}, SmId{1}, ksr, BlockId{2});
  observer_->block_done(Cycle{30}, SmId{1}, ksr, BlockId{0}, {});
  observer_->block_done(Cycle{31}, SmId{1}, ksr, BlockId{2}, {});
  observer_->kernel_event(Cycle{31}, KernelEvent::kEnded, ksr, launch(0, 3));
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "SM 1 slot 0", "app0: kernel3"), (Spans{{20, 60}}));
  EXPECT_EQ(slices(trace, "SM 1 slot 1", "app0: kernel3"), (Spans{{22, 40}, {42, 62}}));
  EXPECT_EQ(slices(trace, "KSR 1", "app0: kernel3"), (Spans{{2, 62}}));
}

TEST_F(TimelineOfARun, HasTheSlicesOfItsLevelAndOfThoseBefore) {
  using Count = std::map<std::string, int>;
  const Count kernels{{"KSR 1", 1}, {"host to device", 1}};
  Count sms = kernels;
  for (const char* sm : {"SM 0", "SM 1"})
    for (const char* kind : {" kernels", " hand-over"}) sms[std::string(sm) + kind] = 1;
  Count blocks = sms;
  blocks["SM 0 slot 0"] = blocks["SM 1 slot 0"] = blocks["SM 1 slot 1"] = 1;
  const std::pair<TimelineDetail, Count> levels[] = {
      {TimelineDetail::kKernels, kernels}, {TimelineDetail::kSms, sms}, {TimelineDetail::kBlocks, blocks}};
  for (const auto& [detail, expected] : levels) {
    std::ostringstream out;
    Timeline timeline(out);
    observe(detail, timeline);
    run_a_kernel();
    timeline.flush();
    const Trace trace(out.str());
    EXPECT_EQ(slices_by_track(trace), expected) << static_cast<int>(detail);
    const bool has_counters = std::any_of(trace.events.begin(), trace.events.end(),
                                          [](const Event& event) { return event.type == trace::kCounter; });
    EXPECT_EQ(has_counters, detail == TimelineDetail::kBlocks);
  }
}

TEST_F(TimelineOfARun, SaysWhichLaunchBlockAndStreamASliceIsOf) {
  run_a_kernel();
  const Trace trace = read();
  const auto arguments_on = [&](const std::string& track) {
    return std::find_if(
               trace.events.begin(), trace.events.end(),
               [&](const Event& event) { return event.track == track && event.type == trace::kBegin; })
        ->arguments;
  };
  using Arguments = std::map<std::string, std::uint64_t>;
  const Arguments launch{{"grid", 3}, {"launch", 43}, {"stream", 7}};
  const auto with = [&launch](const std::string& name, std::uint64_t value) {
    Arguments all = launch;
    all.emplace(name, value);
    return all;
  };
  EXPECT_EQ(arguments_on("KSR 1"), with("threads_per_block", 64));
  EXPECT_EQ(arguments_on("SM 0 kernels"), with("blocks", 1));
  EXPECT_EQ(arguments_on("SM 1 kernels"), with("blocks", 2));
  EXPECT_EQ(arguments_on("SM 1 slot 1"), with("block", 2));
  EXPECT_EQ(arguments_on("host to device"), (Arguments{{"bytes", 4096}, {"stream", 5}}));
}

TEST_F(TimelineOfARun, DrawsHowLongAKernelHoldsAnSmFromTheEndOfItsSetUp) {
  run_a_kernel();
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "SM 0 kernels", "app0: kernel3"), (Spans{{18, 42}}));
  EXPECT_EQ(slices(trace, "SM 1 kernels", "app0: kernel3"), (Spans{{18, 62}}));
}

TEST_F(TimelineOfARun, CountsRunningBlocksPerSm) {
  const KsrId ksr{0};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 0));
  observer_->block_issued(Cycle{10}, SmId{0}, ksr, BlockId{0});
  observer_->block_issued(Cycle{11}, SmId{0}, ksr, BlockId{1});
  observer_->block_done(Cycle{15}, SmId{0}, ksr, BlockId{0}, {});
  std::vector<std::uint64_t> values;
  for (const Event& event : read().events)
    if (event.track == "SM 0 running blocks") values.push_back(event.fields.number(30));
  EXPECT_EQ(values, (std::vector<std::uint64_t>{1, 2, 1}));
}

TEST_F(TimelineOfARun, DoesNotDrawBlocksThatAResetOfTheEngineHasDropped) {
  const KsrId ksr{0};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 0));
  observer_->block_issued(Cycle{10}, SmId{0}, ksr, BlockId{0});
  // Both slots of the SM are in use.
  observer_->block_issued(Cycle{10}, SmId{0}, ksr, BlockId{1});
  observer_->engine_reset();
  observer_->kernel_event(Cycle{20}, KernelEvent::kLoaded, ksr, launch(0, 0));
  observer_->block_issued(Cycle{25}, SmId{0}, ksr, BlockId{0});
  observer_->block_done(Cycle{30}, SmId{0}, ksr, BlockId{0}, {});
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "SM 0 slot 0", "app0: kernel0"), (Spans{{50, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 slot 1", "app0: kernel0"), (Spans{}));
}

TEST_F(TimelineOfARun, DrawsWhatIsInFlightWhenTheRunEndsUntilThen) {
  const KsrId leaving{0};
  const KsrId coming{1};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, leaving, launch(0, 0));
  observer_->slice_event(Cycle{2}, SliceEvent::kSetUp, SmId{0}, leaving);
  observer_->slice_event(Cycle{5}, SliceEvent::kRunning, SmId{0}, leaving);
  observer_->block_issued(Cycle{10}, SmId{0}, leaving, BlockId{0});
  observer_->kernel_event(Cycle{12}, KernelEvent::kLoaded, coming, launch(1, 1));
  observer_->slice_event(Cycle{15}, SliceEvent::kLeaving, SmId{0}, leaving);
  observer_->slice_event(Cycle{20}, SliceEvent::kSetUp, SmId{1}, coming);
  observer_->run_ended(Cycle{30});
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "KSR 0", "app0: kernel0"), (Spans{{2, 60}}));
  EXPECT_EQ(slices(trace, "KSR 1", "app1: kernel1"), (Spans{{24, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 kernels", "app0: kernel0"), (Spans{{10, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 slot 0", "app0: kernel0"), (Spans{{20, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 hand-over", "drain"), (Spans{{30, 60}}));
  EXPECT_EQ(slices(trace, "SM 1 hand-over", "set-up"), (Spans{{40, 60}}));
}

TEST_F(TimelineOfARun, DrawsAnArrowFromADrainToTheSetUpItMadeWayFor) {
  observer_->slice_event(Cycle{10}, SliceEvent::kLeaving, SmId{0}, KsrId{0});
  observer_->slice_event(Cycle{10}, SliceEvent::kReserved, SmId{0}, KsrId{1});
  observer_->slice_event(Cycle{30}, SliceEvent::kFreed, SmId{0}, KsrId{0});
  observer_->slice_event(Cycle{30}, SliceEvent::kSetUp, SmId{0}, KsrId{1});
  observer_->slice_event(Cycle{45}, SliceEvent::kRunning, SmId{0}, KsrId{1});
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "SM 0 hand-over", "drain"), (Spans{{20, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 hand-over", "set-up"), (Spans{{60, 90}}));
  const auto begin_of = [&](const std::string& name) {
    return *std::find_if(trace.events.begin(), trace.events.end(), [&](const Event& event) {
      return event.type == trace::kBegin && event.name == name;
    });
  };
  const std::uint64_t flow = begin_of("drain").fields.number(47);
  EXPECT_NE(flow, 0U);
  EXPECT_EQ(begin_of("set-up").fields.number(48), flow);  // the arrow ends here
}

TEST_F(TimelineOfARun, DrawsABlockThatWasInSwapSpaceInPieces) {
  const KsrId ksr{1};
  observer_->kernel_event(Cycle{1}, KernelEvent::kLoaded, ksr, launch(0, 3));
  observer_->block_issued(Cycle{10}, SmId{1}, ksr, BlockId{0});
  observer_->slice_event(Cycle{20}, SliceEvent::kLeaving, SmId{1}, ksr);
  observer_->block_saved(Cycle{30}, SmId{1}, ksr, BlockId{0});
  observer_->slice_event(Cycle{30}, SliceEvent::kFreed, SmId{1}, ksr);
  observer_->block_resumed(Cycle{50}, SmId{0}, ksr, BlockId{0});
  observer_->block_done(Cycle{60}, SmId{0}, ksr, BlockId{0}, {});
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "SM 1 slot 0", "app0: kernel3"), (Spans{{20, 60}}));
  EXPECT_EQ(slices(trace, "SM 0 slot 0", "app0: kernel3"), (Spans{{100, 120}}));
  EXPECT_EQ(slices(trace, "SM 1 hand-over", "switch"), (Spans{{40, 60}}));
}

TEST_F(TimelineOfARun, GivesCopiesThatOverlapLanesOfTheirOwn) {
  Transfer transfer;
  transfer.context = ContextId{0};
  transfer.direction = Direction::kUp;
  observer_->transferred(Cycle{10}, Cycle{20}, transfer);
  transfer.context = ContextId{1};
  observer_->transferred(Cycle{15}, Cycle{30}, transfer);
  transfer.direction = Direction::kDown;
  observer_->transferred(Cycle{16}, Cycle{18}, transfer);
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "host to device", "app0"), (Spans{{40, 80}}));
  EXPECT_EQ(slices(trace, "host to device 2", "app1"), (Spans{{60, 120}}));
  EXPECT_EQ(slices(trace, "device to host", "app1"), (Spans{{64, 72}}));
}

TEST_F(TimelineOfARun, DrawsCopiesAndFillsWithinTheDeviceApart) {
  Transfer transfer;
  transfer.context = ContextId{0};
  transfer.direction = Direction::kAcross;
  observer_->transferred(Cycle{10}, Cycle{20}, transfer);
  transfer.direction = Direction::kFill;
  observer_->transferred(Cycle{20}, Cycle{30}, transfer);
  const Trace trace = read();
  EXPECT_EQ(slices(trace, "within the device", "app0"), (Spans{{40, 80}, {80, 120}}));
}

}  // namespace
}  // namespace heddle
