#pragma once
// A card that scripts/harvest has measured becomes a platform: what differs from a platform that Heddle has.

#include <string>
#include <vector>

#include "platforms/import/harvest_table.h"

namespace heddle::imported {

struct PlatformOptions {
  std::string name;  // of the platform
  std::string base;  // a platform's name or file; empty: default_base()
};

struct PlatformImport {
  std::string text;
  std::string base;
  std::vector<std::string> notes;  // what was not measured, or could not be taken
};

// Returns the shipped platform with cycle SMs whose compute capability is the highest that is not above the
// card's; of several, the one whose number of SMs, and then whose memory, is nearest to the card's, and then
// the first by name. Throws config::Error if there is none.
std::string default_base(const HarvestCard& card);

// Writes the platform. Throws config::Error for a base that does not exist or has no cycle SMs.
PlatformImport import_platform(const Harvest& harvest, const PlatformOptions& options);

// Reads a file of a platform as `heddle check` does. Throws config::Error.
void check_platform_file(const std::string& path);

}  // namespace heddle::imported
