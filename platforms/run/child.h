#pragma once
// Processes that work for this one and tell of it in lines of text over a pipe.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct Child {
  pid_t pid = -1;
  int pipe = -1;         // where it is heard
  std::string received;  // of a line that has not ended
};

// From here on SIGINT and SIGTERM make wait_for() throw, and a file that grows too large is an error, not the
// end of the program.
void catch_interrupts();
struct Interrupted {};

// Forks. `life` is all that the child does before it leaves with status 0, without running this process's
// destructors; its argument is where to send. Throws std::runtime_error if no process can be made.
Child start_child(const std::function<void(int pipe)>& life);

// Of a child: it ends, with status 3, where nobody listens any more. `line` has no line feed.
void send_line(int pipe, std::string line);

// Waits until a child has something to say or has ended, or for so long; by child, whether it has. Throws
// Interrupted.
std::vector<bool> wait_for(const std::vector<const Child*>& children,
                           std::optional<std::chrono::milliseconds> most = std::nullopt);

// Takes the lines that a child has sent; false when there will be none any more: reap() it.
bool listen(Child& child, const std::function<void(const std::string& line)>& take);

int reap(const Child& child);          // its status, as of waitpid()
std::string describe_end(int status);  // "ended by signal 9"

}  // namespace heddle
