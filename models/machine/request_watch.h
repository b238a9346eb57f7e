#pragma once
// A RequestWatch accounts the requests of the servers of a machine. It follows what the host processes, the
// dispatcher, the DMA engines and the execution engine do, and knows from that in which part of its response
// (models/host/requests/request_account.h) each server is. Pure logic.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/host/requests/server_account.h"

namespace heddle {

class RequestWatch : public Accountant,
                     public EngineObserver,
                     public CommandObserver,
                     public TransferObserver {
 public:
  struct Gpu {
    SmLimits limits;
    std::uint32_t sms = 1;
    std::uint32_t ksrs = 1;
    std::uint32_t copy_engines = 1;
  };
  // `servers` says of each process, which is the context of the same number, whether it has requests. `now`
  // returns the present time in picoseconds.
  RequestWatch(const Gpu& gpu, const std::vector<bool>& servers, std::function<std::uint64_t()> now);

  void reset();

  void waits_for_gpu(std::uint32_t process, bool waits) override;
  void arrived(std::uint32_t process, std::uint64_t number, std::uint64_t arrival_ps) override;
  void started(std::uint32_t process, std::uint64_t number) override;
  void passes(std::uint32_t process, std::uint64_t next_arrival_ps) override;
  const RequestAccount& ended(std::uint32_t process, std::uint64_t number) override;

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void slice_event(Cycle now, SliceEvent event, SmId sm, KsrId ksr) override;
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) override;
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work,
                     std::uint64_t cycles) override;
  void block_dropped(Cycle now, KsrId ksr, BlockId block, const SmWork& work) override;
  void shares_changed(Cycle now, const BandwidthTable& table) override;

  void waits_for_engine(Cycle now, const Command& command) override;
  void sent(Cycle now, const Command& command) override;

  void transfer_taken(Cycle now, std::uint32_t engine, const Transfer& transfer) override;
  void transfer_moves(Cycle now, std::uint32_t engine, const Transfer& transfer) override;
  void transfer_requested(Cycle now, std::uint32_t engine, const Transfer& transfer) override;
  void transferred(Cycle begin, Cycle end, const Transfer& transfer) override;

 private:
  struct Kernel {  // of a KSR
    std::uint32_t context = 0;
    std::uint64_t capacity = 0;  // blocks of it on an empty GPU
    std::uint64_t unissued = 0;
    std::uint64_t running = 0;
    std::uint32_t sms = 0;  // that hold a slice of it
  };
  struct Copy {  // a transfer in a DMA engine
    std::uint64_t number = 0;
    std::uint32_t context = 0;
    std::uint32_t engine = 0;
    bool is_requested = false;  // the engine only waits for the answers of its bursts
  };
  struct Engine {
    std::optional<std::uint64_t> moves;  // the transfer of the last burst
    std::uint32_t context = 0;           // whose it is
  };
  struct Server {
    std::optional<ServerAccount> account;  // none: the process has no requests
    bool waits_for_gpu = false;
    std::uint32_t launches_back = 0;  // commands that wait for room in the execution engine
    std::uint32_t copies_back = 0;    // and in a DMA engine
    std::uint32_t copies_engine = 0;  // the last of these
  };

  // Calls `change`, and accounts what the servers do under what holds before and after it.
  template <class Change>
  void apply(Change change);
  ServerState state_of(std::uint32_t process) const;
  std::optional<ServerState> on_sms(std::uint32_t process) const;
  std::optional<ServerState> on_engines(std::uint32_t process) const;
  std::uint32_t other_on_sms(std::uint32_t process) const;
  void deactivate(KsrId ksr);
  void come(SmId sm, KsrId ksr);
  void leave(SmId sm, KsrId ksr);
  std::uint32_t& blocks_on(SmId sm, std::uint32_t context);

  const Gpu gpu_;
  const std::function<std::uint64_t()> now_;
  std::vector<Server> servers_;        // by process
  std::vector<Kernel> kernels_;        // by KSR
  std::vector<std::uint32_t> rates_;   // by KSR: the share of the bandwidth that its blocks ask for
  std::vector<bool> holds_;            // by SM and KSR: a slice has been set up there and has not left
  std::vector<std::uint32_t> blocks_;  // by SM and context
  std::vector<std::uint32_t> sms_of_;  // by context: SMs with a block of it
  std::vector<std::vector<std::uint32_t>> active_;  // by context: KSRs of its active kernels
  std::vector<Copy> copies_;                        // in the order in which the engines took them
  std::vector<Engine> engines_;
};

}  // namespace heddle
