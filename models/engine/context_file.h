#pragma once
// The ContextFile has what the engine knows of each context: its share of the GPU, whether it is halted, and
// the sets of SMs that its launches may name.

#include <utility>
#include <vector>

#include "models/core/base/check.h"
#include "models/core/kernel/context.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

class ContextFile {
 public:
  explicit ContextFile(std::size_t contexts) : views_(contexts), halted_(contexts, false) {}

  // The sets of SMs stay.
  void reset() {
    views_.assign(views_.size(), ContextView{});
    halted_.assign(halted_.size(), false);
  }

  std::size_t size() const { return views_.size(); }
  const std::vector<ContextView>& views() const { return views_; }  // by context

  void set(ContextId context, const ContextView& share) {
    views_[context.value] = share;
    if (halted_[context.value]) views_[context.value].open = false;
  }
  void halt(ContextId context) {
    halted_[context.value] = true;
    views_[context.value].open = false;
  }
  bool is_halted(ContextId context) const { return halted_[context.value]; }

  // By number - 1, and by SM: the sets of which launches name one (KernelLaunch::sm_set).
  void set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets) {
    if (sm_sets_.size() <= context.value) sm_sets_.resize(context.value + 1);
    sm_sets_[context.value] = std::move(sets);
  }
  // Returns the set of the launch by SM, or null: every SM.
  const std::vector<bool>* sm_set_of(const KernelLaunch& launch, Cycle now) const {
    if (launch.sm_set == 0) return nullptr;
    HEDDLE_CHECK(
        launch.context.value < sm_sets_.size() && launch.sm_set <= sm_sets_[launch.context.value].size(),
        "execution engine", now, "context {} has no set {} of SMs", launch.context.value, launch.sm_set);
    return &sm_sets_[launch.context.value][launch.sm_set - 1];
  }

 private:
  std::vector<ContextView> views_;
  std::vector<bool> halted_;
  std::vector<std::vector<std::vector<bool>>> sm_sets_;  // by context and number - 1
};

}  // namespace heddle
