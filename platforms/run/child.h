#pragma once
// Child processes that work for this process and send it lines of text over a pipe.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/interrupts.h"

namespace heddle {

struct Child {
  pid_t pid = -1;
  int pipe = -1;         // read end
  std::string received;  // start of a line that has not ended
};

// Forks a child. The child calls `life` with the write end of the pipe, and then exits with status 0 without
// running the destructors of this process. Throws std::runtime_error if no process can be made.
Child start_child(const std::function<void(int pipe)>& life);

// Sends a line, which has no line feed, to the parent. Only a child may call it. The child exits with status
// 3 if the parent does not read any more.
void send_line(int pipe, std::string line);

// After catch_interrupts(), SIGINT and SIGTERM make this function throw Interrupted. It waits until a child
// has sent something or has ended, or until the time `most` has passed. Without `most` the wait has no limit.
// Returns for each child whether there is something to read. Throws Interrupted.
std::vector<bool> wait_for(const std::vector<const Child*>& children,
                           std::optional<std::chrono::milliseconds> most = std::nullopt);

// Calls `take` for each complete line that a child has sent. Returns false when the child has closed its
// pipe; the caller then calls reap().
bool listen(Child& child, const std::function<void(const std::string& line)>& take);

bool has_ended(const Child& child);  // It is still to be reaped.
int reap(const Child& child);        // waits for its end and returns the status of waitpid()
std::string describe_end(const std::string& what, int status);  // "the simulation was ended by signal 9"

}  // namespace heddle
