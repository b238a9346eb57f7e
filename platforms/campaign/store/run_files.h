#pragma once
// The files of a run that ended well, as typed values. All throw config::Error with the file's name where it
// cannot be read or is damaged. `checksums` has the SHA-1 of the files with results, in the format of
// sha1sum, so that a change of a single digit is found.

#include <string>

#include "platforms/run/result/run_result.h"

namespace heddle {

RunResult load_result(const std::string& run);       // result.json of a run's directory
std::string result_file_of(const std::string& run);  // its path

// Writes `checksums` for the result files that the run's directory has. Throws OutputError.
void write_checksums(const std::string& run);
// Compares the content of a result file with `checksums` beside it.
void check_content(const std::string& file, const std::string& content);

[[noreturn]] void fail_damaged(const std::string& file, const std::string& why);

}  // namespace heddle
