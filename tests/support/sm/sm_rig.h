#pragma once
// An SM core alone, with the numbers of the GTX 480, programs written by hand and a memory of fixed latency.
// It needs no SystemC.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/sm/collector/collector_pipeline.h"
#include "models/sm/sm_core.h"

namespace heddle::test {

// One instruction of a warp, with its active mask and its addresses.
struct ScriptedInstruction {
  Instruction code;
  std::uint32_t mask = ~0u;
  std::vector<Address> addresses;  // by lane; a single address holds for every lane
  bool redirected = false;
  bool ends = false;  // the warp, though instructions follow in its code
};

inline ScriptedInstruction alu(Operation operation, const std::vector<RegisterId>& destinations,
                               const std::vector<RegisterId>& sources) {
  ScriptedInstruction scripted;
  scripted.code.operation = operation;
  for (const RegisterId id : destinations) scripted.code.writes(id);
  for (const RegisterId id : sources) scripted.code.reads(id);
  return scripted;
}

inline ScriptedInstruction memory(Operation operation, MemorySpace space,
                                  const std::vector<RegisterId>& destinations,
                                  const std::vector<RegisterId>& sources, std::vector<Address> addresses,
                                  std::uint8_t bytes = 4) {
  ScriptedInstruction scripted = alu(operation, destinations, sources);
  scripted.code.space = space;
  scripted.code.bytes = bytes;
  scripted.addresses = std::move(addresses);
  return scripted;
}

// A warp that loads, computes, stores and waits at a barrier in turn. Each of the divisions takes 145 cycles.
inline std::vector<ScriptedInstruction> long_warp(std::uint32_t turns = 50, std::uint32_t divisions = 0) {
  std::vector<ScriptedInstruction> warp;
  for (std::uint32_t i = 0; i < turns; ++i) {
    warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {1}, {}, {Address{i} * 4096}));
    warp.push_back(alu(Operation::kFloatFma, {2}, {1, 2}));
    warp.push_back(memory(Operation::kStore, MemorySpace::kGlobal, {}, {2}, {Address{i} * 4096}));
    for (std::uint32_t n = 0; n < divisions; ++n) warp.push_back(alu(Operation::kIntDiv, {2}, {2}));
    warp.push_back(alu(Operation::kBarrier, {}, {}));
  }
  return warp;
}

// A kernel in which every block runs the same warps.
class ScriptedProgram : public KernelProgram {
 public:
  explicit ScriptedProgram(std::vector<std::vector<ScriptedInstruction>> warps) : warps_(std::move(warps)) {
    for (auto& warp : warps_) {
      std::uint32_t pc = 0;
      for (ScriptedInstruction& instruction : warp) {
        instruction.code.pc = pc;
        pc += 8;
      }
    }
  }
  BlockStream& start(BlockId) override {
    streams_.push_back(std::make_unique<Stream>(*this));
    return *streams_.back();
  }
  void finish(BlockStream& stream) override {
    ++finished_;
    static_cast<Stream&>(stream).end();
  }
  std::uint32_t finished() const { return finished_; }
  std::optional<std::uint32_t> live_bytes;  // what BlockStream::live_register_bytes() returns for each warp

 protected:
  // The program's streams call this function whenever a warp issues an instruction. A derived class may
  // change `issued`, for example to replace the instruction that the SM sees.
  virtual void on_issue(std::uint32_t /*warp*/, IssuedInstruction& /*issued*/) {}
  // These three are what BlockStream's functions of the same names do.
  virtual bool waits(std::uint32_t /*warp*/) { return false; }
  virtual const std::vector<BulkCopy>& bulk_copies() const { return no_copies_; }
  virtual void complete(std::uint64_t /*number*/) {}
  virtual void receive(const ClusterMessage& /*signal*/) {}
  std::vector<ClusterMessage> messages_;  // that BlockStream::cluster_messages() returns

 private:
  class Stream : public BlockStream {
   public:
    explicit Stream(ScriptedProgram& program)
        : program_(program), warps_(program.warps_), next_(warps_.size()) {}
    void end() { is_over_ = true; }
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      EXPECT_FALSE(is_over_) << "the program may use the stream for another block";
      const std::size_t at = next_[warp] + ahead;
      return at < warps_[warp].size() ? &warps_[warp][at].code : nullptr;
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      const ScriptedInstruction& scripted = warps_[warp][next_[warp]++];
      issued.code = &scripted.code;
      issued.mask = scripted.mask;
      issued.redirected = scripted.redirected;
      issued.ended = scripted.ends || next_[warp] == warps_[warp].size();
      for (std::size_t lane = 0; lane < kLanes && !scripted.addresses.empty(); ++lane)
        issued.addresses[lane] = scripted.addresses[scripted.addresses.size() == 1 ? 0 : lane];
      program_.on_issue(warp, issued);
    }
    std::optional<std::uint32_t> live_register_bytes(std::uint32_t) const override {
      return program_.live_bytes;
    }
    bool waits(std::uint32_t warp) override { return program_.waits(warp); }
    const std::vector<BulkCopy>& bulk_copies() const override { return program_.bulk_copies(); }
    void complete(std::uint64_t number) override { program_.complete(number); }
    const std::vector<ClusterMessage>& cluster_messages() const override { return program_.messages_; }
    void receive(const ClusterMessage& signal) override { program_.receive(signal); }

   private:
    ScriptedProgram& program_;
    const std::vector<std::vector<ScriptedInstruction>>& warps_;
    std::vector<std::size_t> next_;
    bool is_over_ = false;
  };
  std::vector<std::vector<ScriptedInstruction>> warps_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::uint32_t finished_ = 0;
  const std::vector<BulkCopy> no_copies_;
};

