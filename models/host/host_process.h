#pragma once
// A HostProcess replays an application's calls of the GPU runtime through the GPU's registers and system
// memory alone. It waits as a CPU does, on a cache line of system memory that the GPU writes. The data of its
// buffers lie in system memory, where the program's script accesses them in no simulated time. A virtual CPU
// with a driver can replace a HostProcess.
//
// A process with requests is a server. It opens its context and does its setup, serves one request after the
// other, and sleeps while there is none. It draws the arrivals itself, when it looks for the next request.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/host/api_cursor.h"
#include "models/host/host_cores.h"
#include "models/host/host_driver.h"
#include "models/host/host_process_spec.h"
#include "models/host/host_script.h"
#include "models/host/requests/request_log.h"
#include "models/host/requests/server_account.h"
#include "models/host/requests/server_queue.h"
#include "models/host/start_gate.h"
#include "models/host/system_memory.h"

namespace heddle {

class Submitter;

class HostProcess : public sc_core::sc_module, private HostMemory {
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
  std::uint64_t completions() const { return state_.completions; }  // of a server: requests served
  // The first execution has ended; of a server: all requests have.
  bool has_finished() const { return state_.has_finished; }
  bool is_idle() const { return state_.wait.what == Wait::kNextRequest; }  // a server that has no request
  bool is_computing() const { return state_.wait.what == Wait::kCpuTime; }
  const ServerQueue* requests() const { return requests_.get(); }  // null before a server is ready
  std::uint64_t ready_ps() const { return state_.ready_ps; }       // the time from which requests arrive
  // What the commands that the process pushes now are for: the deadline of its request in picoseconds of
  // simulated time, 0 without one, and the priority of its context.
  std::uint64_t deadline_ps() const { return state_.deadline_ps; }
  std::int32_t priority() const { return state_.priority; }
  // The first execution starts with its first call of the runtime (CUsched, Section IV-A). CPU phases before
  // that call take their time but are not part of the turnaround. Without such a call it starts with the
  // process.
  const sc_core::sc_time& first_start() const { return state_.first_start; }
  const sc_core::sc_time& first_end() const { return state_.first_end; }
  std::string waiting_for() const;  // the reason that it is blocked, for a report
  std::uint64_t bytes_copied() const { return state_.bytes_copied; }
  std::uint64_t kernels_launched() const { return state_.kernels_launched; }
  HostScript* script() { return script_.get(); }  // null if its program needs none

 private:
  struct BackwardPath : tlm::tlm_bw_transport_if<> {  // unused: the process calls b_transport only
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  enum class Wait : std::uint8_t {
    kNothing,
    kItsEnd,  // it has ended
    kCpuTime,
    kCore,
    kNextRequest,
    kStream,
    kSoftwareQueue,
    kTurn,    // to write to a queue
    kOthers,  // at the gate
    kRoom,    // in a queue
  };

  struct Restart {};  // thrown where the process waits, to leave the execution that a reset has ended

  void run();
  void execute();
  void set_wait(Wait what, std::uint32_t number);
  void sleep(const sc_core::sc_time& time);
  void await(const sc_core::sc_event_or_list& events);
  void await(const sc_core::sc_time& time, const sc_core::sc_event_or_list& events);
  void compute(std::uint64_t ps);
  void take_core();
  void leave_core();
  bool keeps_core();
  sc_core::sc_time core_left() const;
  bool shares_cores() const { return deps_.cores.are_shared() && spec_.cpu_phases; }
  bool may_lose_core() const { return state_.has_core && deps_.cores.have_slices(); }
  static sc_core::sc_time time_of(std::uint64_t ps) {
    return sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
  }
  void await_fence();
  void open();
  void program_queue(std::uint32_t queue);
  void set_share(std::int32_t priority, std::int32_t tokens);
  void set_page_table(Address base);
  // The script calls these.
  void read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  Address device_address(std::uint32_t buffer) const override { return device_address_[buffer]; }

