#pragma once
// Summaries of the histograms of a run.

#include "models/stats/histogram.h"
#include "platforms/run/result/time_summary.h"

namespace heddle {

// `ps` is the length of one unit of the histogram, 1 for a histogram of picoseconds. The deviation is left
// out, because a histogram does not have it.
TimeSummary summary_of(const Histogram& times, double ps = 1);

}  // namespace heddle
