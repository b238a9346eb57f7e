#pragma once
// Tells a deadlock from a pause: when no component has made progress for a number of cycles although one is
// not idle, nothing will happen any more, and each component says what it waits for.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class Watchdog {
 public:
  struct Component {
    std::string name;
    std::function<std::uint64_t()> progress;   // grows with everything the component moves
    std::function<bool()> idle;                // nothing is in flight in it
    std::function<std::string()> waiting_for;  // what it holds and what for
  };

  explicit Watchdog(std::uint64_t limit) : limit_(limit) {}  // cycles of the caller's clock, 1 or more

  void watch(Component component) { components_.push_back(std::move(component)); }

  // To be asked now and then. Empty while all is well; else how long nothing has moved, and a line for each
  // component that is not idle, in the order they were added.
  std::string check(Cycle now);
  // The next check counts from cycle 0. The components stay.
  void reset() {
    seen_ = 0;
    moved_ = Cycle{0};
  }
  // Those lines alone, each after a line feed.
  std::string waiting() const;

 private:
  std::uint64_t progress() const;
  bool idle() const;

  std::uint64_t limit_;
  std::vector<Component> components_;
  std::uint64_t seen_ = 0;
  Cycle moved_{0};  // the last check that found progress, or everything idle
};

}  // namespace heddle
