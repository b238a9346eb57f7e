#pragma once
// An IpcWatch detects a lasting change of a kernel's IPC (Warped-Slicer, Section IV-B). The reference is the
// mean IPC over the first windows. A change lasts if the IPC deviates from the reference by more than a given
// fraction in every window over a given time.

#include <cmath>
#include <cstdint>

namespace heddle {

class IpcWatch {
 public:
  // Adds the next window and returns whether the IPC has changed. `change` is the fraction of the reference,
  // and `length` the number of cycles of both the reference and the change. No IPC deviates from a reference
  // of 0.
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
  std::uint64_t instructions_ = 0;  // in the windows of the reference
  std::uint64_t cycles_ = 0;
  std::uint64_t off_cycles_ = 0;  // cycles of the latest windows in a row that deviate
};

}  // namespace heddle
