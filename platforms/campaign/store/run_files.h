#pragma once
// The files of a run that ended well, as typed values. All throw config::Error with the file's name where it
// cannot be read or is damaged. `checksums` has the SHA-1 of the files with results, in the format of
// sha1sum, so that a change of a single digit is found. Which files a run has depends on the campaign and on
// the version of the program that wrote them.

#include <string>
#include <vector>

#include "platforms/run/result/run_result.h"

namespace heddle {

RunResult load_result(const std::string& run);       // result.json of a run's directory
std::string result_file_of(const std::string& run);  // its path

// Paths of files that a run can have: the launches of kernels, the hand-overs of SMs, the requests of
// servers, the intervals of a series, and what the columns of the series are.
std::string kernels_file_of(const std::string& run);
std::string handovers_file_of(const std::string& run);
std::string requests_file_of(const std::string& run);
std::string series_file_of(const std::string& run);
std::string series_columns_file_of(const std::string& run);

// Writes `checksums` for the result files that the run's directory has. Throws OutputError.
void write_checksums(const std::string& run);
// Returns the names of the files that `checksums` has; none if it cannot be read.
std::vector<std::string> summed_files(const std::string& run);
// Both compare a result file with `checksums` beside it. The second one reads the file piece by piece.
void check_content(const std::string& file, const std::string& content);
void check_content(const std::string& file);

[[noreturn]] void fail_damaged(const std::string& file, const std::string& why);

}  // namespace heddle
