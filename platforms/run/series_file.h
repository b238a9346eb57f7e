#pragma once
// A SeriesFile samples statistics of a machine during its run and writes them to a file; see
// models/stats/series.h for its format.

#include <fstream>
#include <string>

#include "models/machine/machine.h"
#include "models/stats/series.h"
#include "platforms/run/job.h"

namespace heddle {

class SeriesFile {
 public:
  // Called before machine.run(). An interval in time is rounded to core cycles, and is at least one.
  SeriesFile(const std::string& path, Machine& machine, const SeriesRequest& request);

  // Writes the last row, whose interval ends with the run. Throws OutputError if the file is not complete.
  void finish();

 private:
  void sample();

  std::string path_;
  Machine& machine_;
  std::ofstream file_;
  Series series_;
};

}  // namespace heddle
