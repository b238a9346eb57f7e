#pragma once
// Tests share the compiled objects of Verilator's run-time library, which take seconds to compile and are the
// same for all RTL blocks.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tests/support/paths.h"

namespace heddle::test {

// Returns the folder of the library cache that all tests of a build share.
inline std::filesystem::path lasting_cache() {
  return rtl_directory() + "/cache";
}

// Copies the object files that the cache `to` lacks. Each copy is renamed when it is complete, because other
// tests read and write the folders at the same time.
inline void copy_runtime(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::create_directories(to / "rtl", ignored);
  for (const auto& entry : fs::directory_iterator(from / "rtl", ignored)) {
    const fs::path copy = to / "rtl" / entry.path().filename();
    if (entry.path().extension() != ".o" || fs::exists(copy, ignored)) continue;
    const fs::path draft = copy.string() + ".draft" + std::to_string(::getpid());
    if (fs::copy_file(entry.path(), draft, ignored)) fs::rename(draft, copy, ignored);
  }
}

// A SharedRuntime fills the library cache of one test with object files from the shared cache. At the end of
// the test it adds the files that the test has compiled to the shared cache.
class SharedRuntime {
 public:
  explicit SharedRuntime(std::filesystem::path cache) : cache_(std::move(cache)) {
    copy_runtime(lasting_cache(), cache_);
  }
  ~SharedRuntime() { copy_runtime(cache_, lasting_cache()); }
  SharedRuntime(const SharedRuntime&) = delete;
  SharedRuntime& operator=(const SharedRuntime&) = delete;

 private:
  std::filesystem::path cache_;
};

}  // namespace heddle::test