  const ApiProgram& program() const { return shaped_ ? *shaped_ : spec_.program; }
  void lay_out_buffers();
  void start_script();
  void replay();
  void execute_program();
  void pass(const ApiCursor::Range& calls);
  void perform_all(const ApiCursor::Range& calls);
  void free_passing();
  void serve();
  void set_up();
  void serve(const Request& request);
  void shape(const Request& request);
  void record(const Request& request, RequestOutcome outcome, std::uint64_t start_ps, std::uint64_t end_ps,
              const RequestAccount* account);
  std::uint64_t since_ready_ps() const;
  void enter_runtime();
  void enter(const ApiCall& call);
  void perform(const ApiCall& call);
  void allocate(const ApiCall& call);
  void free(std::uint32_t buffer);
  void transfer(const ApiCall& call);
  void launch(const ApiCall& call);
  void pass_gate();
  bool may_restart(const ApiKernel& kernel, const KernelLaunch& launch);
  void event(const ApiCall& call);
  void push(Command command, std::uint32_t stream, bool may_be_cut = true);
  void push_to_submitter(const Command& command, bool may_be_cut);
  void release(std::uint32_t queue);
  void wait_for_room(std::uint32_t queue);
  bool wait_for_stream(std::uint32_t stream);
  bool wait_for_all_streams();
  void check_halted(std::uint32_t queue, std::uint64_t head_word);
  void access_buffer(tlm::tlm_command command, std::uint32_t buffer, std::uint64_t offset,
                     unsigned char* data, std::uint64_t bytes);
  std::uint64_t load(Address address);
  void store(Address address, const unsigned char* bytes, std::uint32_t count);
  void store_register(Address address, std::uint64_t value);
  void transport(tlm::tlm_initiator_socket<>& socket, tlm::tlm_command command, Address address,
                 unsigned char* bytes, std::uint32_t count, sc_core::sc_time& delay);

  const HostProcessSpec spec_;
  const Deps deps_;
  BackwardPath backward_;
  std::unique_ptr<HostScript> script_;
  std::unique_ptr<ApiProgram>
      shaped_;  // the program as the present request has it; null if all have the same
  std::unique_ptr<ServerQueue> requests_;
  sc_core::sc_event fenced_;
  sc_core::sc_event restart_;
  sc_core::sc_event_or_list fence_or_restart_;
  sc_core::sc_event_or_list ring_or_restart_;
  sc_core::sc_event_or_list cores_or_restart_;
  sc_core::sc_event_or_list gate_or_restart_;
  sc_core::sc_event_or_list fence_or_cores_;  // or restart
  bool restarting_ = false;  // since a reset, until the thread has left the execution before it
  std::vector<std::uint64_t>
      issued_;  // by stream: the commands pushed, which is the fence value of the last one
  std::vector<std::uint64_t> recorded_;         // by event: records pushed
  std::vector<std::uint64_t> recorded_before_;  // by event: at the start of this execution
  std::vector<Address> device_address_;         // by buffer, while allocated; else 0
  std::vector<Address> host_address_;           // by buffer
  std::vector<bool> stays_;  // by buffer: allocated by the setup of a server, until it ends
  struct State {
    std::uint64_t completions = 0;
    bool has_finished = false;
    bool halted = false;
    std::uint64_t ready_ps = 0;
    std::uint64_t deadline_ps = 0;
    std::int32_t priority = 0;
    std::uint64_t bytes_copied = 0;
    std::uint64_t kernels_launched = 0;
    bool has_context = false;  // the runtime's, since the first call of this execution
    bool has_core = false;     // it took a core and has not left it
    bool has_started = false;
    bool has_passed_gate = false;  // or has come to it
    sc_core::sc_time first_start;
    sc_core::sc_time first_end;
    struct {
      Wait what = Wait::kNothing;
      std::uint32_t number = 0;  // of the stream or queue
    } wait;
    std::set<std::uint32_t> not_restartable;  // kernels that the log has named
  };
  State state_;
};

}  // namespace heddle
