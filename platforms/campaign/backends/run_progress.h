#pragma once
// What a driver tells of the runs that it works through.

#include <cstddef>
#include <string>

#include "platforms/campaign/store/run_store.h"

namespace heddle {

// A driver calls it from its own thread.
class RunProgress {
 public:
  virtual ~RunProgress() = default;

  virtual void note(const std::string&) {}   // what was asked for and changes nothing
  virtual void begin(std::size_t runs) = 0;  // once, with the number of runs to be done
  virtual void ended(const std::string& label, const RunRecord& record) = 0;  // once a run
  virtual void update() = 0;  // every half a second at least while runs are in progress
};

}  // namespace heddle
