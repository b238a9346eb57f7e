#pragma once
// One execution of a program, call by call, however it is performed: loops are gone round here. Pure logic.

#include <cstddef>
#include <vector>

#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle {

class ApiCursor {
 public:
  // script: null for a program that needs none. All three outlive the cursor.
  ApiCursor(const ApiProgram& program, HostScript* script, HostMemory& memory)
      : program_(program), script_(script), memory_(memory) {}

  // The next call to perform, once the last one has been; null: there is none. Throws std::runtime_error for
  // a loop whose script goes on after its count.
  const ApiCall* next();

 private:
  struct Loop {
    std::size_t repeat;  // its call
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
