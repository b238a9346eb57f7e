#pragma once
// What a campaign's user sees while it runs: on a terminal one line, redrawn; else a line for each run.

#include <chrono>
#include <string>

#include "platforms/campaign/store/run_store.h"

namespace heddle {

std::string clock_text(double seconds);  // "1:02:03"

class BatchProgress {
 public:
  BatchProgress(std::size_t runs, bool quiet);  // runs: that are to be done now

  void ended(const std::string& label, const RunRecord& record);
  void draw();   // at most ten times a second
  void clear();  // the line, before others write

  std::size_t done() const { return done_; }

 private:
  using Clock = std::chrono::steady_clock;

  const std::size_t runs_;
  const bool quiet_;
  const bool terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_{};
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace heddle
