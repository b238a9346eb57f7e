#pragma once
// An ApiInterpreter executes an application's calls of the GPU runtime. It has what the calls share: the
// addresses of buffers, the records of events, and the numbers of launches. An ApiHost performs what the
// calls ask for, over a simulated GPU or at once for the results alone. Pure logic.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/kernel/messages.h"
#include "models/host/api_cursor.h"
#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle {

class ApiHost {
 public:
  virtual ~ApiHost() = default;

  // Returns the address of each buffer in the memory of the process. It is called first of all, and again
  // when a request has changed the sizes of buffers.
  virtual std::vector<Address> lay_out(const std::vector<ApiBuffer>& buffers) = 0;
  // The script accesses the memory of the process.
  virtual void read(Address address, void* to, std::uint64_t bytes) = 0;
  virtual void write(Address address, const void* from, std::uint64_t bytes) = 0;

  virtual void enter(const ApiCall& call) = 0;  // called before all else of a call
  virtual void compute(std::uint64_t ps) = 0;   // kCpu
  virtual Address allocate(const ApiBuffer& buffer) = 0;
  virtual void free(Address address) = 0;  // the address of an allocation
  // A copy, a fill, a launch, a record or a wait goes to the GPU. The command has no context and no fence.
  // `may_be_cut` is false for a launch whose blocks wait for each other.
  virtual void submit(const Command& command, bool may_be_cut) = 0;
  virtual void synchronise(std::uint32_t stream) = 0;  // returns when the stream is done, or kAllStreams are
};

class ApiInterpreter : private HostMemory {
 public:
  struct Options {
    bool copies = true;      // false: copies and fills are left out
    std::uint64_t seed = 0;  // of the jitter of blocks
  };
  // The script is null for a program that needs none. All three outlive the interpreter.
  ApiInterpreter(const ApiProgram& program, HostScript* script, ApiHost& host, const Options& options);

  // The program as the last request of set_request() has it.
  const ApiProgram& program() const { return shaped_ ? *shaped_ : program_; }
  // Gives a program with parameters the values of a request. Throws std::runtime_error for a request that
  // cannot be.
  void set_request(const RequestValues& values);

  void start_script() { script_->start(*this); }    // of a program that has one
  void finish_script() { script_->finish(*this); }  // throws std::runtime_error if results are wrong

  // The next calls of step() execute these calls. A wait for an event that they do not record before it waits
  // for the next record, also if the calls before start() have recorded the event.
  void start(const ApiCursor::Range& calls);
  void start() { start({0, program().calls.size()}); }
  // Executes one call. Returns false at the end. Throws std::runtime_error for a call that cannot be.
  bool step();

  // What is allocated now is kept: free_allocations() frees all else, and free_all() frees it as well.
  void keep_allocations();
  void free_allocations();
  void free_all();

  std::uint64_t bytes_copied() const { return bytes_copied_; }  // between the process and the device
  std::uint64_t kernels_launched() const { return kernels_launched_; }

 private:
  using Kind = ApiCall::Kind;
  struct Buffer {
    Address host = 0;
    Address device = 0;  // 0: it is not allocated
    bool is_kept = false;
  };
  struct Event {
    std::uint64_t records = 0;
    std::uint64_t records_before = 0;  // the last start()
  };

  // The script calls these.
  void read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  Address device_address(std::uint32_t buffer) const override { return buffers_[buffer].device; }

  void lay_out();
  Address host_address(std::uint32_t buffer, std::uint64_t offset, std::uint64_t bytes) const;
  bool has_blocks(const ApiCall& call) const;
  void perform(const ApiCall& call);
  void free(Buffer& buffer);
  void transfer(const ApiCall& call);
  Command transfer_command(const ApiCall& call) const;
  void launch(const ApiCall& call);
  void event(const ApiCall& call);

  const ApiProgram& program_;
  std::optional<ApiProgram> shaped_;  // empty before the first request of a program with parameters
  HostScript* const script_;
  ApiHost& host_;
  const Options options_;
  std::optional<ApiCursor> cursor_;
  std::vector<Buffer> buffers_;
  std::vector<Event> events_;
  std::uint64_t bytes_copied_ = 0;
  std::uint64_t kernels_launched_ = 0;
};

}  // namespace heddle
