#include "policies/sm_partitioner/sharers.h"

#include <algorithm>

namespace heddle {

PolicyParameter Sharers::parameter(bool fallback) {
  return {kReserve, "1", fallback ? 1.0 : 0.0, 0, 1, "1: an open context keeps its share between its kernels",
          true};
}

Sharers::Changes Sharers::update(const MachineView& machine) {
  Changes changes;
  update_views(machine);
  for (const KernelView& kernel : machine.kernels) admit(machine, kernel, changes);
  for (std::size_t i = 0; i < list_.size();) {
    if (keeps_place(machine, i)) {
      ++i;
      continue;
    }
    list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
    changes.removed = true;
  }
  return changes;
}

// Updates the views of the kernels in the list.
void Sharers::update_views(const MachineView& machine) {
  for (Sharer& sharer : list_) {
    const auto kernel =
        std::find_if(machine.kernels.begin(), machine.kernels.end(),
                     [&](const KernelView& view) { return view.kernel == sharer.kernel.kernel; });
    sharer.present = kernel != machine.kernels.end();
    if (sharer.present)
      sharer.kernel = *kernel;
    else
      sharer.kernel.unissued = sharer.kernel.running = 0;
  }
}

void Sharers::admit(const MachineView& machine, const KernelView& kernel, Changes& changes) {
  Sharer* place = nullptr;
  for (Sharer& sharer : list_) {
    if (sharer.present && sharer.kernel.kernel == kernel.kernel) return;
    const bool reserved = !sharer.present && sharer.kernel.context == kernel.context;
    if (reserved && place == nullptr && reserves(machine, kernel.context)) place = &sharer;
  }
  if (place == nullptr) {
    list_.push_back({places_++, kernel, true});
    changes.added = true;
    return;
  }
  place->kernel = kernel;
  place->present = true;
  changes.replaced = true;
}

bool Sharers::keeps_place(const MachineView& machine, std::size_t sharer) const {
  if (list_[sharer].present) return true;
  const ContextId context = list_[sharer].kernel.context;
  if (!reserves(machine, context)) return false;
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (i != sharer && list_[i].kernel.context == context && (list_[i].present || i < sharer)) return false;
  return true;
}

void Sharers::reset() {
  list_.clear();
  places_ = 0;
}

}  // namespace heddle
