#pragma once
// ProcessStreams has the streams of a host process as its thread uses them: it submits commands, and waits
// for streams as a CPU does, on the fence in system memory that the GPU writes.

#include <cstdint>
#include <vector>

#include "models/host/host_driver.h"
#include "models/host/host_spec.h"
#include "models/host/process/core_share.h"
#include "models/host/ring_writer.h"
#include "models/host/system_memory.h"

namespace heddle {

class Submitter;

class ProcessStreams {
 public:
  struct Deps {
    HostDriver& driver;
    SystemMemory& system_memory;
    sc_core::sc_event& ring_released;  // shared by the processes of a machine: a ring has been released
    Submitter* submitter;  // takes the commands of the process; null: it writes to the rings itself
    HostWait host_wait;
    HostBus& bus;
    HostThread& thread;
    CoreShare& core;
    ProcessWait& waiting;
  };
  ProcessStreams(std::uint32_t process, std::size_t streams, Deps deps);

  void open();  // watches the words that the process waits on
  // Submits the command to its stream, and returns when the GPU or the submitter has it.
  void submit(Command command, bool may_be_cut);
  // They return when what was submitted before is complete, and whether the process had to wait for it. They
  // throw std::runtime_error if the GPU has halted the queue.
  bool wait_for(std::uint32_t stream);
  bool wait_for_all();
  void reset();

 private:
  void submit_to_submitter(const Command& command, bool may_be_cut);
  void write_to_ring(Command& command);
  void await_fence();

  const std::uint32_t process_;
  const Deps deps_;
  RingWriter rings_;
  sc_core::sc_event fenced_;
  const HostThread::Events ring_released_;
  const HostThread::Events room_;
  const CoreShare::Wake fence_;
  std::vector<std::uint64_t> issued_;  // by stream: its commands, which is the fence value of the last one
};

}  // namespace heddle
