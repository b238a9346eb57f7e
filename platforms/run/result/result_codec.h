#pragma once
// The codec of a run's result.json.

#include <string>

#include "platforms/run/result/codec_error.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

std::string result_text(const RunResult& run);

// Throws CodecError, with the place, if a key is missing or unknown, a value has another type, or values
// contradict each other.
RunResult read_result(const std::string& text);

// Checks that the fields of a result agree with each other. read_result() calls it. Throws CodecError.
void check_agreement(const RunResult& run);

}  // namespace heddle
