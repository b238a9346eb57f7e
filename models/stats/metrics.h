#pragma once
// A Multiprogram has the system-level metrics of a multiprogram workload (Eyerman and Eeckhout, IEEE Micro
// 28(3), 2008).

#include <cstdint>
#include <vector>

namespace heddle {

struct Multiprogram {
  std::vector<double>
      // Normalised turnaround time of each program: together / alone, 1 or more as a rule.
      ntt;
  double antt = 0;      // mean of ntt; lower is better
  double stp = 0;       // system throughput: sum of 1 / ntt, at most the number of programs
  double fairness = 0;  // smallest over largest normalised progress (1 / ntt); 1 is fair, 0 is starvation
  double minimum_speedup = 0;   // smallest 1 / ntt
  double harmonic_speedup = 0;  // number of programs / sum of ntt
};

// Computes the metrics from the turnaround times of each program, together with the others and alone. All
// times have the same unit and are above zero, and both lists have the same programs; otherwise it throws
// std::invalid_argument.
Multiprogram multiprogram(const std::vector<double>& together, const std::vector<double>& alone);

}  // namespace heddle
