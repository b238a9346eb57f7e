#pragma once
// A ProcessWait says what a host process waits for at present. Pure logic.

#include <cstdint>
#include <string>

#include "models/host/api_program.h"
#include "models/host/requests/server_account.h"

namespace heddle {

class ProcessWait {
 public:
  enum class For : std::uint8_t {
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

  // The accountant learns when the process waits for the GPU; null: nobody does.
  ProcessWait(std::uint32_t process, Accountant* accountant) : process_(process), accountant_(accountant) {}

  void set(For what, std::uint32_t number = 0);  // the number of the stream or queue
  bool is(For what) const { return for_ == what; }
  std::string text(const ApiProgram& program) const;  // for a report: "stream 'a'"
  void reset() { for_ = For::kNothing, number_ = 0; }

 private:
  const std::uint32_t process_;
  Accountant* const accountant_;
  For for_ = For::kNothing;
  std::uint32_t number_ = 0;
};

}  // namespace heddle
