#pragma once
// The DrainMode says whether a controller serves reads or writes. A write drain starts and ends at the bounds
// that the policy `write_drain` has chosen for it.

#include <memory>

#include "models/dram/dram_spec.h"
#include "policies/write_drain/i_write_drain.h"

namespace heddle {

class DrainMode {
 public:
  explicit DrainMode(const DramSpec& spec)
      : queue_(spec.queue),
        high_(spec.write_high),
        low_(spec.write_low),
        policy_(PolicyRegistry<WriteDrain>::make(spec.write_drain)) {
    ask(0);
  }

  void reset() {
    policy_->reset();
    writing_ = false;
    ask(0);
  }

  bool writing() const { return writing_; }

  // Starts or ends a drain according to the numbers of waiting requests. Returns whether that has happened.
  bool update(std::uint32_t reads, std::uint32_t writes) {
    const bool write =
        writes != 0 && (reads == 0 || (writing_ ? writes > bounds_.stop : writes >= bounds_.start));
    if (write == writing_ || (writes | reads) == 0) return false;
    writing_ = write;
    if (!write) ask(reads);
    return true;
  }

 private:
  void ask(std::uint32_t reads) { bounds_ = policy_->decide({queue_, high_, low_, reads}); }

  const std::uint32_t queue_;
  const std::uint32_t high_;
  const std::uint32_t low_;
  const std::unique_ptr<WriteDrain> policy_;
  WriteDrainBounds bounds_;  // of this drain, or of the next one
  bool writing_ = false;
};

}  // namespace heddle
