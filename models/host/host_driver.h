#pragma once
// A HostDriver is the operating system's part of programming the GPU. The host processes of one machine share
// it. It maps streams to hardware queues, grants the right to write to a ring, lays out system memory and
// allocates device memory. It is bookkeeping only: everything that reaches the GPU goes through sockets.

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/memory/device_memory.h"
#include "models/host/api_program.h"
#include "models/host/command.h"

namespace heddle {

class HostDriver {
 public:
  // device_memory is by context, and a context has the number of its process. All contexts share
  // `device_bytes`.
  HostDriver(const QueueSpec& queues, std::uint64_t device_bytes, std::vector<DeviceMemory>& device_memory);

  // System memory holds the head words, the rings, and then an arena for each process.
  Address ring(std::uint32_t queue) const;                              // command descriptors
  Address kernel_slot(std::uint32_t queue, std::uint64_t entry) const;  // kernel descriptor of a ring's entry
  Address head_word(std::uint32_t queue) const;
  static Address arena(std::uint32_t process) { return Address{process + 1} << 40; }
  static Address fence(std::uint32_t process, std::uint32_t stream) { return arena(process) + 8 * stream; }
  // Where pieces of launches that are not the last one report that they are complete.
  static Address piece_word(std::uint32_t process, std::uint32_t stream) {
    return arena(process) + (Address{1} << 20) + 8 * stream;
  }
  static Address buffers(std::uint32_t process) { return arena(process) + (Address{1} << 36); }

  // Streams get hardware queues in turn, process by process and stream by stream. With one stream each, every
  // process has a queue of its own if there are enough.
  void add_process(std::uint32_t streams) { first_stream_.push_back(streams_), streams_ += streams; }
  std::uint32_t queue_of(std::uint32_t process, std::uint32_t stream) const {
    return (first_stream_[process] + stream) % queues_.count;
  }
  // Returns true once for each queue: the first process that is granted the ring programs the queue's
  // registers.
  bool take_programmed(std::uint32_t queue);

  std::uint32_t entries() const { return queues_.entries; }
  std::uint64_t& tail(std::uint32_t queue) { return rings_[queue].tail; }
  std::uint64_t tail(std::uint32_t queue) const { return rings_[queue].tail; }

  // One process at a time writes to a ring. Processes get the ring in the order in which they ask for it,
  // those that ask at the same time in the order of their numbers.
  void ask(std::uint32_t queue, std::uint64_t time, std::uint32_t process) {
    rings_[queue].waiting.insert({time, process});
  }
  bool grant(std::uint32_t queue, std::uint64_t time, std::uint32_t process);
  void release(std::uint32_t queue) { rings_[queue].taken = false; }

  // Every ring is empty, and no device memory is taken, afterwards: the GPU frees what was allocated in it.
  // The processes and their queues stay.
  void reset();

  // Allocates device memory for the buffer. The result is empty if too little is free.
  std::optional<Address> allocate(std::uint32_t process, const ApiBuffer& buffer);
  void free(std::uint32_t process, Address address);  // the address of an allocation
  const DeviceMemory& device_memory(std::uint32_t process) const { return device_memory_[process]; }

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
