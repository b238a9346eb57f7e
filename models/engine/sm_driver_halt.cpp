// How an SmDriver halts the kernels of a context.

#include "models/engine/sm_driver.h"

namespace heddle {

void SmDriver::halt(Cycle now, ContextId context) {
  halted_[context.value] = true;
  contexts_[context.value].open = false;
  for (std::uint32_t i = 0; i < ksrs_.size(); ++i) {
    const Ksr& ksr = ksrs_[KsrId{i}];
    const bool lives = ksr.state == Ksr::State::kLaunching || ksr.state == Ksr::State::kActive;
    if (lives && ksr.launch.context == context) halt_kernel(now, KsrId{i});
  }
  for (EngineObserver* observer : observers_) observer->context_halted(now, context);
}

void SmDriver::halt_kernel(Cycle now, KsrId id) {
  Ksr& ksr = ksrs_[id];
  for (EngineObserver* observer : observers_)
    observer->kernel_event(now, KernelEvent::kHalted, id, ksr.launch);
  ksr.launch.blocks = ksr.issued;
  while (ksr.saved.size() > 0) drop_block(now, id, ksr.saved.pop());
  scheduling_point_ = true;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) {
    allow_issue(SmId{sm});  // other slices may have waited until its blocks were issued
    if (const SliceEntry* entry = smsrs_[sm].find(id); entry != nullptr && entry->running > 0)
      port_.halt(SmId{sm}, id);
  }
  if (ksr.state == Ksr::State::kActive && ksr.done == ksr.launch.blocks) end_kernel(now, id);
}

}  // namespace heddle
