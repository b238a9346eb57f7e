#pragma once
// SoftwareQueues has what a submission policy sees and decides about: the commands that processes have pushed
// and that are not yet on the GPU, a queue for each stream of each process, beside the SubmittedCommands. It
// is bookkeeping only; the Submitter writes commands to the rings and reads fences.
//
// A command goes to the GPU on a lane, which is a stream of the context. The first lanes are the streams of
// the program. Pieces of a launch that run concurrently have lanes of their own behind these. A whole command
// and the last of the pieces that run in order write the fence of the command. Every other piece writes a
// word of its lane, and SoftwareQueues writes the fence of a launch whose pieces run concurrently.
//
// An action of a process, such as pushing a command, takes effect after its time has passed
// (process_actions.h). Times are in picoseconds.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/core/base/growing_ring.h"
#include "models/host/host_driver.h"
#include "models/host/submission/launch_times.h"
#include "models/host/submission/process_actions.h"
#include "models/host/submission/submitted_commands.h"
#include "policies/submission/i_submission.h"

namespace heddle {

class SoftwareQueues {
 public:
  struct Spec {
    QueueSpec queues;
    LaunchTimes::Gpu gpu;
    std::uint32_t concurrent_pieces = 1;  // of one launch
  };
  // The lanes of a process whose program has so many streams.
  static std::uint32_t lanes_of(const Spec& spec, std::uint32_t streams);

  // The driver has the lanes of each process as its streams.
  SoftwareQueues(const Spec& spec, HostDriver& driver, const std::vector<const ApiProgram*>& programs);
  void reset();

  // A process pushes a command. Returns false if its queue is full: it has as many entries as a ring.
  [[nodiscard]] bool push(std::uint64_t now, Command command, bool may_be_cut);
  void set_priority(std::uint64_t now, std::uint32_t process, std::int32_t priority);
  void set_open(std::uint64_t now, std::uint32_t process, bool is_open);
  // A deadline of 0 is none.
  void begin_request(std::uint64_t now, std::uint32_t process, std::uint64_t deadline_ps,
                     const BatchView& batch = {});
  void end_request(std::uint64_t now, std::uint32_t process);

  // Takes up what processes did before `now`. Returns whether something remains, which they did at `now`.
  bool settle(std::uint64_t now);
  // Takes up the fences that the GPU has written. Returns whether a command was complete.
  struct FenceMemory {
    std::function<std::uint64_t(Address)> load;
    std::function<void(Address, std::uint64_t)> store;
  };
  bool complete(std::uint64_t now, const FenceMemory& memory);
  // Whether the ring had no room when its head was last set, and the number of commands that were taken from
  // it.
  bool is_full(std::uint32_t queue) const { return driver_.tail(queue) - heads_[queue] >= driver_.entries(); }
  void set_head(std::uint32_t queue, std::uint64_t head) { heads_[queue] = head; }
  const SubmissionView& view(std::uint64_t now);

  struct Sent {
    Command command;  // for the lane that is its stream
    bool is_piece = false;
  };
  // The decision is one that submits, over the last view().
  Sent submit(const SubmissionDecision& decision);

  std::uint32_t lanes(std::uint32_t process) const { return submitted_.lanes(process); }
  // Whether the process has set its priority, and with it its tokens, since the last call.
  bool take_share_written(std::uint32_t process) {
    return std::exchange(processes_[process].share_written, false);
  }
  bool any_actions() const { return !actions_.empty(); }  // what processes did is not all taken up
  bool any_waiting() const { return waiting_ > 0; }
  std::uint64_t waiting(std::uint32_t process) const { return view_.processes[process].waiting; }
  std::uint64_t in_flight(std::uint32_t process) const { return view_.processes[process].in_flight; }
  std::size_t processes() const { return processes_.size(); }

 private:
  struct Waiting {  // a command in a software queue
    Command command;
    bool may_be_cut = false;
    std::uint64_t arrival = 0;
    std::uint64_t estimate_ps = 0;  // of the blocks that are left
    std::uint64_t sent_blocks = 0;
    std::uint32_t cut = 0;
    bool is_concurrent = false;  // its pieces have lanes of their own
  };
  struct Stream {
    GrowingRing<Waiting> queue;
    std::uint64_t held = 0;         // commands in the queue and pushed ones that are not taken up
    std::uint64_t launches = 0;     // launches and pieces that are submitted and not complete
    std::uint64_t concurrent = 0;   // pieces of a launch on lanes of their own
    bool is_cut = false;            // a launch runs as such pieces, and what follows it waits
    bool all_sent = false;          // all pieces of that launch are submitted
    std::uint64_t fence_value = 0;  // of that launch
  };
  struct Process {
    std::vector<Stream> streams;
    std::vector<std::uint64_t> recorded;  // by event: the highest record that was submitted
    std::uint32_t cuts = 0;
    bool share_written = false;
  };

  void take(const ProcessAction& action);
  void take_command(const ProcessAction& action);
  void set_head_view(std::uint32_t process, std::uint32_t stream);
  bool is_ready(std::uint32_t process, std::uint32_t stream, const Waiting& head) const;
  bool may_run_concurrently(std::uint32_t process, std::uint32_t stream) const;
  // Returns a lane for a concurrent piece, or the number of lanes.
  std::uint32_t free_lane(std::uint32_t process) const {
    return submitted_.free_lane(process, static_cast<std::uint32_t>(processes_[process].streams.size()));
  }
  bool has_room(std::uint32_t process, std::uint32_t lane) const;
  Sent next_piece(std::uint32_t process, std::uint32_t stream, std::uint64_t blocks);
  Sent cut(std::uint32_t process, std::uint32_t stream, std::uint64_t blocks);
  void add_submitted(std::uint32_t process, std::uint32_t stream, const Sent& sent);
  void complete_command(std::uint32_t process, const SubmittedCommands::Entry& entry, std::uint64_t took_ps);
  void complete_piece(std::uint32_t process, std::uint32_t stream, const FenceMemory& memory);

  const Spec spec_;
  HostDriver& driver_;
  LaunchTimes times_;
  std::vector<std::vector<KernelBound>> bounds_;  // by process and tag
  std::vector<Process> processes_;
  SubmittedCommands submitted_;
  std::vector<std::uint64_t> heads_;  // by queue, as last read
  ProcessActions actions_;
  SubmissionView view_;
  std::uint64_t waiting_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace heddle
