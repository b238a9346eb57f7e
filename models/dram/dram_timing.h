#pragma once
// The timing parameters of one memory, as its standard names them, and the distances between commands that
// follow from them.

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/dram/standards/dram_standard.h"

namespace heddle {

// Where a distance binds. The address map divides a channel into bank groups and banks alone, so a rule at a
// pseudo-channel or a rank binds the whole channel.
enum class TimingScope : std::uint8_t { kBank, kGroup, kAll };

// A timing rule with its distance in command clocks.
struct TimingDistance {
  const char* name;
  DramCommand previous;
  DramCommand next;
  TimingScope scope;
  std::uint32_t distance;
};

class DramTiming {
 public:
  DramTiming() = default;  // of no standard; it has no parameter
  explicit DramTiming(const DramStandard& standard)
      : standard_(&standard), values_(standard.parameters.size()) {}

  bool exists() const { return standard_ != nullptr; }
  const DramStandard& standard() const { return *standard_; }

  // A parameter by the standard's name for it; any other name is a broken invariant.
  std::uint32_t& operator[](std::string_view parameter);
  std::uint32_t operator[](std::string_view parameter) const;
  std::uint32_t value_of(std::string_view formula) const { return evaluate(*standard_, values_, formula); }

  std::uint32_t burst() const { return exists() ? value_of(standard_->burst) : 0; }
  std::uint32_t latency(bool write) const {
    return value_of(write ? standard_->write_latency : standard_->read_latency);
  }
  std::uint32_t refresh_interval() const { return value_of(standard_->refresh_interval); }
  std::uint32_t refresh_time() const { return value_of(standard_->refresh_time); }

  // Every rule of the standard, also of the forms with automatic precharge.
  std::vector<TimingDistance> distances() const;
  // The longest that a rule sets between two commands at this scope; 0: no rule does.
  std::uint32_t distance(DramCommand previous, DramCommand next, TimingScope scope) const;

 private:
  const DramStandard* standard_ = nullptr;
  TimingValues values_;
};

}  // namespace heddle
