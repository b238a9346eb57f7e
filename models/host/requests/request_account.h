#pragma once
// Where the time of requests goes. At each moment of its response a request is in one part, so that the parts
// add up to the response:
//
//   kHost        the process of the server computes, makes a call, or waits for a core of the CPU
//   kSubmission  its commands wait in queues or are on their way to an engine, or a fence is on its way back
//   kCopying     a DMA engine moves a copy of the server
//   kExecuting   blocks of the server are on SMs, as many of them as would be there if it were alone
//   kCopyWait    a copy of the server waits while the DMA engine moves that of the cause
//   kSmWait      a kernel of the server has no block on an SM, while the cause has the most SMs
//   kSlowed      the rest of kExecuting: blocks wait for SMs that others have, or progress with less
//   bandwidth
//
// Where several hold, the first of these counts: kHost, kExecuting with kSlowed, kCopying, kSmWait,
// kCopyWait, kSubmission. The cause is the number of a process. It is that of the server itself where no
// other process is to blame: its SMs are being set up, its partition has fewer SMs than the GPU, or its own
// copies and kernels wait for each other. Contention within cycle SMs and their memory is not a part of its
// own: it counts as kExecuting. Pure logic.

#include <array>
#include <cstdint>
#include <vector>

namespace heddle {

enum class RequestPart : std::uint8_t {
  kHost,
  kSubmission,
  kCopying,
  kExecuting,
  kCopyWait,  // this one and those behind it have a cause
  kSmWait,
  kSlowed,
};
constexpr std::size_t kRequestParts = 7;
constexpr std::size_t kFirstCausedPart = static_cast<std::size_t>(RequestPart::kCopyWait);

const char* name_of(RequestPart part);  // "copy_wait"
inline bool has_cause(RequestPart part) {
  return static_cast<std::size_t>(part) >= kFirstCausedPart;
}

// The place of a part and cause in a list by part and cause.
inline std::size_t place_of(RequestPart part, std::size_t cause, std::size_t processes) {
  const auto number = static_cast<std::size_t>(part);
  return number < kFirstCausedPart ? number
                                   : kFirstCausedPart + (number - kFirstCausedPart) * processes + cause;
}

// Times in picoseconds by part and, where it has one, by cause.
class PartTimes {
 public:
  explicit PartTimes(std::size_t processes = 0)
      : processes_(processes), ps_(kFirstCausedPart + (kRequestParts - kFirstCausedPart) * processes) {}

  std::size_t processes() const { return processes_; }
  void add(RequestPart part, std::uint32_t cause, std::uint64_t ps) { ps_[place(part, cause)] += ps; }
  void subtract(RequestPart part, std::uint32_t cause, std::uint64_t ps) { ps_[place(part, cause)] -= ps; }
  std::uint64_t of(RequestPart part, std::uint32_t cause) const { return ps_[place(part, cause)]; }
  std::uint64_t of(RequestPart part) const;  // over all causes
  std::uint64_t sum() const;
  void add(const PartTimes& other);
  void subtract(const PartTimes& other);

 private:
  std::size_t place(RequestPart part, std::uint32_t cause) const { return place_of(part, cause, processes_); }

  std::size_t processes_;
  std::vector<std::uint64_t> ps_;
};

// The account of a request that was served.
struct RequestAccount {
  PartTimes queue;    // what the server did from the arrival of the request to the start of its service
  PartTimes service;  // from there to its end
};

}  // namespace heddle
