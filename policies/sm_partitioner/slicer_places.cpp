#include "policies/sm_partitioner/slicer_places.h"

#include <algorithm>

namespace heddle {

void SlicerPlaces::reset() {
  sharers_.reset();
  list_.clear();
}

SlicerPlaces::Changes SlicerPlaces::update(const MachineView& machine, ProfileCurves& curves) {
  const Sharers::Changes changes = sharers_.update(machine);
  Changes found;
  found.any = changes.any();
  found.moved = changes.added || changes.removed;
  if (!found.any) return found;
  before_.swap(list_);
  list_.clear();
  for (const Sharer& sharer : sharers_.list()) {
    const auto had = std::find_if(before_.begin(), before_.end(),
                                  [&](const SlicerPlace& place) { return place.number == sharer.place; });
    SlicerPlace place = had == before_.end() ? SlicerPlace{} : *had;
    const KernelKey key{sharer.kernel.context, sharer.kernel.tag, sharer.kernel.residency};
    if (had != before_.end() && place.key != key) {
      found.other_code = true;
      place.watch = {};
    }
    if (sharer.present && place.launch != sharer.kernel.kernel) {
      if (!remember_) curves.forget(key);
      place.launch = sharer.kernel.kernel;
    }
    place.number = sharer.place;
    place.key = key;
    list_.push_back(place);
  }
  return found;
}

bool SlicerPlaces::all_known(const ProfileCurves& curves) const {
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (present(i) && !curves.knows(list_[i].key)) return false;
  return true;
}

bool SlicerPlaces::any_known(const ProfileCurves& curves) const {
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (present(i) && curves.knows(list_[i].key)) return true;
  return false;
}

bool SlicerPlaces::profile_has_unknown(const ProfileCurves& curves) const {
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (present(i) && !list_[i].profiled && !curves.knows(list_[i].key)) return false;
  return true;
}

void SlicerPlaces::divide(std::size_t sms) {
  const auto profiled =
      std::count_if(list_.begin(), list_.end(), [](const SlicerPlace& place) { return place.profiled; });
  const ProfileLayout layout(static_cast<std::size_t>(profiled), sms);
  std::size_t number = 0;
  for (SlicerPlace& place : list_) {
    place.group = place.profiled ? layout.group(number) : SmGroup{};
    place.turn = place.profiled ? layout.turn(number) : 0;
    if (place.profiled) ++number;
  }
}

bool SlicerPlaces::co_running() {
  bool all = true;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    SlicerPlace& place = list_[i];
    const KernelId before = place.seen;
    place.seen = present(i) ? kernel(i).kernel : KernelId::none();
    all = all && place.seen.valid() && place.seen == before && kernel(i).unissued > 0;
  }
  return all;
}

}  // namespace heddle
