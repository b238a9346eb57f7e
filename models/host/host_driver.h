#pragma once
// The operating system's part of programming the GPU, shared by the host processes of one machine: which
// stream uses which hardware queue, who may write to a ring at the moment, where things lie in system memory,
// and how much device memory is left; it allocates there. Plain bookkeeping: what reaches the GPU goes
// through sockets.

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/core/memory/device_memory.h"
#include "models/core/base/ids.h"
#include "models/host/api_program.h"
#include "models/host/command.h"

namespace heddle {

class HostDriver {
 public:
  // device_memory: by context, which has its process's number; `device_bytes` for all of them.
  HostDriver(const QueueSpec& queues, std::uint64_t device_bytes, std::vector<DeviceMemory>& device_memory);

  // System memory: rings, head words, then an arena for each process.
  Address ring(std::uint32_t queue) const;                              // command descriptors
  Address kernel_slot(std::uint32_t queue, std::uint64_t entry) const;  // kernel descriptor of a ring's entry
  Address head_word(std::uint32_t queue) const;
  static Address arena(std::uint32_t process) { return Address{process + 1} << 40; }
  static Address fence(std::uint32_t process, std::uint32_t stream) { return arena(process) + 8 * stream; }
  static Address buffers(std::uint32_t process) { return arena(process) + (Address{1} << 36); }

  // The hardware queue of a process's stream, assigned in turn: process by process, stream by stream, so that
  // with one stream each a process has a queue of its own as long as there are enough.
  void add_process(std::uint32_t streams) { first_stream_.push_back(streams_), streams_ += streams; }
  std::uint32_t queue_of(std::uint32_t process, std::uint32_t stream) const {
    return (first_stream_[process] + stream) % queues_.count;
  }
  // True once: whoever is the first to be granted the ring programs its queue's registers.
  bool take_programmed(std::uint32_t queue);

  std::uint32_t entries() const { return queues_.entries; }
  std::uint64_t& tail(std::uint32_t queue) { return rings_[queue].tail; }

  // A ring is written by one process at a time, in order of asking, the lower process number first.
  void ask(std::uint32_t queue, std::uint64_t time, std::uint32_t process) {
    rings_[queue].waiting.insert({time, process});
  }
  bool grant(std::uint32_t queue, std::uint64_t time, std::uint32_t process);
  void release(std::uint32_t queue) { rings_[queue].taken = false; }

  // Every ring is empty, and no device memory is taken, afterwards: the GPU frees what was allocated in it. The
  // processes and their queues stay.
  void reset();

  // Device memory: none if `bytes` are not left.
  std::optional<Address> allocate(std::uint32_t process, const ApiBuffer& buffer);
  void free(std::uint32_t process, Address address);  // of an allocation

 private:
  struct Ring {
    std::uint64_t tail = 0;
    bool programmed = false;
    bool taken = false;
    std::set<std::pair<std::uint64_t, std::uint32_t>> waiting;  // (time, process)
  };

  const QueueSpec queues_;
  std::vector<Ring> rings_;
  std::vector<std::uint32_t> first_stream_;  // by process
  std::uint32_t streams_ = 0;
  const std::uint64_t device_bytes_;
  std::uint64_t device_free_;
  std::vector<DeviceMemory>& device_memory_;
};

}  // namespace heddle