// What the pipeline of an SM of that GPU knows of its warps.
inline const IssueTable& collector_table(const SmCore& core) {
  return dynamic_cast<const CollectorPipeline&>(core.pipeline()).table();
}

CycleSmSpec gtx480_sm();
CycleSmSpec gtx480_sm_with_stalls();  // of kernels
SmLimits gtx480_limits();

class SmRig : public MemoryRequestPort, public SmListener {
 public:
  explicit SmRig(const CycleSmSpec& spec = gtx480_sm(), std::uint64_t memory_latency = 100,
                 const PolicyChoice& scheduler = {"gto", {}},
                 std::unique_ptr<ResourceManager> manager = nullptr)
      : SmRig(spec, manager ? manager->limits(gtx480_limits()) : gtx480_limits(), memory_latency, scheduler,
              std::move(manager)) {}
  SmRig(const CycleSmSpec& spec, const SmLimits& limits, std::uint64_t memory_latency = 100,
        const PolicyChoice& scheduler = {"gto", {}}, std::unique_ptr<ResourceManager> manager = nullptr)
      : latency_(memory_latency),
        spec_(spec),
        limits_(limits),
        core_("sm", spec_, limits_, 0, 15, 4,
              SmCore::Deps{*this, *this, meter_, policies(spec, scheduler), std::move(manager)}, stats_) {}

  SmCore& core() { return core_; }
  InstructionMeter& meter() { return meter_; }
  const Group& stats() const { return stats_; }
  // Sets the kernel up in this KSR and starts `blocks` blocks of `warps` warps each. The kernel is of the
  // context with the number of the KSR, and has the tag of that number unless another one is given.
  void launch(KernelProgram& program, std::uint32_t warps, std::uint32_t ksr = 0, std::uint32_t blocks = 1,
              std::optional<std::uint32_t> tag = std::nullopt) {
    KernelLaunch launch;
    launch.context = ContextId{ksr};
    launch.tag = tag.value_or(ksr);
    launch.account = AccountId{launch.tag};
    launch.blocks = blocks;
    launch.shape = {warps * kLanes, 16, shared_bytes, carve_out};
    core_.residence().set_kernel(KsrId{ksr}, launch, program);
    for (std::uint32_t i = 0; i < blocks; ++i) core_.residence().start(KsrId{ksr}, BlockId{i}, now_, cluster);
    to_do_ += blocks;
  }
  // Goes on with a block that was saved. Its kernel is set up.
  void go_on(std::uint32_t ksr, BlockId block, const SavedBlock& saved_block) {
    core_.residence().go_on(KsrId{ksr}, block, saved_block, now_);
    ++to_do_;
  }
  // Saves a block to this area of swap space. It has left when `saved` has it, with this state.
  void save(std::uint32_t ksr, BlockId block, std::uint32_t area = 0) {
    core_.residence().save(KsrId{ksr}, block, area, now_);
  }
  const SavedBlock& state(BlockId block) const { return *states_.at(block.value); }
  // Runs until all blocks have ended or have been saved, and returns the cycle of the last tick. The core is
  // ticked when it asks to be if `sleepy` is true, and in every cycle otherwise.
  std::uint64_t run(bool sleepy = true, std::uint64_t limit = 1000000);

  std::vector<MemoryRequest> requests;        // in the order of sending
  std::map<std::uint64_t, std::uint64_t> at;  // the cycle of sending, by index in `requests`
  std::uint64_t ticks = 0;
  std::uint32_t shared_bytes = 0;                     // of each block that is launched from now on
  std::int32_t carve_out = BlockShape::kAnyCarveOut;  // that each such launch prefers
  std::vector<BlockId> saved;                         // blocks, in the order in which they left
  std::vector<BlockId> restored;                 // blocks, in the order in which they had their states back
  SmWork done;                                   // of the blocks that have ended
  std::function<void()> after_tick;              // called after each tick, if set
  std::shared_ptr<const ClusterPlaces> cluster;  // of each block that is launched from now on
  Cycle now() const { return now_; }
  std::uint64_t accounted();  // cycles that have a cause; now() if all have

 private:
  static std::vector<std::unique_ptr<WarpScheduler>> policies(const CycleSmSpec& spec,
                                                              const PolicyChoice& choice);
  bool can_send(Cycle) const override { return true; }
  void send(const MemoryRequest& request, Cycle) override {
    at[requests.size()] = now_.value;
    requests.push_back(request);
    if (request.kind != RequestKind::kWriteBack) answers_.emplace_back(now_ + latency_, request.number);
  }
  void block_done(KsrId, BlockId, const SmWork& work, Cycle) override {
    done += work;
    --to_do_;
  }
  void block_saved(KsrId, BlockId block, const std::shared_ptr<const SavedBlock>& state, Cycle) override {
    saved.push_back(block);
    states_[block.value] = state;
    --to_do_;
  }
  void block_restored(KsrId, BlockId block) override { restored.push_back(block); }

  std::uint64_t latency_;
  const CycleSmSpec spec_;
  const SmLimits limits_;
  InstructionMeter meter_{4};
  Group stats_{"sm"};
  SmCore core_;
  Cycle now_{1};
  std::uint32_t to_do_ = 0;
  std::deque<std::pair<Cycle, std::uint64_t>> answers_;
  std::map<std::uint64_t, std::shared_ptr<const SavedBlock>> states_;  // by block
};

}  // namespace heddle::test
