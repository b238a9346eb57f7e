#pragma once
// The CycleSm puts the SM's logic (models/sm/sm_core) behind sockets: `dispatch` to the engine, which every
// SM model has, and `memory` to the crossbar. tick() takes the requests of the engine. Everything else is
// work that SMs do at the same time, except for instructions that take turns.

#include <memory>
#include <string>
#include <vector>

#include "models/core/kernel/program_library.h"
#include "models/core/link/memory_link.h"
#include "models/core/link/request_pool.h"
#include "models/sm/cluster_port.h"
#include "models/sm/sm_core.h"
#include "models/sm/sm_module.h"
#include "models/stats/group.h"

namespace heddle {

class CycleSm final : public SmModule, public Divided, private MemoryRequestPort, private SmListener {
 public:
  struct Deps {
    ClockDomain& core;
    ProgramLibrary& programs;
    InstructionMeter& meter;
    std::vector<std::unique_ptr<WarpScheduler>> schedulers;  // one for each scheduler of the spec
    std::unique_ptr<ResourceManager> manager = nullptr;      // null: see SmCore
  };
  // `spec` must outlive the SM. `number` is the number of the SM.
  CycleSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t number, std::uint32_t ksrs,
          std::uint64_t set_up_cycles, Deps deps);

  LinkInitiator& memory() { return memory_; }
  // The socket to the network between the SMs of the GPC; there is one if SmSpec::cluster says so.
  RequestSocket<ClusterTransfer, ClusterDelivery>& cluster() { return cluster_->socket; }

  void reset() override;
  void tick(Cycle now) override;
  Cycle work(Cycle now) override;
  Cycle finish(Cycle now) override;
  bool idle() const override {
    return !waiting() && logic_.idle() && requests_.in_use() == 0 && (!cluster_ || cluster_->idle());
  }
  void update_stats(Cycle now) override;

  // Grows with every instruction that is issued and every load, store and atomic that is answered, but not
  // with fetches, which can repeat for ever.
  std::uint64_t progress() const { return logic_.pipeline().issued() + answered_; }
  std::string waiting_for() const;

  // Counters and accounts are as of the last update_stats().
  SmCore& logic() { return logic_; }
  const SmCore& logic() const { return logic_; }

 private:
  void set_up(const Program& program, KsrId ksr) override;
  void start(KsrId ksr, BlockId block, const std::shared_ptr<const ClusterPlaces>& cluster,
             Cycle now) override {
    logic_.residence().start(ksr, block, now, cluster);
  }
  void save(KsrId ksr, BlockId block, std::uint32_t area, Cycle now) override {
    logic_.residence().save(ksr, block, area, now);
  }
  void go_on(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved, Cycle now) override {
    logic_.residence().go_on(ksr, block, *saved, now);
  }
  void flush(KsrId ksr, BlockId block, Cycle now) override { logic_.residence().flush(ksr, block, now); }
  void halt(KsrId ksr, Cycle now) override { logic_.residence().halt(ksr, now); }
  void limit(KsrId ksr, std::uint32_t blocks, Cycle) override { logic_.residence().limit(ksr, blocks); }
  bool counts_stalls() const override { return logic_.kernel_accounts().on(); }
  KernelStalls stalls_of(KsrId ksr) const override { return logic_.kernel_accounts().stalls(ksr); }
  KernelCounts counts_of(KsrId ksr) const override { return logic_.residence().work().of(ksr); }
  CycleTotals cycles_until(Cycle now) override;
  bool can_send(Cycle now) const override { return memory_.can_send(now); }
  void send(const MemoryRequest& request, Cycle now) override;
  void block_done(KsrId ksr, BlockId block, const SmWork& work, Cycle now) override {
    SmModule::block_done(ksr, block, work, now);
  }
  void block_saved(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
                   Cycle now) override {
    SmModule::block_saved(ksr, block, saved, now);
  }
  void block_flushed(KsrId ksr, BlockId block, const SmWork& work, Cycle now) override {
    SmModule::block_flushed(ksr, block, work, now);
  }
  void block_restored(KsrId ksr, BlockId block) override { SmModule::block_restored(ksr, block); }
  void warp_done() override { SmModule::warp_done(); }
  void room_changed(KsrId ksr, std::uint64_t room) override { SmModule::room_changed(ksr, room); }
  void resources_changed(std::uint32_t registers, std::uint32_t shared_bytes, Cycle now) override {
    SmModule::resources_changed(registers, shared_bytes, now);
  }
  void take_answers(Cycle now);
  void take_transfers(Cycle now);
  void tell_next_request(Cycle now);
  Cycle next_tick(Cycle next, Cycle now) const;

  const SmId number_;
  ProgramLibrary& library_;
  const ClockDomain::Sleeper work_;
  LinkInitiator memory_;
  RequestPool<> requests_;
  std::unique_ptr<ClusterPort> cluster_;  // null: there is no network between SMs
  std::uint64_t answered_ = 0;            // requests other than fetches
  SmCore logic_;
};

}  // namespace heddle
