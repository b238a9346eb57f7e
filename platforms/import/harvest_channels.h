#pragma once
// The memory channels of a card: those of a base platform, as many as the bandwidth of the card needs.

#include <cstdint>
#include <string>

#include "models/gpu/gpu_spec.h"
#include "platforms/import/harvest_table.h"

namespace heddle::imported {

class HarvestChannels {
 public:
  // `base` must outlive the object.
  HarvestChannels(const HarvestCard& card, const MemoryPathSpec& base);

  std::uint32_t count() const { return count_; }
  double hz() const { return hz_; }
  double peak() const { return peak_; }  // bytes a second; 0: the driver of the card does not tell

  // Returns the address map of the base with as many bits of the row as the memory needs.
  std::string map() const;
  // Returns the bytes that the channels hold.
  std::uint64_t bytes() const { return std::uint64_t{count_} << map().size(); }
  // Returns whether the base hashes the number of a channel, with another number of channels.
  bool needs_hash() const;
  // Returns a hash for that number: each of its bits is hashed with the bits above the number that lie a
  // multiple of its width higher.
  std::string hash() const;

 private:
  const MemoryPathSpec& base_;
  const double memory_bytes_;
  std::uint32_t count_;
  double hz_;
  double peak_ = 0;
};

}  // namespace heddle::imported
