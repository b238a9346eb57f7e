#include "platforms/load/read_instances.h"

#include <fmt/format.h>

#include "models/core/config/config_names.h"
#include "platforms/load/read_number.h"

namespace heddle {

namespace {

InstanceProfiles::Profile read_profile(const std::string& name, const config::Section& section) {
  InstanceProfiles::Profile profile;
  profile.name = name;
  profile.sms = number(section, {"sms", "SMs of an instance of this profile", "SMs"}, 1, 1024);
  profile.memory_slices =
      number(section, {"memory_slices", "its share of channels, L2 and device memory", "slices"}, 1, 64);
  profile.copy_engines = number(section,
                                {"copy_engines",
                                 "its share of the copy engines; with one, both directions of its copies "
                                 "share an engine",
                                 "engines"},
                                1, 64);
  return profile;
}

}  // namespace

InstanceProfiles read_instances(const config::Section& section, const GpuSpec& spec) {
  InstanceProfiles instances;
  instances.memory_slices = number(
      section,
      {"memory_slices", "equal parts of channels, L2 and device memory that instances are made of", "slices"},
      1, 64);
  instances.copy_engines = number(
      section, {"copy_engines", "most copy engines that all instances have together", "engines"}, 1, 64);
  const config::Section profiles = section.section("profiles");
  for (const std::string& name : config::names_in(profiles, "profile"))
    instances.profiles.push_back(read_profile(name, profiles.section(name)));
  const std::uint32_t slices = instances.memory_slices;
  const std::uint32_t channels = spec.memory ? spec.memory->dram.map.channels : 0;
  if (slices != 0 && channels % slices != 0)
    section.value("memory_slices")
        .problem(fmt::format("{} channels do not split into {} parts", channels, slices));
  return instances;
}

}  // namespace heddle
