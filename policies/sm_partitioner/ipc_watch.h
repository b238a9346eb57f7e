#pragma once
// Whether a kernel's IPC has changed for good (Warped-Slicer, Section IV-B): it is off its reference, the
// mean over the first windows, by more than so much of it, in every window for so long.

#include <cmath>
#include <cstdint>

namespace heddle {

class IpcWatch {
 public:
  // The next window. `change`: a fraction of the reference; `length`: cycles of the reference, and of the
  // change. A reference of 0 is one that nothing is off.
  bool changed(std::uint64_t instructions, std::uint64_t cycles, double change, std::uint64_t length) {
    if (cycles_ < length) {
      instructions_ += instructions;
      cycles_ += cycles;
      return false;
    }
    const double reference = static_cast<double>(instructions_) / static_cast<double>(cycles_);
    const double ipc = static_cast<double>(instructions) / static_cast<double>(cycles);
    const bool off = reference > 0 && std::abs(ipc - reference) > change * reference;
    off_cycles_ = off ? off_cycles_ + cycles : 0;
    return off && off_cycles_ >= length;
  }

 private:
  std::uint64_t instructions_ = 0;  // of the reference
  std::uint64_t cycles_ = 0;
  std::uint64_t off_cycles_ = 0;  // without a break
};

}  // namespace heddle
