#pragma once
// A HostProcess executes an application's calls of the GPU runtime through the GPU's registers and system
// memory alone. The data of its buffers lie in system memory, where the program's script accesses them in no
// simulated time. A virtual CPU with a driver can replace a HostProcess.
//
//   interpreter   what the calls of the program mean
//   streams       commands for the GPU, and the waits for them, by way of rings or of a submitter
//   core          the CPU time of the process
//   service       the requests of a server
//
// A process with requests is a server. It opens its context and does its setup, makes passes of its program
// for its requests, and sleeps while there is none. It draws the arrivals itself, when it asks for the next
// request.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/host/api_interpreter.h"
#include "models/host/host_driver.h"
#include "models/host/host_script.h"
#include "models/host/process/core_share.h"
#include "models/host/process/host_process_spec.h"
#include "models/host/process/process_streams.h"
#include "models/host/process/start_gate.h"
#include "models/host/requests/service.h"
#include "models/host/system_memory.h"
#include "models/host/tlm_bus.h"

namespace heddle {

class Submitter;

class HostProcess : public sc_core::sc_module, private ApiHost {
 public:
  struct Deps {
    HostDriver& driver;
    SystemMemory& system_memory;
    sc_core::sc_event& ring_released;  // shared by the processes of a machine: a ring has been released
    // Called after each execution of the program, and when a server has ended.
    std::function<void(std::uint32_t process)> completed;
    std::function<void(const std::string& message)> failed;
    const SmLimits& sm;  // of the GPU: a block that does not fit is an error before its launch
    const HostSpec& host;
    HostCores& cores;
    sc_core::sc_event& cores_changed;  // shared by the processes of a machine: one takes or wants a core
    Submitter* submitter = nullptr;  // takes the commands of the process; null: it writes to the rings itself
    bool may_flush = false;  // the GPU may flush blocks: launches state whether their blocks may start over
    std::function<void(const RequestRecord& record)> recorded{};  // called when a request has ended
    Accountant* accountant = nullptr;  // of a server; null: nobody accounts its requests
    StartGate* gate = nullptr;         // that its first launch waits at; null: it does not wait
    HandOver* takes = nullptr;         // of a server: requests that another one hands over to it
    HandOver* gives = nullptr;         // of a server: takes those that it hands over
  };
  HostProcess(sc_core::sc_module_name name, const HostProcessSpec& spec, Deps deps);

  tlm::tlm_initiator_socket<> mmio{"mmio"};
  tlm::tlm_initiator_socket<> memory{"memory"};

  // The process starts again from its first call when the simulation goes on. What it waited for is
  // forgotten, its script is a new one. The call is made while no process runs, and the driver and both
  // memories are reset as well.
  void reset();

  // The context of the process has been halted, which ends its execution. The process still waits for the
  // commands that it has pushed.
  void halt();

  const HostProcessSpec& spec() const { return spec_; }
  // Executions of the program; of a server: requests served.
  std::uint64_t completions() const { return service_ ? service_->served() : state_.completions; }
  // The first execution has ended; of a server: all requests have.
  bool has_finished() const { return state_.has_finished; }
  bool is_idle() const { return waiting_.is(ProcessWait::For::kNextRequest); }  // a server without a request
  bool is_computing() const { return waiting_.is(ProcessWait::For::kCpuTime); }
  const Service* service() const { return service_.get(); }  // null before a server is ready
  // The first execution starts with its first call of the runtime (CUsched, Section IV-A). CPU phases before
  // that call take their time but are not part of the turnaround. Without such a call it starts with the
  // process.
  const sc_core::sc_time& first_start() const { return state_.first_start; }
  const sc_core::sc_time& first_end() const { return state_.first_end; }
  std::string waiting_for() const { return waiting_.text(spec_.program); }  // for a report
  std::uint64_t bytes_copied() const { return interpreter_->bytes_copied(); }
  std::uint64_t kernels_launched() const { return interpreter_->kernels_launched(); }
  HostScript* script() { return script_.get(); }  // null if its program needs none

 private:
  // The interpreter calls these.
  std::vector<Address> lay_out(const std::vector<ApiBuffer>& buffers) override;
  void read(Address address, void* to, std::uint64_t bytes) override { bus_.read(address, to, bytes); }
  void write(Address address, const void* from, std::uint64_t bytes) override {
    bus_.write(address, from, bytes);
  }
  void enter(const ApiCall& call) override;
  void compute(std::uint64_t ps) override;
  Address allocate(const ApiBuffer& buffer) override;
  void free(Address address) override { deps_.driver.free(spec_.number, address); }
  void submit(const Command& command, bool may_be_cut) override;
  void synchronise(std::uint32_t stream) override;

  void make_interpreter();
  void run() {
    thread_.run([this] { execute(); });
  }
  void execute();
  void replay();
  void serve();
  void set_up();
  void shape(const RequestValues& values);
  void pass(const ApiCursor::Range& calls);
  void clear_buffers();
  void finish();
  void open_context();
  void close_context();
  void set_page_table(Address base);
  void set_share(std::int32_t priority, std::int32_t tokens);
  void enter_runtime();
  void pass_gate();
  bool may_restart(const KernelLaunch& launch);

  const HostProcessSpec spec_;
  const Deps deps_;
  HostThread thread_;
  TlmBus bus_;
  ProcessWait waiting_;
  CoreShare core_;
  ProcessStreams streams_;
  const HostThread::Events gate_opened_;
  sc_core::sc_event handed_over_;
  const HostThread::Events request_handed_over_;
  std::unique_ptr<HostScript> script_;
  std::optional<ApiInterpreter> interpreter_;  // always there after construction
  std::unique_ptr<Service> service_;
  struct State {
    std::uint64_t completions = 0;
    bool has_finished = false;
    bool halted = false;
    bool has_context = false;  // the runtime's, since the first call of this execution
    bool has_started = false;
    bool has_passed_gate = false;  // or has come to it
    sc_core::sc_time first_start;
    sc_core::sc_time first_end;
    std::set<std::uint32_t> not_restartable;  // kernels that the log has named
  };
  State state_;
};

}  // namespace heddle
