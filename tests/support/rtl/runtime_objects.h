#pragma once
// The objects of Verilator's run-time, which take long to compile. They are the same for all blocks.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tests/support/paths.h"

namespace heddle::test {

// The cache of libraries that lasts between tests.
inline std::filesystem::path lasting_cache() {
  return rtl_directory() + "/cache";
}

// Copies what is not there yet. An object is there whole or not at all, because other tests copy at the same
// time.
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

// A cache has the objects that tests before have compiled, and leaves its own to those that follow.
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
