#pragma once
// Arrivals and parameters of requests that are drawn at random, as YAML.

#include <string>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::test {

struct RandomParameter {
  std::string name;
  bool is_whole = false;  // from 1 to 8; otherwise it is above 0 and at most 8
  std::string text;       // its distribution
};

struct RandomRequests {
  std::string arrivals;  // a section on one line
  std::vector<RandomParameter> parameters;
  std::string times;  // the content of the file that the arrivals name; empty: they name none

  std::string parameters_text() const;  // a section on one line
};

// Returns the requests of a server. `file` is the name of the file of arrivals, if there is one.
RandomRequests random_requests(Random& random, const std::string& file);

}  // namespace heddle::test
