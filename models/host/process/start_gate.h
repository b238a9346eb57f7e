#pragma once
// The StartGate of a machine aligns the first launches of its processes: each of them waits at the gate, with
// its copies done, until all have come there. A process that ends without a launch counts as one that came.

#include <cstddef>
#include <systemc>

namespace heddle {

class StartGate {
 public:
  explicit StartGate(std::size_t processes) : processes_(processes) {}

  void arrive() {
    if (++arrived_ == processes_) opened.notify(sc_core::SC_ZERO_TIME);
  }
  bool is_open() const { return arrived_ >= processes_; }
  void reset() {
    arrived_ = 0;
    opened.cancel();
  }

  sc_core::sc_event opened;

 private:
  const std::size_t processes_;
  std::size_t arrived_ = 0;
};

}  // namespace heddle
