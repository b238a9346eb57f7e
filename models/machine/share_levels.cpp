#include "models/machine/share_levels.h"

#include <algorithm>

namespace heddle {

namespace {

// Calls `f` with each slice of the kernel that is not leaving, and its KSR.
template <class F>
void for_each_slice(const SmDriver& driver, ContextId context, std::uint32_t tag, F f) {
  for (const Smsr& smsr : driver.smsrs())
    for (const SliceEntry& entry : smsr.slices) {
      const Ksr& ksr = driver.ksrs()[entry.slice.kernel];
      if (entry.state != SliceState::kLeaving && ksr.launch.context == context && ksr.launch.tag == tag)
        f(entry, ksr);
    }
}

}  // namespace

void add_slice_levels(const SmDriver& driver, ContextId context, std::uint32_t tag, Group& kernel) {
  kernel.add_level("sms", "SM", "SMs that the partition gives to its launches", [&driver, context, tag] {
    double slices = 0;
    for_each_slice(driver, context, tag, [&](const SliceEntry&, const Ksr&) { ++slices; });
    return slices;
  });
  kernel.add_level("block_limit", "block",
                   "blocks that its launches may have on these SMs, by quota, cap and resources",
                   [&driver, context, tag] {
                     double blocks = 0;
                     for_each_slice(driver, context, tag, [&](const SliceEntry& entry, const Ksr& ksr) {
                       blocks += std::min(entry.limit(), ksr.residency);
                     });
                     return blocks;
                   });
}

void add_token_level(const SmPartitioner& partitioner, ContextId context, Group& application) {
  if (partitioner.tokens() == nullptr) return;
  application.add_level("tokens", "token", "tokens of the application, as of the last partition",
                        [&partitioner, context]() -> double {
                          const std::vector<std::int32_t>& tokens = *partitioner.tokens();
                          return context.value < tokens.size() ? tokens[context.value] : 0;
                        });
}

}  // namespace heddle
