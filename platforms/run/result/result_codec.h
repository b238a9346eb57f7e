#pragma once
// A RunResult as the text of a run's result.json.

#include <string>

#include "platforms/run/result/codec_error.h"
#include "platforms/run/result/run_result.h"

namespace heddle {

std::string result_text(const RunResult& run);

// Throws CodecError where the text is not one that result_text() gives: what is missing, unknown, of another
// type, or contradicts itself, with its place.
RunResult read_result(const std::string& text);

// What the fields of a result say of each other; read_result() has checked it. Throws CodecError.
void check_agreement(const RunResult& run);

}  // namespace heddle
