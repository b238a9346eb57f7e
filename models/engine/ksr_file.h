#pragma once
// The KsrFile has the kernel status registers and the active queue (CUsched, Sections II-B, III-A, III-C).

#include <optional>
#include <vector>

#include "models/core/base/ring.h"
#include "models/core/kernel/kernel.h"
#include "models/engine/saved_blocks.h"

namespace heddle {

struct Ksr {
  enum class State : std::uint8_t {
    kFree,
    kLaunching,  // loaded, until the launch latency is over
    kActive,     // in the active queue
    kEnded,      // its last block is done, and slices of it still have to leave
  };
  State state = State::kFree;
  KernelLaunch launch;                   // with the id of its context
  BlockResources need;                   // of one block
  std::uint32_t residency = 0;           // blocks on one empty SM
  std::uint32_t most = kAnyBlocks;       // blocks on one SM, by the carve-out that the program prefers
  std::uint64_t arrival = 0;             // order of entry into the active queue
  std::uint64_t issued = 0;              // blocks; one that comes back is not counted again
  std::uint64_t done = 0;                // blocks
  SavedBlocks saved;                     // the blocks that have begun and are on no SM
  std::uint64_t ended_cycles = 0;        // of those, core cycles from issue to end, summed
  std::uint64_t ended_instructions = 0;  // of those, warp instructions; 0 on timed SMs
  std::uint32_t slices = 0;              // SMSR entries of the kernel
  Cycle active_at;                       // when the launch latency is over

  // Blocks that wait for an SM, those that have begun, and those on SMs.
  std::uint64_t unissued() const { return launch.blocks - issued + saved.size(); }
  std::uint64_t begun() const { return issued - done; }
  std::uint64_t running() const { return begun() - saved.size(); }
};

class KsrFile {
 public:
  explicit KsrFile(std::size_t count) : registers_(count), launching_(count) {}

  std::size_t size() const { return registers_.size(); }
  Ksr& operator[](KsrId id) { return registers_[id.value]; }
  const Ksr& operator[](KsrId id) const { return registers_[id.value]; }

  std::optional<KsrId> free() const;  // the free KSR with the lowest number
  KsrId load(const KernelLaunch& launch, const SmLimits& limits, Cycle active_at);

  // The account of a launch may be given to another one. The launch has ended.
  void close(AccountId account) { free_accounts_.push_back(account); }

  // Moves the next kernel whose launch latency is over into the active queue, and returns it if there is one.
  std::optional<KsrId> activate(Cycle now);
  Cycle next_activation() const;

  void end(KsrId id);               // removes the kernel from the active queue
  void release_if_empty(KsrId id);  // frees the KSR if its kernel has ended and has no slice

  // The active queue: indices of busy KSRs in order of arrival.
  const std::vector<KsrId>& active() const { return active_; }
  bool empty() const;  // whether no kernel is resident
  void reset();        // Every KSR is free afterwards.

 private:
  AccountId take_account();

  std::vector<Ksr> registers_;
  Ring<KsrId> launching_;
  std::vector<KsrId> active_;
  std::uint64_t arrivals_ = 0;
  std::size_t busy_ = 0;
  std::uint32_t accounts_ = 0;  // given so far
  std::vector<AccountId> free_accounts_;
};

}  // namespace heddle
