#pragma once
// Performance against blocks on an SM, kernel by kernel (Warped-Slicer, Section IV, Figure 3a): what profiles
// measured, and the curves made of it.
//
//   - Measurements of the same count are averaged. A count that was not measured is worth as much as the next
//     smaller one that was; below the smallest, performance goes with the blocks.
//   - A curve is divided by its best. One of zeros, or of a kernel that was never measured, is a straight
//     line: performance goes with the blocks.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// Which code: launches that share it have the same curve.
struct KernelKey {
  ContextId context;
  std::uint32_t tag = 0;        // see KernelView
  std::uint32_t residency = 0;  // blocks that one empty SM can hold: the curve's length

  friend bool operator==(const KernelKey& a, const KernelKey& b) {
    return a.context == b.context && a.tag == b.tag && a.residency == b.residency;
  }
  friend bool operator!=(const KernelKey& a, const KernelKey& b) { return !(a == b); }
};

class ProfileCurves {
 public:
  bool knows(const KernelKey& key) const;
  // With 1, 2, ... blocks up to the residency, the best being 1; a straight line if it is not known.
  std::vector<double> curve(const KernelKey& key) const;
  void forget(const KernelKey& key);
  void forget(ContextId context);
  void reset() { entries_.clear(); }

  // A profile: begin() drops what an unfinished one has measured; finish() turns what was measured of a
  // kernel into its curve. Nothing measured: it keeps the one it has, or has a straight line from now on.
  void begin();
  // Performance in any unit, the same throughout a profile; blocks are 1 to the residency.
  void measured(const KernelKey& key, std::uint32_t blocks, double performance);
  void finish(const KernelKey& key);

 private:
  struct Mean {
    double sum = 0;
    std::uint32_t count = 0;
  };
  struct Entry {
    KernelKey key;
    bool known = false;
    std::vector<double> curve;
    std::vector<Mean> measured;  // by blocks - 1, in this profile
  };
  const Entry* find(const KernelKey& key) const;
  Entry& entry(const KernelKey& key);
  static void make_curve(Entry& entry);

  std::vector<Entry> entries_;  // in order of their first measurement
};

}  // namespace heddle
