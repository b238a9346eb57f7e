#include "platforms/correlate/table_source.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "platforms/correlate/csv_reader.h"
#include "platforms/correlate/profiler_table.h"

namespace heddle::correlate {

namespace {

constexpr double kMostCycle = 9007199254740992.0;  // 2^53, up to which a double has all whole numbers
constexpr double kFemtosecondsPerPicosecond = 1000;

std::optional<std::uint64_t> whole(const std::string& cell) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return number;
}

// Returns the femtoseconds in the unit of a head such as "time [ns]", or 0 for another head.
double time_unit_of(const std::string& head) {
  static constexpr std::array<const char*, 6> kUnits{"fs", "ps", "ns", "us", "ms", "s"};
  double unit = 1;
  for (const char* name : kUnits) {
    if (head == fmt::format("time [{}]", name)) return unit;
    unit *= 1000;
  }
  return 0;
}

}  // namespace

// Passes the rows of a table on, each but the last as a moment.
class TableSource::Player {
 public:
  Player(const TableSource& table, const std::vector<std::size_t>& watched, MomentSink& sink)
      : table_(table), watched_(watched), sink_(sink), values_(watched.size()), zeros_(watched.size()) {
    for (std::size_t i = 0; i < watched.size(); ++i) {
      const bool is_real = table.signal(watched[i]).is_real;
      values_[i].bits = LogicVector(is_real ? 1 : table.columns_[watched[i]].width);
      zeros_[i] = values_[i];
      zeros_[i].real = 0;
      zeros_[i].bits.assign(std::uint64_t{0});
    }
  }

  void play() {
    CsvReader rows(table_.text_, table_.file_);
    std::vector<std::string> cells;
    for (std::size_t head = 0; head < table_.heads_; ++head) rows.next(cells);
    while (rows.next(cells)) take(rows, cells);
    if (!has_row_) throw config::Error({table_.file_ + ": has no row of values"});
    if (!has_moment_) sink_.moment(cycle_, values_);
    sink_.pause(cycle_, values_);
  }

 private:
  void take(const CsvReader& rows, const std::vector<std::string>& cells) {
    if (cells.size() != table_.cells_)
      rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), table_.cells_));
    const bool has_position = table_.position_ != Position::kNone;
    const std::uint64_t cycle = has_position ? table_.cycle_of(cells[table_.position_cell_], rows) : row_;
    ++row_;
    if (has_row_) {
      if (cycle <= cycle_) rows.fail(fmt::format("cycle {} after cycle {}", cycle, cycle_));
      sink_.moment(cycle_, values_);
      has_moment_ = true;
    } else if (has_position && cycle > 0) {
      sink_.moment(0, zeros_);
      has_moment_ = true;
    }
    has_row_ = true;
    cycle_ = cycle;
    for (std::size_t i = 0; i < watched_.size(); ++i)
      set(values_[i], table_.columns_[watched_[i]], cells[table_.columns_[watched_[i]].cell], rows);
  }

  static void set(SignalValue& value, const Column& column, const std::string& cell, const CsvReader& rows) {
    if (column.width != 0) {
      const std::optional<std::uint64_t> number = whole(cell);
      if (number && (column.width == 64 || *number >> column.width == 0)) {
        value.bits.assign(*number);
        return;
      }
      if (!cell.empty())
        rows.fail(fmt::format("'{}' of '{}' is no number of {} bits", cell, column.name, column.width));
      value.bits.assign("x");
      return;
    }
    double number = 0;
    const bool is_number = read_decimal(cell, number);
    if (!is_number && !cell.empty()) rows.fail(fmt::format("'{}' of '{}' is no number", cell, column.name));
    value.real = is_number ? std::optional<double>(number) : std::nullopt;
  }

  const TableSource& table_;
  const std::vector<std::size_t>& watched_;
  MomentSink& sink_;
  SignalValues values_, zeros_;
  bool has_row_ = false;
  bool has_moment_ = false;
  std::uint64_t row_ = 0;
  std::uint64_t cycle_ = 0;  // of the row in `values_`
};

TableSource::TableSource(std::string text, std::string file, std::string format)
    : text_(std::move(text)), file_(std::move(file)), format_(std::move(format)) {
  if (format_ == "autocounter") {
    read_autocounter_header();
  } else if (format_ == "csv") {
    read_plain_header();
  } else {
    read_profile();
  }
}

void TableSource::add_column(const std::string& name, std::size_t cell, unsigned width) {
  if (name.empty()) throw config::Error({fmt::format("{}: column {} has no name", file_, cell + 1)});
  if (!index_.emplace(name, columns_.size()).second)
    throw config::Error({fmt::format("{}: two columns are named '{}'", file_, name)});
  columns_.push_back({name, cell, width});
}

