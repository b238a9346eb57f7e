// The names of data that lie in the folders of Heddle.

#include "models/core/config/data_path.h"

#include <gtest/gtest.h>

#include "models/core/config/config.h"

namespace heddle {
namespace {

TEST(DataPath, HasExactlyTheKnownNames) {
  for (const char* const folder : {"platforms", "stimuli/launches", "stimuli/papers"}) {
    const std::vector<std::string> known = known_data(folder);
    EXPECT_GT(known.size(), 3U) << folder;
    for (const std::string& name : known) EXPECT_TRUE(has_data(folder, name)) << folder << "/" << name;
  }
  EXPECT_FALSE(has_data("platforms", "k2"));
  EXPECT_FALSE(has_data("platforms", "k20.yaml"));
  EXPECT_FALSE(has_data("platforms", ""));
  EXPECT_FALSE(has_data("platforms", "../platforms/k20"));
  EXPECT_FALSE(has_data("platforms", "energy/k40"));
  EXPECT_FALSE(has_data("platforms", "README", ".yaml"));
  EXPECT_TRUE(has_data("platforms", "README", ".md"));
  EXPECT_FALSE(has_data("no such folder", "k20"));
}

}  // namespace
}  // namespace heddle
