// Local memory on the address maps of the shipped platforms: pages by first touch, channels and L2 slices.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "models/core/kernel/local_layout.h"
#include "models/core/memory/page_table.h"
#include "models/dram/address_map.h"
#include "models/l2/l2_spec.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

constexpr Address kWords = 840;

class Slices {
 public:
  explicit Slices(const GpuSpec& spec)
      : spec_(spec),
        path_(*spec.memory),
        channels_(path_.dram.map),
        pages_(path_.page_bytes, spec.device_bytes, 1),
        lines_(channels_.channels() * path_.l2.slices_per_channel) {}

  void access(std::uint32_t sm, std::uint32_t slot, Address word) {
    const LocalLayout layout(sm, spec_.sm.count, spec_.sm.limits.warps);
    const Address physical = pages_.translate(ContextId{0}, layout.line(word, slot), recent_);
    const ChannelPlace place = channels_.place(physical);
    ++lines_[place.channel * path_.l2.slices_per_channel + slice_in_channel(path_.l2, place.local)];
    ++accesses_;
  }
  // Returns the lines of the busiest slice over those of a slice if all had as many.
  double busiest() const {
    const double share = static_cast<double>(accesses_) / static_cast<double>(lines_.size());
    return static_cast<double>(*std::max_element(lines_.begin(), lines_.end())) / share;
  }

 private:
  const GpuSpec& spec_;
  const MemoryPathSpec& path_;
  ChannelMap channels_;
  PageTables pages_;
  PageTables::Recent recent_;
  std::vector<std::uint64_t> lines_;
  std::uint64_t accesses_ = 0;
};

// Calls the function for each shipped platform that has cycle SMs.
void for_each_cycle_platform(const std::function<void(const std::string&, const GpuSpec&)>& check) {
  std::size_t platforms = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::source_directory() + "/platforms")) {
    if (file.path().extension() != ".yaml") continue;
    const std::string name = file.path().stem();
    const GpuSpec spec = load_platform(name);
    if (!spec.memory || !spec.sm.executes()) continue;
    ++platforms;
    check(name, spec);
  }
  EXPECT_GE(platforms, 6u);
}

TEST(LocalMemorySpread, OneWarpOnEachSmLoadsTheSlicesEvenly) {
  for_each_cycle_platform([](const std::string& name, const GpuSpec& spec) {
    Slices slices(spec);
    for (Address word = 0; word < kWords; ++word)
      for (std::uint32_t sm = 0; sm < spec.sm.count; ++sm) slices.access(sm, 0, word);
    EXPECT_LT(slices.busiest(), 1.2) << name;
  });
}

TEST(LocalMemorySpread, AWarpAloneLoadsTheSlicesEvenly) {
  for_each_cycle_platform([](const std::string& name, const GpuSpec& spec) {
    Slices slices(spec);
    // Hashed maps spread lines as by chance, so that few lines say little.
    for (Address word = 0; word < 10 * kWords; ++word) slices.access(1 % spec.sm.count, 3, word);
    EXPECT_LT(slices.busiest(), 1.5) << name;
  });
}

TEST(LocalMemorySpread, AFewWordsOfAllWarpsLoadTheSlicesEvenly) {
  for_each_cycle_platform([](const std::string& name, const GpuSpec& spec) {
    Slices slices(spec);
    for (Address word = 0; word < 4; ++word)
      for (std::uint32_t slot = 0; slot < spec.sm.limits.warps; ++slot)
        for (std::uint32_t sm = 0; sm < spec.sm.count; ++sm) slices.access(sm, slot, word);
    EXPECT_LT(slices.busiest(), 1.2) << name;
  });
}

TEST(LocalMemorySpread, OneWordOfTheWarpsOfAnSmUsesHalfOfTheSlicesOrMore) {
  for_each_cycle_platform([](const std::string& name, const GpuSpec& spec) {
    Slices slices(spec);
    for (std::uint32_t slot = 0; slot < spec.sm.limits.warps; ++slot) slices.access(0, slot, 7);
    const double share = double(spec.sm.limits.warps) / spec.memory->slices();
    EXPECT_LE(slices.busiest() * share, std::max(2 * share, 4.0)) << name;
  });
}

}  // namespace
}  // namespace heddle
