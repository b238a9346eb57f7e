#pragma once
// An ApiCursor steps through calls of a program, one by one. It resolves the loops. Pure logic.

#include <cstddef>
#include <vector>

#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle {

class ApiCursor {
 public:
  struct Range {  // calls of the program, with whole loops
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Steps through all calls. The script is null for a program that needs none. All three outlive the cursor.
  ApiCursor(const ApiProgram& program, HostScript* script, HostMemory& memory)
      : ApiCursor(program, script, memory, {0, program.calls.size()}) {}
  ApiCursor(const ApiProgram& program, HostScript* script, HostMemory& memory, Range range)
      : program_(program), script_(script), memory_(memory), next_(range.begin), end_(range.end) {}

  // Returns the next call, after the last one has been performed; null at the end. Throws
  // std::runtime_error for a loop whose script continues after its count.
  const ApiCall* next();

 private:
  struct Loop {
    std::size_t repeat;  // the index of its kRepeat call
    std::uint64_t rounds = 0;
  };

  bool again(Loop& loop);
  void skip_loop();

  const ApiProgram& program_;
  HostScript* const script_;
  HostMemory& memory_;
  std::vector<Loop> loops_;
  std::size_t next_;
  const std::size_t end_;
};

}  // namespace heddle
