#pragma once
// Experiments whose platform, policies, applications and requests are drawn at random, as the files that a
// user would write.

#include <cstdint>
#include <map>
#include <string>

namespace heddle::test {

struct RandomExperiment {
  std::map<std::string, std::string> files;     // contents by name; the experiment is experiment.yaml
  std::map<std::string, std::string> policies;  // names by decision, as the experiment chooses them
  bool has_cycle_sms = false;
};

// Returns an experiment on timed SMs, or one time in twenty on cycle SMs, of which half have sub-cores. Where
// such SMs have clusters, the applications without requests are matrix products that use them. Each decision
// that such a GPU asks for has a policy of the registry, with parameters that may not fit the GPU. Equal
// seeds give equal experiments. Each server has a finite number of requests. No launch of an application
// without requests has a higher priority than a launch of a server, so that no server starves.
RandomExperiment random_experiment(std::uint64_t seed);

}  // namespace heddle::test
