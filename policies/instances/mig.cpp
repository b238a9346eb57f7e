// Multi-Instance GPU. The instances have the sizes that `profiles` names, of the table in the platform's
// section `mig`. SMs, memory channels with their L2 slices, device memory and copy engines belong to one
// instance each, and what the instances leave stays idle.
//
// The vendor places instances on the slices of the GPU by rules of its own, which allow fewer sets of
// profiles than the sums of their sizes do; here the sums decide. Without `profiles`, each application has an
// instance of the largest profile of which so many fit.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "policies/instances/i_instances.h"

namespace heddle {

namespace {

constexpr const char* kProfiles = "profiles";
constexpr const char* kInstanceOf = "instance_of";

using Profile = InstanceProfiles::Profile;

const Profile* find(const GpuDescription& gpu, const std::string& name) {
  for (const Profile& profile : gpu.instances.profiles)
    if (profile.name == name) return &profile;
  return nullptr;
}

class Mig final : public Instances {
 public:
  explicit Mig(const PolicyParameters& parameters)
      : profiles_(parameters.texts(kProfiles)), instance_of_(numbers(parameters)) {}

  std::vector<Instance> split(const GpuDescription& gpu, std::size_t applications) const override {
    std::vector<Instance> instances;
    for (const std::string& name : profiles_.empty() ? equal_ones(gpu, applications) : profiles_) {
      const Profile& profile = *find(gpu, name);
      instances.push_back({profile.sms, profile.memory_slices, profile.copy_engines, {}});
    }
    for (std::size_t i = 0; i < applications; ++i)
      instances[instance_of_.empty() ? i : static_cast<std::size_t>(instance_of_[i])].applications.push_back(
          i);
    const auto empty = [](const Instance& instance) { return instance.applications.empty(); };
    instances.erase(std::remove_if(instances.begin(), instances.end(), empty), instances.end());
    return instances;
  }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
    if (gpu.instances.memory_slices == 0)
      return "mig: the platform has no section mig, which states the profiles of its instances";
    if (gpu.has_channel_sets)
      return "mig: each instance has memory channels of its own; leave dram.channels_of out";
    if (gpu.host_cores != 0) return "mig: the processes of all instances need a core each (host.cores: 0)";
    const std::size_t applications = std::max<std::size_t>(gpu.applications, 1);
    const bool is_stated = !parameters.texts(kProfiles).empty();
    const TextList names = is_stated ? parameters.texts(kProfiles) : equal_ones(gpu, applications);
    if (names.empty())
      return fmt::format("mig: the platform has no profile of which {} instances fit", applications);
    if (std::string why = misfit_of_sizes(gpu, names); !why.empty()) return why;
    return misfit_of_applications(gpu.applications, names.size(), parameters);
  }

 private:
  // Names the largest profile of which `count` fit, so many times; empty if there is none.
  static TextList equal_ones(const GpuDescription& gpu, std::size_t count) {
    const Profile* largest = nullptr;
    for (const Profile& profile : gpu.instances.profiles)
      if (misfit_of_sizes(gpu, TextList(count, profile.name)).empty() &&
          (largest == nullptr || profile.sms > largest->sms))
        largest = &profile;
    return largest == nullptr ? TextList{} : TextList(count, largest->name);
  }

  static std::vector<std::int64_t> numbers(const PolicyParameters& parameters) {
    const IntegerLists& lists = parameters.lists(kInstanceOf);
    return lists.empty() ? std::vector<std::int64_t>{} : lists.front();
  }

  static std::string misfit_of_sizes(const GpuDescription& gpu, const TextList& names) {
    const InstanceProfiles& mig = gpu.instances;
    std::uint64_t sms = 0;
    std::uint64_t memory_slices = 0;
    std::uint64_t copy_engines = 0;
    for (const std::string& name : names) {
      const Profile* profile = find(gpu, name);
      if (profile == nullptr) {
        std::vector<std::string> known;
        for (const Profile& other : mig.profiles) known.push_back(other.name);
        return fmt::format("mig: there is no profile '{}'; the platform has {}", name,
                           fmt::join(known, ", "));
      }
      sms += profile->sms;
      memory_slices += profile->memory_slices;
      copy_engines += profile->copy_engines;
    }
    const auto too_many = [](std::uint64_t asked, const char* what, std::uint64_t there) {
      return fmt::format("mig: the instances have {} {}, and the GPU {}", asked, what, there);
    };
    if (sms > gpu.sms) return too_many(sms, "SMs", gpu.sms);
    if (memory_slices > mig.memory_slices) return too_many(memory_slices, "memory slices", mig.memory_slices);
    if (copy_engines > mig.copy_engines) return too_many(copy_engines, "copy engines", mig.copy_engines);
    return "";
  }

  static std::string misfit_of_applications(std::size_t applications, std::size_t instances,
                                            const PolicyParameters& parameters) {
    if (parameters.lists(kInstanceOf).size() > 1)
      return "mig: instance_of is one list, with the number of an instance for each application";
    const std::vector<std::int64_t> instance_of = numbers(parameters);
    for (const std::int64_t instance : instance_of)
      if (instance < 0 || static_cast<std::uint64_t>(instance) >= instances)
        return fmt::format("mig: instance_of names instance {}, and there are {}, from 0 on", instance,
                           instances);
    if (applications == 0) return "";
    if (instance_of.empty() && applications > instances)
      return fmt::format("mig: {} applications need an instance each, or instance_of; there are {} instances",
                         applications, instances);
    if (!instance_of.empty() && instance_of.size() != applications)
      return fmt::format("mig: instance_of has {} entries, and there are {} applications", instance_of.size(),
                         applications);
    return "";
  }

  const TextList profiles_;
  const std::vector<std::int64_t> instance_of_;  // by application; empty: each has the instance of its number
};

HEDDLE_POLICY(
    Instances, Mig, "mig", "instances that share no hardware, with the applications of each",
    "NVIDIA, Multi-Instance GPU User Guide, Concepts",
    {{kProfiles, "names of profiles", TextList{}, 0, 0,
      "the instances, by profiles of the platform's section mig; []: equal ones, one for each application"},
     {kInstanceOf, "instance", IntegerLists{}, 0, 1023,
      "by application: the number of its instance in profiles; all: each has one of its own"}});

}  // namespace

}  // namespace heddle
