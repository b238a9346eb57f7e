// The cache of libraries: what is found again, and what makes it forget.

#include "platforms/rtl/library_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/problems.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LibraryCacheTest : public testing::Test {
 protected:
  LibraryCacheTest() {
    std::string folder = fs::temp_directory_path() / "heddle-rtl-cache-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    ::setenv("HEDDLE_CACHE", (folder_ / "cache").c_str(), 1);
    fs::create_directory(folder_ / "rtl");
    write("rtl/a.sv", "module a;");
    write("rtl/b.svh", "`define B");
    inputs_ = {{file("rtl/a.sv"), file("rtl/b.svh")}, {file("rtl")}};
  }
  ~LibraryCacheTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  // Keeps a library, and returns its path.
  std::string keep(const LibraryCache& cache, const std::string& recipe) const {
    std::string library = cache.library_of(recipe, inputs_);
    const DraftFolder draft(cache);
    draft.write("block.so", recipe);
    cache.publish(draft.path("block.so"), library);
    cache.keep_inputs(recipe, inputs_);
    return library;
  }

  fs::path folder_;
  RtlInputs inputs_;
};

TEST_F(LibraryCacheTest, ALibraryIsFoundByItsRecipeUnderAReadableName) {
  const LibraryCache cache("arbiter");
  EXPECT_EQ(cache.find("one"), std::nullopt);
  const std::string library = keep(cache, "one");
  EXPECT_EQ(fs::path(library).parent_path(), file("cache/rtl"));
  EXPECT_THAT(fs::path(library).filename(), testing::ContainsRegex("^arbiter-[0-9a-f]{32}\\.so$"));
  EXPECT_EQ(cache.find("one"), library);
  EXPECT_EQ(LibraryCache("arbiter").find("one"), library);
  EXPECT_EQ(cache.find("two"), std::nullopt);
  EXPECT_EQ(LibraryCache("other").find("one"), std::nullopt);
}

TEST_F(LibraryCacheTest, AChangedInputHasAnotherLibraryAndTheOldContentTheOldOne) {
  const LibraryCache cache("arbiter");
  const std::string library = keep(cache, "one");
  write("rtl/b.svh", "`define C");
  EXPECT_EQ(cache.find("one"), std::nullopt);
  EXPECT_NE(keep(cache, "one"), library);
  write("rtl/b.svh", "`define B");
  EXPECT_EQ(cache.find("one"), library);
}

TEST_F(LibraryCacheTest, AFileThatAppearsOrVanishesIsNoticed) {
  const LibraryCache cache("arbiter");
  const std::string library = keep(cache, "one");
  write("rtl/c.svh", "");
  EXPECT_EQ(cache.find("one"), std::nullopt);  // Verilator may read it now
  fs::remove(file("rtl/c.svh"));
  EXPECT_EQ(cache.find("one"), library);
  fs::remove(file("rtl/b.svh"));
  EXPECT_EQ(cache.find("one"), std::nullopt);
}

TEST_F(LibraryCacheTest, ALibraryThatWasRemovedIsNotFound) {
  const LibraryCache cache("arbiter");
  fs::remove(keep(cache, "one"));
  EXPECT_EQ(cache.find("one"), std::nullopt);
}

TEST_F(LibraryCacheTest, DraftsAreRemoved) {
  const LibraryCache cache("arbiter");
  std::string path;
  {
    const DraftFolder draft(cache);
    draft.write("a", "text");
    path = draft.path();
    EXPECT_TRUE(fs::exists(path + "/a"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(LibraryCacheTest, AFolderThatCannotBeMadeIsOneMessage) {
  write("file", "");
  ::setenv("HEDDLE_CACHE", file("file").c_str(), 1);
  EXPECT_THAT(problems_of([] { LibraryCache cache("arbiter"); }).at(0),
              HasSubstr("$HEDDLE_CACHE names another"));
  for (const char* name : {"HEDDLE_CACHE", "XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
  EXPECT_THAT(problems_of([] { LibraryCache cache("arbiter"); }).at(0), HasSubstr("set $HEDDLE_CACHE"));
}

TEST_F(LibraryCacheTest, ACacheThatIsOffIsATemporaryFolderOfTheProcess) {
  ::setenv("HEDDLE_CACHE", "none", 1);
  ::setenv("TMPDIR", folder_.c_str(), 1);
  const LibraryCache cache("arbiter");
  const std::string path = cache.path("a.so");
  EXPECT_EQ(path.rfind(folder_.string() + "/heddle-", 0), 0u) << path;
  EXPECT_EQ(LibraryCache("other").path("a.so"), path) << "one folder for all blocks";
  EXPECT_FALSE(fs::exists("none"));
}

}  // namespace
}  // namespace heddle::test
