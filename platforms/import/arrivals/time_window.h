#pragma once
// The part of a trace that is taken, between two times or dates.

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::imported {

class TimeWindow {
 public:
  // `from` and `to` are times since the first arrival such as "10s", dates, or empty. Throws config::Error
  // for another text, and for a date if the trace has none.
  TimeWindow(const std::string& from, const std::string& to, bool has_dates);

  // Tells the time of the first arrival, in ns, which the following functions need. Throws config::Error if
  // the window ends before it starts.
  void begin(std::int64_t first_ns);

  bool has(std::int64_t time_ns) const { return (!from_ || time_ns >= *from_) && (!to_ || time_ns < *to_); }
  std::int64_t origin_ns() const { return from_.value_or(first_ns_); }  // times are counted from here

 private:
  struct Bound {
    std::int64_t ns = 0;
    bool is_date = false;
  };
  static std::optional<Bound> read(const char* option, const std::string& text, bool has_dates);
  std::optional<std::int64_t> absolute(const std::optional<Bound>& bound) const;

  std::optional<Bound> stated_from_;
  std::optional<Bound> stated_to_;
  std::int64_t first_ns_ = 0;
  std::optional<std::int64_t> from_;
  std::optional<std::int64_t> to_;
};

}  // namespace heddle::imported
