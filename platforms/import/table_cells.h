#pragma once
// Named columns of a CSV file whose numbers state their units in the head: "start_us".

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/correlate/csv_reader.h"

namespace heddle::imported {

// A unit as the end of a column's name, and how many of the smallest units (ps, B) it is.
using Units = std::vector<std::pair<std::string, double>>;
extern const Units kTimeUnits;
extern const Units kByteUnits;

// Returns the number of decimal digits such as "64", and nothing for another text.
std::optional<std::uint64_t> read_whole(std::string_view text);

class TableColumns {
 public:
  TableColumns() = default;
  // `names` are the cells of the head. Throws config::Error, at the head's line, for a name that is not
  // known, stands twice, or is required and absent. A known name that ends in '_' has a unit behind it in the
  // head.
  TableColumns(const std::vector<std::string>& names, const std::vector<std::string>& known,
               const std::vector<std::string>& required, const correlate::CsvReader& rows);

  // Throws config::Error if the column is there and its name does not end in one of the units.
  void require_scale(const std::string& column, const Units& units, const correlate::CsvReader& rows);

  bool has(const std::string& column) const { return columns_.count(column) > 0; }

  // Throws config::Error if a row has another number of cells than the head.
  void check_count(const std::vector<std::string>& cells, const correlate::CsvReader& rows) const;

  // Return a cell. Throw config::Error for a cell that is no number, is negative or too large. An absent
  // column, or an empty cell, is the fallback; without a fallback it is an error.
  std::string text(const std::string& column, const std::vector<std::string>& cells) const;
  std::uint64_t whole(const std::string& column, const std::vector<std::string>& cells,
                      const correlate::CsvReader& rows, std::optional<std::uint64_t> fallback = {}) const;
  std::uint64_t scaled(const std::string& column, const std::vector<std::string>& cells,
                       const correlate::CsvReader& rows, std::optional<std::uint64_t> fallback = {}) const;

 private:
  struct Column {
    std::size_t cell = 0;
    std::string name;  // as in the head
    std::string unit;  // its ending
    double scale = 1;
  };

  std::map<std::string, Column> columns_;
  std::size_t count_ = 0;
};

}  // namespace heddle::imported
