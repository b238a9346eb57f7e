#pragma once
// The files of a run that ended well, as typed values. All throw config::Error with the file's name where it
// cannot be read or is damaged.

#include <string>

#include "platforms/run/result/run_result.h"

namespace heddle {

std::string read_text(const std::string& file);      // what a file holds
RunResult load_result(const std::string& run);       // result.json of a run's directory
std::string result_file_of(const std::string& run);  // its path

[[noreturn]] void fail_damaged(const std::string& file, const std::string& why);

}  // namespace heddle
