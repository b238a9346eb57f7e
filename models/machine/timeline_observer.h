#pragma once
// A TimelineObserver draws a run for Perfetto, in one of three levels of detail. Each level has what the one
// before it has:
//
//   kKernels   kernels by KSR, copies by direction
//   kSms       kernels by SM, set-ups and hand-overs by SM, with an arrow from each hand-over to the set-up
//              that follows it
//   kBlocks    thread blocks by SM and block slot, running blocks by SM as a counter. A block that was in
//              swap space or was flushed is drawn in pieces. A resource manager may keep more blocks on an SM
//              than the SM has slots. The tracks of slots beyond those are made when a block first needs one.
//
// The number of slices of kSms grows with the launches and the SMs, that of kBlocks with the blocks.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/stats/timeline.h"

namespace heddle {

enum class TimelineDetail : std::uint8_t { kKernels, kSms, kBlocks };

class TimelineObserver final : public EngineObserver, public TransferObserver {
 public:
  struct Shape {
    TimelineDetail detail = TimelineDetail::kBlocks;
    std::string instance;  // of a split GPU, which stands before the names of tracks; empty: it is not split
    std::uint32_t sms = 0;
    std::uint32_t block_slots = 0;  // of the hardware; more blocks may be resident
    std::uint32_t ksrs = 0;
    std::function<std::uint64_t(Cycle)> core_ps;  // the time of a core cycle
    std::function<std::uint64_t(Cycle)> pcie_ps;
    std::function<std::string(ContextId)> application;
    std::function<std::string(ContextId, std::uint32_t tag)> kernel;
  };
  TimelineObserver(Timeline& timeline, const Shape& shape);

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override;
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work,
                     std::uint64_t cycles) override;
  void block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void engine_reset() override;  // Kernels, blocks, set-ups and hand-overs in flight are not drawn.
  void transferred(Cycle begin, Cycle end, const Transfer& transfer) override;
  // Draws kernels, blocks, set-ups and hand-overs in flight until `now`. Copies in flight are not drawn.
  void run_ended(Cycle now);

 private:
  struct Slot {  // the track of one resident block of an SM
    TrackId track{};
    bool taken = false;
    KsrId ksr;
    BlockId block;
    std::uint64_t begin_ps = 0;
  };
  struct Handover {  // a slice that is set up or drained on an SM
    KsrId ksr;
    std::uint64_t begin_ps = 0;
    bool switches = false;  // a block has left for swap space
    bool flushes = false;   // a block has left to start over
  };
  struct Resident {  // a kernel that has been set up on an SM
    KsrId ksr;
    std::uint64_t begin_ps = 0;
    std::uint64_t blocks = 0;  // that it has issued there, or resumed
  };
  using Lanes = std::vector<std::pair<TrackId, std::uint64_t>>;  // tracks, with the time until each is busy
  struct Unit {
    std::vector<Slot> slots;
    std::vector<Handover> setting_up;
    std::vector<Handover> leaving;
    std::vector<Resident> residents;
    std::uint64_t flow = 0;  // the arrow from the last drain, until the set-up that follows it
    TrackId parent{};
    Lanes handovers;
    Lanes kernels;
    std::uint32_t running = 0;
    TrackId running_track{};
  };
  struct Kernel {  // in a KSR
    TrackId track{};
    NameId name{};
    std::uint64_t begin_ps = 0;
    std::uint64_t launch = 0;  // its row of kernels.csv
    std::uint64_t stream = 0;
    std::uint64_t grid = 0;     // blocks
    std::uint64_t threads = 0;  // per block
    bool loaded = false;
  };
  struct Names {  // of the arguments
    ArgumentId launch, stream, grid, threads, block, blocks, bytes;
  };

  Slot& add_slot(Unit& unit, SmId sm);
  TrackId lane(Lanes& lanes, TrackId parent, const std::string& name, std::uint64_t begin_ps,
               std::uint64_t end_ps);
  static const char* way_of(const Unit& unit, KsrId ksr);  // how the slice leaves, as far as blocks have left
  static std::uint64_t finish(std::vector<Handover>& open, KsrId ksr, std::uint64_t otherwise);
  bool has(TimelineDetail detail) const { return shape_.detail >= detail; }
  void draw_kernel(Kernel& kernel, std::uint64_t end_ps);
  void draw_block(Slot& slot, std::uint64_t end_ps);
  void draw_handover(Unit& unit, SmId sm, const char* what, std::uint64_t begin_ps, std::uint64_t end_ps,
                     Flow flow);
  void draw_resident(Unit& unit, SmId sm, KsrId ksr, std::uint64_t end_ps);

  Timeline& timeline_;
  const Shape shape_;
  const Names names_;
  std::vector<Unit> units_;
  std::vector<Kernel> kernels_;
  TrackId copies_;
  std::array<Lanes, 3> ways_;  // up, down, within the device
  std::uint64_t flows_ = 0;
};

}  // namespace heddle
