#pragma once
// An ApiCursor steps through one execution of a program, call by call. It resolves the loops. Pure logic.

#include <cstddef>
#include <vector>

#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle {

class ApiCursor {
 public:
  // The script is null for a program that needs none. All three outlive the cursor.
  ApiCursor(const ApiProgram& program, HostScript* script, HostMemory& memory)
      : program_(program), script_(script), memory_(memory) {}

  // Returns the next call, after the last one has been performed; null at the end of the program. Throws
  // std::runtime_error for a loop whose script continues after its count.
  const ApiCall* next();

 private:
  struct Loop {
    std::size_t repeat;  // the index of its kRepeat call
    std::uint64_t rounds = 0;
  };

  bool again(Loop& loop);

  const ApiProgram& program_;
  HostScript* const script_;
  HostMemory& memory_;
  std::vector<Loop> loops_;
  std::size_t next_ = 0;
};

}  // namespace heddle
