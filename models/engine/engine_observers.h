#pragma once
// The EngineObservers are told the events of the execution engine, one after the other in the order in which
// they were added:
//
//   observers.tell(&EngineObserver::block_done, now, sm, ksr, block, work);

#include <vector>

#include "models/core/kernel/observer.h"

namespace heddle {

class EngineObservers {
 public:
  void add(EngineObserver& observer) { observers_.push_back(&observer); }

  template <class... Parameters, class... Arguments>
  void tell(void (EngineObserver::*event)(Parameters...), const Arguments&... arguments) const {
    for (EngineObserver* observer : observers_) (observer->*event)(arguments...);
  }

 private:
  std::vector<EngineObserver*> observers_;
};

}  // namespace heddle
