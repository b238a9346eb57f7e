#pragma once
// A LaunchWatch is told how far the launches of a session are. LaunchProgress shows it to the user.

#include <chrono>
#include <cstdint>
#include <string>

namespace heddle::capture {

struct LaunchStatus {
  std::uint64_t launch = 0;  // counts from 1
  std::string kernel;        // its symbol
  std::uint64_t blocks = 0;
  std::uint64_t ended = 0;              // of the blocks
  std::uint64_t warp_instructions = 0;  // of all launches so far
};

class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  virtual void advance(const LaunchStatus& status) = 0;  // often
  virtual void end() = 0;                                // of a launch
  // The launch may never end: memory has not changed for long. `where` says where its warps are.
  virtual void suspect(const std::string& where) = 0;
};

// Returns a line such as "launch 12, scale<float>: 41 % of 65536 blocks, 1.2e+09 warp instructions in all".
std::string progress_line(const LaunchStatus& status);

// Writes the line to the standard error output: on a terminal each second over the last one, elsewhere each
// minute.
class LaunchProgress final : public LaunchWatch {
 public:
  LaunchProgress();
  void advance(const LaunchStatus& status) override;
  void end() override;  // removes the line from the terminal
  void suspect(const std::string& where) override;

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace heddle::capture
