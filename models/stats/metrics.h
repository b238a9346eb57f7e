#pragma once
// System-level metrics of multiprogram workloads (Eyerman and Eeckhout, IEEE Micro 28(3), 2008).

#include <cstdint>
#include <vector>

namespace heddle {

struct Multiprogram {
  std::vector<double>
      ntt;              // normalised turnaround time of each program: together / alone, 1 or more as a rule
  double antt = 0;      // mean of ntt: lower is better
  double stp = 0;       // system throughput: sum of 1 / ntt, at most the number of programs
  double fairness = 0;  // smallest over largest normalised progress (1 / ntt): 1 is fair, 0 is starving
  double minimum_speedup = 0;   // smallest 1 / ntt
  double harmonic_speedup = 0;  // programs / sum of ntt
};

// Turnaround times of the same programs, in the same unit, all above zero; otherwise std::invalid_argument.
Multiprogram multiprogram(const std::vector<double>& together, const std::vector<double>& alone);

}  // namespace heddle
