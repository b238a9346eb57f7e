#pragma once
// The performance of each kernel as a function of its blocks on an SM (Warped-Slicer, Section IV, Figure 3a).
// The curves are computed from the measurements of profiles.
//
//   - Measurements of the same number of blocks are averaged. A number that was not measured has the
//     performance of the next smaller measured number. Below the smallest measured number, performance is
//     proportional to the number of blocks.
//   - A curve is divided by its largest value. If all values are zero, or if the kernel was never measured,
//     the curve is a straight line: performance is proportional to the number of blocks.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

// The key of a curve. Launches with the same key share a curve, because they run the same code.
struct KernelKey {
  ContextId context;
  std::uint32_t tag = 0;        // see KernelView
  std::uint32_t residency = 0;  // blocks that one empty SM can hold, which is the length of the curve

  friend bool operator==(const KernelKey& a, const KernelKey& b) {
    return a.context == b.context && a.tag == b.tag && a.residency == b.residency;
  }
  friend bool operator!=(const KernelKey& a, const KernelKey& b) { return !(a == b); }
};

class ProfileCurves {
 public:
  bool knows(const KernelKey& key) const;
  // Returns the performance with 1, 2, ... blocks up to the residency; the best is 1. A straight line if it
  // is not known.
  std::vector<double> curve(const KernelKey& key) const;
  // The kernel must be profiled again. Until a profile measures it, its curve counts as unknown; a profile
  // that measures nothing, because the blocks of other kernels did not leave, brings the curve back.
  void forget(const KernelKey& key);
  void forget(ContextId context);
  void reset() { entries_.clear(); }

  // Starts a profile and drops the measurements of an unfinished one.
  void begin();
  // Adds a measurement. The unit of performance is the same throughout a profile, and blocks are 1 to the
  // residency.
  void add_measurement(const KernelKey& key, std::uint32_t blocks, double performance);
  // Computes the curve of a kernel from its measurements. Without any, the kernel keeps its curve, or gets a
  // straight line if it has none.
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
    std::vector<Mean> measured;  // the measurements of this profile, by blocks - 1
  };
  const Entry* find(const KernelKey& key) const;
  Entry& entry(const KernelKey& key);
  static void make_curve(Entry& entry);

  std::vector<Entry> entries_;  // in order of their first measurement
};

}  // namespace heddle
