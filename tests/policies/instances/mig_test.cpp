// Decision `instances`: the suite of all its policies, and the sizes of MIG instances.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "policies/instances/i_instances.h"
#include "tests/support/policy_names.h"

namespace heddle::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the profiles of an A100 with 40 GB.
GpuDescription a100(std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = 108;
  gpu.applications = applications;
  gpu.instances = {8,
                   7,
                   {{"1g.5gb", 14, 1, 1},
                    {"1g.10gb", 14, 2, 1},
                    {"2g.10gb", 28, 2, 2},
                    {"3g.20gb", 42, 4, 3},
                    {"4g.20gb", 56, 4, 4},
                    {"7g.40gb", 98, 8, 7}}};
  return gpu;
}

PolicyChoice mig(const TextList& profiles, const IntegerLists& instance_of = {}) {
  return {"mig", {{"profiles", profiles}, {"instance_of", instance_of}}};
}

std::string misfit(const PolicyChoice& choice, const GpuDescription& gpu) {
  return PolicyCatalogue::instance().misfit(Instances::kDecision, choice, gpu);
}

std::vector<Instance> split(const PolicyChoice& choice, std::size_t applications) {
  const GpuDescription gpu = a100(applications);
  EXPECT_EQ(misfit(choice, gpu), "");
  return PolicyRegistry<Instances>::make(choice)->split(gpu, applications);
}

class EveryInstances : public testing::TestWithParam<PolicyName> {};

TEST_P(EveryInstances, PutsEachApplicationIntoOneInstanceWithinTheGpu) {
  for (std::size_t applications = 1; applications <= 7; ++applications) {
    const GpuDescription gpu = a100(applications);
    ASSERT_EQ(misfit({GetParam().name, {}}, gpu), "");
    const std::vector<Instance> instances =
        PolicyRegistry<Instances>::make({GetParam().name, {}})->split(gpu, applications);
    if (instances.empty()) continue;
    std::vector<std::size_t> placed;
    std::uint32_t sms = 0;
    std::uint32_t memory_slices = 0;
    for (const Instance& instance : instances) {
      EXPECT_GT(instance.sms, 0U);
      EXPECT_GT(instance.memory_slices, 0U);
      EXPECT_GT(instance.copy_engines, 0U);
      EXPECT_THAT(instance.applications, testing::Not(IsEmpty()));
      EXPECT_TRUE(std::is_sorted(instance.applications.begin(), instance.applications.end()));
      placed.insert(placed.end(), instance.applications.begin(), instance.applications.end());
      sms += instance.sms;
      memory_slices += instance.memory_slices;
    }
    std::vector<std::size_t> all(applications);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_THAT(placed, testing::UnorderedElementsAreArray(all));
    EXPECT_LE(sms, gpu.sms);
    EXPECT_LE(memory_slices, gpu.instances.memory_slices);
  }
}

HEDDLE_CONFORMANCE(EveryInstances, Instances);

TEST(Mig, AnInstanceHasTheSizeOfItsProfile) {
  const std::vector<Instance> instances = split(mig({"3g.20gb", "1g.10gb"}), 2);
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[0].sms, 42U);
  EXPECT_EQ(instances[0].memory_slices, 4U);
  EXPECT_EQ(instances[0].copy_engines, 3U);
  EXPECT_THAT(instances[0].applications, ElementsAre(0));
  EXPECT_EQ(instances[1].sms, 14U);
  EXPECT_EQ(instances[1].memory_slices, 2U);
  EXPECT_THAT(instances[1].applications, ElementsAre(1));
}

TEST(Mig, SeveralApplicationsMayShareAnInstance) {
  const std::vector<Instance> instances = split(mig({"2g.10gb", "4g.20gb"}, {{1, 0, 1}}), 3);
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_THAT(instances[0].applications, ElementsAre(1));
  EXPECT_THAT(instances[1].applications, ElementsAre(0, 2));
}

TEST(Mig, AnInstanceWithoutAnApplicationIsNotBuilt) {
  EXPECT_EQ(split(mig({"1g.5gb", "1g.5gb", "2g.10gb"}, {{2, 2}}), 2).size(), 1U);
}

TEST(Mig, WithoutProfilesEachApplicationHasTheLargestInstanceThatFitsForAll) {
  const auto sms = [](std::size_t applications) {
    std::vector<std::uint32_t> sizes;
    for (const Instance& instance : split(mig({}), applications)) sizes.push_back(instance.sms);
    return sizes;
  };
  EXPECT_THAT(sms(1), ElementsAre(98));
  EXPECT_THAT(sms(2), ElementsAre(42, 42));  // two of 4g have more copy engines than there are
  EXPECT_THAT(sms(3), ElementsAre(28, 28, 28));
  EXPECT_THAT(sms(7), testing::Each(14));
  EXPECT_EQ(misfit(mig({}), a100(8)), "mig: the platform has no profile of which 8 instances fit");
}

TEST(Mig, WhatDoesNotFitIsSaidInOneMessage) {
  EXPECT_EQ(misfit(mig({"3g.40gb"}), a100(1)),
            "mig: there is no profile '3g.40gb'; the platform has 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, "
            "4g.20gb, 7g.40gb");
  EXPECT_EQ(misfit(mig({"4g.20gb", "4g.20gb"}), a100(2)), "mig: the instances have 112 SMs, and the GPU 108");
  EXPECT_EQ(misfit(mig({"3g.20gb", "3g.20gb", "1g.5gb"}), a100(3)),
            "mig: the instances have 9 memory slices, and the GPU 8");
  EXPECT_EQ(misfit(mig({"1g.5gb"}), a100(2)),
            "mig: 2 applications need an instance each, or instance_of; there are 1 instances");
  EXPECT_EQ(misfit(mig({"1g.5gb"}, {{0, 1}}), a100(2)),
            "mig: instance_of names instance 1, and there are 1, from 0 on");
  EXPECT_EQ(misfit(mig({"1g.5gb"}, {{0}}), a100(2)),
            "mig: instance_of has 1 entries, and there are 2 applications");
  EXPECT_THAT(misfit(mig({"1g.5gb"}, {{0}, {0}}), a100(2)), HasSubstr("one list"));
  EXPECT_THAT(misfit(mig({}), GpuDescription{}), HasSubstr("no section mig"));
  GpuDescription few_cores = a100(1);
  few_cores.host_cores = 4;
  EXPECT_THAT(misfit(mig({}), few_cores), HasSubstr("host.cores"));
}

}  // namespace
}  // namespace heddle::test
