#pragma once
// A DramTiming has the timing parameters of one memory under the names of its standard, and the distances
// between commands that follow from them.

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/dram/standards/dram_standard.h"

namespace heddle {

// A TimingScope says where a timing rule applies: in one bank, in one bank group, among all banks of a
// controller, or between banks of different stack ids. A controller has one pseudo-channel, so a rule of a
// channel or a pseudo-channel is one of all banks.
enum class TimingScope : std::uint8_t { kBank, kGroup, kAll, kOtherStack };

// A TimingDistance is a timing rule with its distance in command clocks (CK).
struct TimingDistance {
  const char* name;
  DramCommand previous;
  DramCommand next;
  TimingScope scope;
  std::uint32_t distance;
};

class DramTiming {
 public:
  DramTiming() = default;  // has no standard and no parameter
  explicit DramTiming(const DramStandard& standard)
      : standard_(&standard), values_(standard.parameters.size()) {}

  bool exists() const { return standard_ != nullptr; }
  const DramStandard& standard() const { return *standard_; }

  // Returns the parameter of that name in the standard. A name that the standard lacks is a broken invariant.
  std::uint32_t& operator[](std::string_view parameter);
  std::uint32_t operator[](std::string_view parameter) const;
  std::uint32_t value_of(std::string_view formula) const { return evaluate(*standard_, values_, formula); }

  std::uint32_t burst() const { return exists() ? value_of(standard_->burst) : 0; }
  std::uint32_t latency(bool write) const {
    return value_of(write ? standard_->write_latency : standard_->read_latency);
  }
  std::uint32_t refresh_interval() const { return value_of(standard_->refresh_interval); }
  std::uint32_t refresh_time() const { return value_of(standard_->refresh_time); }
  // These require a standard with refreshes of single banks.
  std::uint32_t bank_refresh_interval() const { return value_of(standard_->bank_refresh_interval); }
  std::uint32_t bank_refresh_time() const { return value_of(standard_->bank_refresh_time); }

  // Returns every rule of the standard, including those of the commands with automatic precharge.
  std::vector<TimingDistance> distances() const;
  // Returns the longest distance of the rules between the two commands at this scope, or 0 without such a
  // rule.
  std::uint32_t distance(DramCommand previous, DramCommand next, TimingScope scope) const;

 private:
  const DramStandard* standard_ = nullptr;
  TimingValues values_;
};

}  // namespace heddle
