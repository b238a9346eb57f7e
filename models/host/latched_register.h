#pragma once
// The host writes a LatchedRegister at any time. The GPU reads the new value from the next clock edge on, so
// that the order of a write and a tick at the same time does not matter.

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

class LatchedRegister {
 public:
  void write(std::uint64_t value, Cycle now) {
    take_effect(now);
    written_ = value;
    due_ = now + 1;
  }
  std::uint64_t read(Cycle now) {
    take_effect(now);
    return value_;
  }
  std::uint64_t last_written() const { return written_; }  // the value that the host reads back
  bool pending(Cycle now) {
    take_effect(now);
    return value_ != written_;
  }

 private:
  void take_effect(Cycle now) {
    if (due_ <= now) value_ = written_;
  }

  std::uint64_t value_ = 0;
  std::uint64_t written_ = 0;
  Cycle due_{0};
};

}  // namespace heddle
