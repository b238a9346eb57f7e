#pragma once
// Two campaigns' results compared.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct SampleKey {
  std::string label;  // of the point
  std::string variant;
  int number = 0;  // among the samples of one label and variant
};

struct SampleDifference {
  SampleKey key;
  std::string metric;
  std::optional<double> a;
  std::optional<double> b;

  std::optional<double> change() const;  // b - a
  std::optional<double> share() const;   // of a; none where a is zero
};

// Arrays have an entry for each side: 0 is a, 1 is b.
struct ResultsComparison {
  std::string campaigns[2];
  std::vector<std::string> metrics[2];  // metrics that one side has alone
  std::vector<SampleKey> samples[2];    // samples that one side has alone
  std::vector<SampleKey> complete[2];   // samples that are complete on one side alone
  std::vector<SampleDifference> differences;

  bool is_same() const;  // the names of the campaigns do not count
};

// Compares the samples of two campaigns, paired by point and variant. `a` and `b` are directories of
// campaigns or files that collect_results() wrote. Two values are equal if they are apart by at most
// `tolerance`, a share of the larger. Throws config::Error if one cannot be read.
ResultsComparison compare_results(const std::string& a, const std::string& b, double tolerance);

}  // namespace heddle
