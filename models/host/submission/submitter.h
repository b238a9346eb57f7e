#pragma once
// A Submitter decides by a submission policy when the commands of all host processes go to the rings: it is
// the part of a driver, or of a daemon beside it, that schedules. Processes push commands into its software
// queues and go on at once. It writes descriptors and doorbells, and learns from fences in system memory what
// is complete, as a driver does. It has a core of its own; each decision takes
// HostSpec::submission_latency_ps of it. A machine with the policy `direct` has none.

#include <functional>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "models/host/host_driver.h"
#include "models/host/host_spec.h"
#include "models/host/host_thread.h"
#include "models/host/ring_writer.h"
#include "models/host/submission/software_queues.h"
#include "models/host/system_memory.h"
#include "models/host/tlm_bus.h"
#include "models/stats/group.h"

namespace heddle {

class Submitter : public sc_core::sc_module {
 public:
  struct Deps {
    HostDriver& driver;
    SystemMemory& system_memory;
    sc_core::sc_event& ring_released;  // notified when a software queue has room again
    std::function<void(const std::string& message)> failed;
    const HostSpec& host;
  };
  Submitter(sc_core::sc_module_name name, const SoftwareQueues::Spec& spec,
            std::unique_ptr<Submission> policy, const std::vector<const ApiProgram*>& programs, Deps deps);

  tlm::tlm_initiator_socket<> mmio{"mmio"};
  tlm::tlm_initiator_socket<> memory{"memory"};

  // Everything that waits is forgotten. The call is made while no process runs, and the driver and both
  // memories are reset as well.
  void reset();

  // Processes call these. push() returns false if the software queue of the stream is full.
  [[nodiscard]] bool push(const Command& command, bool may_be_cut);
  void set_priority(std::uint32_t process, std::int32_t priority);
  void set_open(std::uint32_t process, bool is_open);
  // The deadline is absolute; 0: none.
  void begin_request(std::uint32_t process, std::uint64_t deadline_ps, const BatchView& batch);
  void end_request(std::uint32_t process);

  bool idle() const { return !queues_.any_waiting(); }
  // What waits for the policy, for a report: "the submitter holds 3 commands of a"; empty if nothing does.
  std::string waiting(const std::vector<std::string>& names) const;
  Group& stats() { return stats_; }

 private:
  void run();
  void serve();
  void watch();
  bool decide();
  void write(const SoftwareQueues::Sent& sent);
  bool write_split();
  void read_heads();
  static std::uint64_t now();

  const Deps deps_;
  const std::uint32_t queue_count_;
  HostThread thread_;
  TlmBus bus_;
  RingWriter rings_;
  std::unique_ptr<Submission> policy_;
  SoftwareQueues queues_;
  const SoftwareQueues::FenceMemory fences_;
  sc_core::sc_event pushed_;
  sc_core::sc_event written_;  // a fence or the head of a ring
  const HostThread::Events changed_;
  std::uint64_t ask_at_ps_ = SubmissionDecision::kNever;
  std::vector<std::int32_t> split_;  // by context, as last written; -1: the process has written since then

  Group stats_;
  Counter decisions_;
  Counter commands_;
  Counter pieces_;
  Counter splits_;
};

}  // namespace heddle
