#pragma once
// A table of counters as a source. Formats:
//
// - csv: the first row has names, and each row below values. With a column `cycle`, or `time [UNIT]` (fs, ps,
//   ns, us, ms, s), the rows are samples in ascending order; counters are zero at cycle 0 unless a row says
//   otherwise. Without one the last row counts.
// - autocounter: what FireSim's AutoCounter writes (version 1): rows `version`, `Clock Domain Name`, `label`,
//   `description`, `type`, `event width` and `accumulator width`, then a row for each sample, whose first
//   cell is the cycle of the base clock. Cycles are those of the clock domain.
// - ncu, nvprof: see profiler_table.h.
//
// An empty cell is unknown.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/correlate/rtl_source.h"

namespace heddle::correlate {

class TableSource final : public RtlSource {
 public:
  // `text` is the content of the file. Throws config::Error with file and line.
  TableSource(std::string text, std::string file, std::string format);

  std::string format() const override { return format_; }
  bool is_waveform() const override { return false; }
  std::optional<std::size_t> find(const std::string& name) const override;
  std::size_t signals() const override { return columns_.size(); }
  RtlSignal signal(std::size_t index) const override;
  void set_up(const CorrelationMap& map) override;
  void play(const std::vector<std::size_t>& watched, MomentSink& sink) override;

 private:
  enum class Position : std::uint8_t { kNone, kCycle, kBaseCycle, kTime };

  struct Column {
    std::string name;
    std::size_t cell = 0;  // in a row
    unsigned width = 64;
  };

  class Player;

  void read_plain_header();
  void read_autocounter_header();
  void read_profile();
  void add_column(const std::string& name, std::size_t cell, unsigned width);
  std::uint64_t cycle_of(const std::string& cell, const class CsvReader& rows) const;

  std::string text_;
  std::string file_;
  std::string format_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> index_;  // of columns by name
  std::size_t heads_ = 0;                               // rows before the first sample
  std::size_t cells_ = 0;                               // of a row
  Position position_ = Position::kNone;
  std::size_t position_cell_ = 0;
  double position_scale_ = 1;  // cycles of the counters in a base cycle, or femtoseconds in a unit of time
  double period_fs_ = 0;
};

}  // namespace heddle::correlate
