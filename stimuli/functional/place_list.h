#pragma once
// A PlaceList collects where the warps of blocks are, and makes lines of it for people: one for several warps
// of a block at the same place.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

class PlaceList {
 public:
  // Warps of a block are added one after another.
  void add(const std::string& block, std::uint32_t warp, const std::string& place);
  // Returns the first KernelProgram::kMostPlaces lines, each behind a line feed, and how many warps are left
  // out.
  std::string text() const;

 private:
  struct Line {
    std::string block;
    std::string place;
    std::uint32_t first = 0;  // warps
    std::uint32_t last = 0;
    bool is_range = true;  // all warps from the first to the last are there
    std::uint32_t count = 0;
  };
  std::vector<Line> lines_;
  std::uint64_t left_out_ = 0;  // warps
};

}  // namespace heddle
