#pragma once
// A RunRecord as the text of state.json.

#include <string>

#include "platforms/campaign/store/run_store.h"
#include "platforms/run/result/codec_error.h"

namespace heddle {

std::string record_text(const RunRecord& record);
RunRecord read_record(const std::string& text);  // throws CodecError

}  // namespace heddle
