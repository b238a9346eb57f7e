#pragma once
// A SeriesFile samples statistics of the machines during their run and writes them to series.csv, to a
// timeline if there is one, and to a waveform if the job names one; see models/stats/series.h. A second file,
// series_columns.csv, has the kind and description of each column.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "models/machine/machines.h"
#include "models/stats/series.h"
#include "models/stats/waves/series_waves.h"
#include "models/stats/waves/wave_writer.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

// Returns the interval of a series in core cycles: one in time is rounded to them, and is at least one.
std::uint64_t interval_cycles(const SeriesRequest& request, const Machines& machines);

class SeriesFile final : public RunFile {
 public:
  // Called before machines.run().
  // `timeline` may be null.
  // Throws OutputError if series_columns.csv cannot be written.
  SeriesFile(const std::string& directory, Machines& machines, const Job& job, Timeline* timeline);

  // Writes the last row, whose interval ends with the run. Throws OutputError if a file is not complete.
  void finish() override;

 private:
  struct WaveFile {
    WaveFile(const WaveRequest& request, const Series& values);
    void finish(std::uint64_t end_ps);

    OutputFile file;
    std::unique_ptr<WaveWriter> writer;
    SeriesWaves series;
  };

  void sample(const sc_core::sc_time& end);

  Machines& machines_;
  OutputFile file_;
  Series series_;
  SeriesCsv csv_;
  std::optional<SeriesTracks> tracks_;
  std::optional<WaveFile> waves_;
  std::uint64_t begin_ps_ = 0;  // of the interval
};

}  // namespace heddle
