#pragma once
// The fields of a RunRecord in JSON, for the codecs that hold one.

#include <iterator>

#include "platforms/campaign/store/run_store.h"
#include "platforms/run/result/json_fields.h"

namespace heddle {

inline std::vector<RunState> values_of(RunState) {
  return {std::begin(kRunStates), std::end(kRunStates)};
}

template <class Io>
void fields(Io& io, io_ref<Io, RunRecord> record) {
  io.field("state", record.state);
  io.field("reason", record.reason);
}

}  // namespace heddle
