#pragma once
// Runs heddle where the folder `full` of the test is a file system of a few KiB.

#include <unistd.h>

#include <optional>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

namespace heddle::test {

// `variable` names the folder to the program: TMPDIR, or HEDDLE_CACHE. Returns nothing where this machine
// lets no user mount a file system.
inline std::optional<Outcome> on_full_disk(const std::filesystem::path& directory,
                                           const std::filesystem::path& captured, const char* variable,
                                           std::vector<std::string> words) {
  constexpr const char* kMount = "mount -t tmpfs -o size=16k none full || exit 125; exec \"$0\" \"$@\"";
  std::filesystem::create_directories(directory / "full");
  Surroundings inside;
  inside.prepare = [&] {
    if (chdir(directory.c_str()) != 0) _exit(126);
    setenv("HEDDLE_CACHE", (directory / "cache").c_str(), 1);
    setenv(variable, (directory / "full").c_str(), 1);
  };
  words.insert(words.begin(), {"unshare", "-rm", "sh", "-c", kMount, heddle_program()});
  Outcome outcome = execute_program(std::move(words), captured, std::chrono::seconds(120), inside);
  if (outcome.code == 125 || outcome.code == 126 || outcome.code == 127 ||
      outcome.err.rfind("unshare: ", 0) == 0)
    return std::nullopt;
  return outcome;
}

}  // namespace heddle::test
