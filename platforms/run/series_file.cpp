#include "platforms/run/series_file.h"

#include <algorithm>
#include <cmath>

namespace heddle {

std::uint64_t interval_cycles(const SeriesRequest& request, const Machines& machines) {
  if (request.cycles != 0) return request.cycles;
  const double cycles = static_cast<double>(request.ps) * 1e-12 * machines.core().frequency_hz();
  return static_cast<std::uint64_t>(std::max(1.0, std::round(cycles)));
}

SeriesFile::WaveFile::WaveFile(const WaveRequest& request, const Series& values)
    : file(request.path), writer(make_wave_writer(request.format, file)), series(values, *writer) {}

void SeriesFile::WaveFile::finish(std::uint64_t end_ps) {
  writer->finish(end_ps);
  file.finish();
}

SeriesFile::SeriesFile(const std::string& directory, Machines& machines, const Job& job, Timeline* timeline)
    : machines_(machines),
      file_(directory + "/series.csv"),
      series_(machines.stats(), machines.patterns_of(job.series.patterns)),
      csv_(series_, file_) {
  write_file(directory + "/series_columns.csv", [this](std::ostream& out) { write_columns(series_, out); });
  if (timeline != nullptr) tracks_.emplace(series_, *timeline);
  if (!job.waves.path.empty()) waves_.emplace(job.waves, series_);
  machines.sample_every(interval_cycles(job.series, machines), [this] {
    const ClockDomain& core = machines_.core();
    sample(core.time_of(core.now() + 1));
  });
}

void SeriesFile::finish() {
  sample(sc_core::sc_time_stamp());
  if (waves_) waves_->finish(begin_ps_);  // the next interval would begin at the end
  file_.finish();
}

void SeriesFile::sample(const sc_core::sc_time& end) {
  machines_.stats();
  const auto ps = static_cast<std::uint64_t>(end / sc_core::sc_time(1, sc_core::SC_PS));
  series_.sample();
  csv_.row(machines_.core().now().value + 1, ps);
  if (tracks_) tracks_->draw(begin_ps_);
  if (waves_) waves_->series.draw(begin_ps_);
  begin_ps_ = ps;
}

}  // namespace heddle
