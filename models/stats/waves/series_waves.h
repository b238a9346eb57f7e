#pragma once
// SeriesWaves write a series as a waveform. The path of a column is split at its dots: its last name is a
// variable, and the names before it are scopes. A counter is an integer. A ratio or a level is a real, which
// is NaN where the ratio has no value.

#include <cstdint>
#include <vector>

#include "models/stats/series.h"
#include "models/stats/waves/wave_writer.h"

namespace heddle {

class SeriesWaves {
 public:
  SeriesWaves(const Series& series, WaveWriter& waves);  // both must outlive it
  // The values of the last interval stand from its begin on.
  void draw(std::uint64_t begin_ps);

 private:
  const Series& series_;
  WaveWriter& waves_;
  std::vector<WaveId> ids_;  // by column
};

}  // namespace heddle
