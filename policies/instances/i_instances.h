#pragma once
// Decision `instances`: which parts of the GPU are GPUs of their own.
//
// The policy is asked once, before the run. The machine of each instance is then built from its share of the
// platform, and the applications of the instance run there. Instances share no hardware. All other decisions
// are taken in each instance by itself, and the lists of their policies go by the applications of the
// instance, in the order of the experiment.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/registry.h"

namespace heddle {

struct Instance {
  std::uint32_t sms = 0;
  // Parts of the memory channels, the L2 slices and device memory: so many of
  // InstanceProfiles::memory_slices.
  std::uint32_t memory_slices = 0;
  std::uint32_t copy_engines = 0;         // as profiles count them, 1 or more
  std::vector<std::size_t> applications;  // their numbers in the experiment, rising; one or more
};

class Instances : public Policy {
 public:
  static constexpr const char* kDecision = "instances";
  // It is taken before there is a GPU. Without a choice the GPU is whole.
  static bool is_asked(const GpuDescription&) { return false; }
  static constexpr const char* kFallback = "whole";

  // Returns the instances, or nothing if the GPU is not split. Each of the first `applications` applications
  // is in one instance.
  virtual std::vector<Instance> split(const GpuDescription& gpu, std::size_t applications) const = 0;
  virtual void reset() {}
};

HEDDLE_DECISION(Instances);

}  // namespace heddle
