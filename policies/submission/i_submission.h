#pragma once
// Decision `submission`: which command of the host processes goes to the hardware queues next, and how many
// blocks of a launch.
//
// Commands wait in software queues, one for each stream of each process. The submitter asks when something in
// the view has changed: a process has pushed a command, a command on the GPU is complete, a priority or a
// request has changed, or the time that the policy named has come. It asks again after each command that it
// has submitted, until the policy submits none. The view is read only. Only a head that is `ready` can be
// submitted. The commands of a stream go in order, and the pieces of a launch go in order of their blocks.
// Every policy submits all commands in the end, whatever completes and comes meanwhile: with nothing on the
// GPU and a head that is ready, it submits one or names a later time. Times are picoseconds.

#include <cstdint>
#include <limits>
#include <vector>

#include "models/core/base/batch_view.h"
#include "models/core/base/ids.h"
#include "models/core/kernel/kernel.h"
#include "policies/registry.h"

namespace heddle {

// The command at the head of a software queue.
struct HeadView {
  enum class Kind : std::uint8_t { kLaunch, kTransfer, kEvent };
  Kind kind = Kind::kEvent;
  // The hardware queue has room. A wait for an event is ready when the record has been submitted. A launch
  // whose pieces run concurrently is ready when its stream has nothing on the GPU.
  bool ready = false;
  std::uint64_t arrival = 0;  // order in which processes pushed commands, over all streams
  // Of a launch:
  std::uint64_t blocks = 0;     // that are not yet submitted, 1 or more
  bool is_begun = false;        // a piece of it has been submitted
  bool may_be_cut = false;      // its blocks do not wait for each other
  std::uint64_t wave = 1;       // blocks that the whole GPU holds at once
  std::uint32_t residency = 1;  // blocks that one SM holds at once
  std::uint64_t launch_ps = 0;  // from the launch to the first block
  std::uint64_t wave_ps = 0;    // of one wave of blocks: stated or learnt; 0: not known
  KernelBound bound = KernelBound::kUnknown;
  std::uint64_t bytes = 0;           // of a transfer
  std::uint64_t launches_ahead = 0;  // launches and pieces of the same stream that are on the GPU

  std::uint64_t waves(std::uint64_t of_blocks) const {
    return of_blocks / wave + (of_blocks % wave != 0 ? 1 : 0);
  }
  // The estimated duration of so many blocks alone on the GPU; 0: not known.
  std::uint64_t duration_ps(std::uint64_t of_blocks) const {
    return wave_ps == 0 ? 0 : launch_ps + waves(of_blocks) * wave_ps;
  }
  // The SMs that the blocks which are not yet submitted fill.
  std::uint64_t sms() const { return blocks / residency + (blocks % residency != 0 ? 1 : 0); }
};

struct StreamView {
  std::uint64_t waiting = 0;  // commands in the software queue
  HeadView head;              // if `waiting` is above 0
};

// A launch or a piece on the GPU.
struct SubmittedLaunch {
  std::uint64_t blocks = 0;
  std::uint64_t sms = 0;          // that its blocks fill
  std::uint64_t duration_ps = 0;  // as estimated when it was submitted; 0: not known
  KernelBound bound = KernelBound::kUnknown;
};

struct ProcessView {
  ContextId context;
  bool open = false;  // it has started and not ended
  std::int32_t priority = 0;
  std::vector<StreamView> streams;
  std::uint64_t waiting = 0;     // commands in its software queues
  std::uint64_t waiting_ps = 0;  // estimated duration of the launches among them
  std::uint64_t in_flight = 0;   // commands submitted and not complete; a piece counts as one
  std::uint64_t launches_in_flight = 0;
  std::uint64_t in_flight_ps = 0;  // their estimated duration
  std::uint64_t in_flight_sms =
      0;                   // sum of the SMs that each launch in flight fills; it may exceed those of the GPU
  SubmittedLaunch oldest;  // of the launches in flight, if there are any
  std::uint64_t request_ps = 0;   // start of its present request; a request is one pass of its program
  std::uint64_t deadline_ps = 0;  // of its present request, absolute; 0: none
  std::uint64_t latency_ps = 0;   // of its last request that ended; 0: none has ended
  BatchView batch;                // a request of such a server is a step
};

struct SubmissionView {
  std::vector<ProcessView> processes;  // by context
  std::uint32_t sms = 0;
  std::uint64_t now_ps = 0;
};

struct SubmissionDecision {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  bool submits = false;
  std::uint32_t process = 0;
  std::uint32_t stream = 0;
  std::uint64_t blocks = 0;          // of a launch: of its next piece; 0: all that are left
  std::uint64_t ask_at_ps = kNever;  // if it submits none: the policy wants to be asked then, at the latest

  static SubmissionDecision none() { return {}; }
  static SubmissionDecision at(std::uint64_t ps) { return {false, 0, 0, 0, ps}; }
};

class Submission : public Policy {
 public:
  static constexpr const char* kDecision = "submission";
  // The host asks, and not the GPU. Without a choice commands go to the hardware queues at once.
  static bool is_asked(const GpuDescription&) { return false; }
  static constexpr const char* kFallback = "direct";

  virtual SubmissionDecision decide(const SubmissionView& view) = 0;

  // Most pieces of one launch that run concurrently, always the same. With 1 the pieces run one after the
  // other, however many of them are submitted. With more, each piece in flight takes a stream of the context
  // beside those of the program, and a context with fewer streams runs fewer pieces at once.
  virtual std::uint32_t concurrent_pieces() const { return 1; }
  // The SMs that the policy wants each context to have, after the last decision, or null: it wants no split.
  // The submitter writes them to the TOKENS registers of the contexts, where a partitioner finds them. An
  // entry of -1 leaves the register of that context alone. Always null, or never.
  virtual const std::vector<std::int32_t>* split() const { return nullptr; }
  virtual void reset() {}
};

HEDDLE_DECISION(Submission);

}  // namespace heddle
