#pragma once
// The files of a campaign's directory that the campaign does not need any more.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

struct Leftover {
  std::string path;
  std::uint64_t bytes = 0;
};

// Removes the runs that points.json does not name and the drafts that no process works at, in the order of
// their paths; `dry_run` removes nothing. Calls `found` with each as it goes. Throws config::Error if there
// is no campaign or another process works at it, OutputError if a run cannot be removed.
void remove_leftovers(const std::string& directory, bool dry_run,
                      const std::function<void(const Leftover&)>& found);

}  // namespace heddle
