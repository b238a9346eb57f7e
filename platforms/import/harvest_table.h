#pragma once
// What scripts/harvest has measured on a card, as CSV: stimuli/HARVEST.md, "A card of one's own", has its
// lines.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::imported {

using HarvestParameters = std::vector<std::pair<std::string, std::string>>;

struct HarvestRow {
  std::string what;  // "latency"
  HarvestParameters parameters;
  double value = 0;  // the median, above 0
  std::string unit;
  std::uint64_t repetitions = 0;
  double least = 0;
  double most = 0;

  // Returns the value of a parameter, or an empty text.
  std::string parameter(const std::string& name) const;
  std::uint64_t number(const std::string& name) const;  // of a parameter that is one
};

// The lines before the table. What the driver of a card does not tell is 0.
struct HarvestCard {
  std::string name;
  double compute_capability = 0;
  double sms = 0;
  double core_clock_mhz = 0;
  double memory_clock_mhz = 0;  // two transfers a clock
  double memory_bus_bits = 0;
  double memory_mib = 0;
  double l2_kib = 0;
  double threads_per_sm = 0;
  double blocks_per_sm = 0;
  double registers_per_sm = 0;
  double shared_kib_per_sm = 0;
  std::string driver;
  std::string runtime;
  std::string date;
};

struct Harvest {
  HarvestCard card;
  std::vector<HarvestRow> rows;

  // Returns the value of the row with exactly these parameters.
  std::optional<double> find(const std::string& what, const HarvestParameters& parameters) const;
};

// Reads a file. Throws config::Error with FILE:LINE for the first line that is wrong: another version of the
// format, a key or a row that is not known, a number that is missing, negative or out of order, a row that
// stands twice.
Harvest read_harvest(const std::string& text, const std::string& file);

}  // namespace heddle::imported
