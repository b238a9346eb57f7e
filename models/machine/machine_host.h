#pragma once
// A MachineHost is the host of a machine: system memory, and the host processes with what they share, which
// are the driver, the cores of the CPU, the gate of their first launches, and the submitter.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/engine/kernel_log.h"
#include "models/gpu/gpu.h"
#include "models/host/process/host_process.h"
#include "models/machine/machine_spec.h"

namespace heddle {

class Submitter;

class MachineHost {
 public:
  struct Deps {  // see HostProcess
    Gpu& gpu;
    Accountant* accountant = nullptr;  // of all servers
    std::function<void(std::uint32_t process)> completed;
    std::function<void(const std::string& message)> failed;
    std::function<void(const RequestRecord& record)> recorded;
  };
  // Binds the sockets of the GPU. The processes are constructed in reverse order if `is_reversed` is set.
  MachineHost(const MachineSpec& spec, bool is_reversed, Deps deps);
  ~MachineHost();

  // Every process starts again. The call is made while no process runs, and the GPU is reset as well.
  void reset();

  std::size_t processes() const { return processes_.size(); }
  HostProcess& process(std::size_t number) { return *processes_[number]; }
  const HostProcess& process(std::size_t number) const { return *processes_[number]; }
  Submitter* submitter() { return submitter_.get(); }  // null: processes write to the rings themselves
  std::string waiting(const KernelLog& log) const;     // what the unfinished processes wait for, for a report

 private:
  void make_submitter();
  void make_hand_overs();
  HandOver* hand_over_from(std::uint32_t process) const;
  void make_process(std::size_t number);

  const MachineSpec& spec_;
  const Deps deps_;
  SystemMemory memory_;
  HostDriver driver_;
  HostCores cores_;
  sc_core::sc_event ring_released_;
  sc_core::sc_event cores_changed_;
  std::unique_ptr<StartGate> gate_;  // null: no process waits for others with its first launch
  std::unique_ptr<Submitter> submitter_;
  std::vector<std::unique_ptr<HandOver>> hand_overs_;  // by the process that takes requests over; null: none
  std::vector<std::unique_ptr<HostProcess>> processes_;
};

}  // namespace heddle