void TableSource::read_plain_header() {
  CsvReader rows(text_, file_);
  std::vector<std::string> heads;
  if (!rows.next(heads)) throw config::Error({file_ + ": is empty"});
  heads_ = 1;
  cells_ = heads.size();
  for (std::size_t cell = 0; cell < heads.size(); ++cell) {
    const double unit = time_unit_of(heads[cell]);
    if (heads[cell] != "cycle" && unit == 0) {
      add_column(heads[cell], cell, 0);
      continue;
    }
    if (position_ != Position::kNone) rows.fail("two columns state the position of a row");
    position_ = unit == 0 ? Position::kCycle : Position::kTime;
    position_cell_ = cell;
    if (unit != 0) position_scale_ = unit;
  }
}

void TableSource::read_autocounter_header() {
  static constexpr std::array<const char*, 7> kHeads{
      "version", "Clock Domain Name", "label", "description", "type", "event width", "accumulator width"};
  CsvReader rows(text_, file_);
  std::array<std::vector<std::string>, kHeads.size()> cells;
  for (std::size_t i = 0; i < kHeads.size(); ++i)
    if (!rows.next(cells[i]) || cells[i][0] != kHeads[i])
      rows.fail(fmt::format("needs the row '{}'", kHeads[i]));
  if (cells[0].size() != 2 || cells[0][1] != "1")
    throw config::Error({file_ + ": is no AutoCounter file of version 1"});
  const std::vector<std::string>& domain = cells[1];
  double multiplier = 0, divisor = 0;
  if (domain.size() != 6 || !read_decimal(domain[3], multiplier) || !read_decimal(domain[5], divisor) ||
      multiplier <= 0 || divisor <= 0)
    throw config::Error({file_ + ": the row 'Clock Domain Name' needs a name, a multiplier and a divisor"});
  heads_ = kHeads.size();
  cells_ = cells[2].size();
  position_ = Position::kBaseCycle;
  position_scale_ = multiplier / divisor;
  for (std::size_t cell = 1; cell < cells_; ++cell) {
    const std::optional<std::uint64_t> width =
        cells[6].size() == cells_ ? whole(cells[6][cell]) : std::nullopt;
    if (!width || *width == 0 || *width > 64) rows.fail("each label needs a width of 1 to 64 bits");
    add_column(cells[2][cell], cell, static_cast<unsigned>(*width));
  }
}

// A profile becomes a table of one row.
void TableSource::read_profile() {
  std::string heads, values;
  for (const ProfiledCounter& counter : correlate::read_profile(text_, file_, format_)) {
    add_column(counter.name, columns_.size(), 0);
    values += fmt::format("{}{}", values.empty() ? "" : ",", counter.value);
  }
  if (columns_.empty()) throw config::Error({file_ + ": has no row of values"});
  text_ = values + "\n";
  cells_ = columns_.size();
}

std::uint64_t TableSource::cycle_of(const std::string& cell, const CsvReader& rows) const {
  double number = 0;
  if (!read_decimal(cell, number) || number < 0) rows.fail(fmt::format("'{}' is no position", cell));
  number *= position_scale_;
  if (position_ == Position::kTime) number /= period_fs_;
  if (number > kMostCycle) rows.fail(fmt::format("position '{}' is too large", cell));
  return static_cast<std::uint64_t>(std::llround(number));
}

std::optional<std::size_t> TableSource::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

RtlSignal TableSource::signal(std::size_t index) const {
  const Column& column = columns_[index];
  const bool is_real = column.width == 0;
  return {column.name, is_real ? 1 : column.width, is_real, is_real ? 0 : std::int64_t{column.width} - 1, 0};
}

void TableSource::set_up(const CorrelationMap& map) {
  if (map.reset) map.reset->signal.place.problem(fmt::format("a table ({}) has no reset", format_));
  if (map.windows && map.windows->signal)
    map.windows->signal->place.problem(fmt::format("a table ({}) has no signals of windows", format_));
  if (map.windows && position_ == Position::kNone)
    map.windows->place.problem("the RTL has no column 'cycle' or 'time [UNIT]'");
  const bool needs_period = position_ == Position::kTime && map.windows;
  if (map.clock && (map.clock->signal || position_ != Position::kTime))
    map.clock->place.problem(fmt::format("a table ({}) has no clock; only times need a period", format_));
  if (needs_period && !map.clock) map.windows->place.problem("times need the 'period' of 'clock'");
  period_fs_ = map.clock ? static_cast<double>(map.clock->period_ps) * kFemtosecondsPerPicosecond
                         : kFemtosecondsPerPicosecond;
}

void TableSource::play(const std::vector<std::size_t>& watched, MomentSink& sink) {
  Player(*this, watched, sink).play();
}

}  // namespace heddle::correlate
