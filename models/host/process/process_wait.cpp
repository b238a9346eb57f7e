#include "models/host/process/process_wait.h"

#include <fmt/format.h>

namespace heddle {

void ProcessWait::set(For what, std::uint32_t number) {
  for_ = what;
  number_ = number;
  if (accountant_ == nullptr) return;
  const bool is_for_gpu =
      what == For::kStream || what == For::kSoftwareQueue || what == For::kTurn || what == For::kRoom;
  accountant_->waits_for_gpu(process_, is_for_gpu);
}

std::string ProcessWait::text(const ApiProgram& program) const {
  switch (for_) {
    case For::kNothing:
      return "nothing";
    case For::kItsEnd:
      return "nothing: it has ended";
    case For::kCpuTime:
      return "the end of a CPU phase or of a call's own work";
    case For::kCore:
      return "a core of the CPU";
    case For::kNextRequest:
      return "its next request";
    case For::kStream:
      return fmt::format("stream '{}'", program.streams[number_]);
    case For::kOthers:
      return "the first launches of the other applications (start: together)";
    case For::kSoftwareQueue:
      return fmt::format("room in the software queue of stream {}", number_);
    case For::kTurn:
      return fmt::format("its turn to write to queue {}", number_);
    case For::kRoom:
      break;
  }
  return fmt::format("room in queue {}", number_);
}

}  // namespace heddle
