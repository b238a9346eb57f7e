#include "stimuli/application/arrival_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <utility>

#include "models/core/config/config.h"

namespace heddle {

namespace {

constexpr double kMostPs = 1e19;  // the longest time of the YAML reader, 10^7 s
constexpr std::pair<const char*, double> kUnits[] = {
    {"time [ps]", 1}, {"time [ns]", 1e3}, {"time [us]", 1e6}, {"time [ms]", 1e9}, {"time [s]", 1e12}};

class ArrivalFileReader {
 public:
  explicit ArrivalFileReader(const std::string& file) : file_(file), in_(file) {
    if (!in_) throw config::Error({fmt::format("{}: cannot be read", file)});
  }

  std::shared_ptr<const ArrivalTable> read() {
    read_header();
    std::vector<std::string> fields;
    while (next(fields)) read_row(fields);
    if (in_.bad()) fail("cannot be read");
    if (table_.times_ps.empty()) fail("no arrival");
    return std::make_shared<const ArrivalTable>(std::move(table_));
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw config::Error({fmt::format("{}:{}: {}", file_, std::max<std::size_t>(line_, 1), problem)});
  }

  // Reads the fields of the next line that is not empty, without blanks around them.
  bool next(std::vector<std::string>& fields) {
    std::string line;
    do {
      if (!std::getline(in_, line)) return false;
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
    } while (line.find_first_not_of(" \t") == std::string::npos);
    fields.clear();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      std::string field = line.substr(begin, end - begin);
      field.erase(0, field.find_first_not_of(" \t"));
      field.erase(field.find_last_not_of(" \t") + 1);
      fields.push_back(std::move(field));
      begin = end + 1;
    }
    return true;
  }

  void read_header() {
    std::vector<std::string> names;
    if (!next(names)) fail("the file is empty; its first line names the columns");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto* const unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                            [&](const auto& known) { return known.first == names[i]; });
      if (std::count(names.begin(), names.end(), names[i]) > 1)
        fail(fmt::format("two columns are named '{}'", names[i]));
      if (unit != std::end(kUnits)) {
        if (unit_ps_ != 0) fail("two columns of times");
        unit_ps_ = unit->second;
        time_column_ = i;
      } else {
        table_.columns.push_back({names[i], {}, true});
      }
    }
    if (unit_ps_ == 0) fail("no column 'time [UNIT]'; units: ps, ns, us, ms, s");
    columns_ = names.size();
  }

  void read_row(const std::vector<std::string>& fields) {
    if (fields.size() != columns_)
      fail(fmt::format("{} fields; there are {} columns", fields.size(), columns_));
    std::size_t column = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const double value = number(fields[i]);
      if (i == time_column_) {
        add_time(value, fields[i]);
      } else {
        ArrivalTable::Column& to = table_.columns[column++];
        to.values.push_back(value);
        to.is_whole = to.is_whole && value == std::floor(value);
      }
    }
  }

  double number(const std::string& field) const {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
      fail(fmt::format("'{}' is no number", field));
    return value;
  }

  void add_time(double value, const std::string& field) {
    if (value < 0) fail(fmt::format("the time {} is negative", field));
    const double ps = std::floor(value * unit_ps_ + 0.5);
    if (ps > kMostPs) fail(fmt::format("the time {} is beyond 10^7 s", field));
    const auto time = static_cast<std::uint64_t>(ps);
    if (!table_.times_ps.empty() && time < table_.times_ps.back())
      fail(fmt::format("the time {} is before that of the line above; times do not decrease", field));
    table_.times_ps.push_back(time);
  }

  const std::string file_;
  std::ifstream in_;
  std::size_t line_ = 0;
  double unit_ps_ = 0;
  std::size_t time_column_ = 0;
  std::size_t columns_ = 0;
  ArrivalTable table_;
};

}  // namespace

std::shared_ptr<const ArrivalTable> read_arrivals(const std::string& file) {
  return ArrivalFileReader(file).read();
}

}  // namespace heddle
