#pragma once
// The environment variables through which heddle capture configures the runtime library in the program.

namespace heddle::capture {

constexpr const char* kFileVariable = "HEDDLE_CAPTURE_FILE";          // file to write, which must not exist
constexpr const char* kPlatformVariable = "HEDDLE_CAPTURE_PLATFORM";  // a name or a file
constexpr const char* kProgramVariable = "HEDDLE_CAPTURE_PROGRAM";    // name of the program
constexpr const char* kRacyVariable = "HEDDLE_CAPTURE_RACY";        // if set, a replay may give other results
constexpr const char* kLenientVariable = "HEDDLE_CAPTURE_LENIENT";  // if it is set, Capture::lenient is
constexpr const char* kOrderVariable = "HEDDLE_CAPTURE_ORDER";      // a FunctionalOrder, as a number
constexpr const char* kLimitVariable = "HEDDLE_CAPTURE_LIMIT";      // of warp instructions; 0: none
constexpr const char* kMillisecondsVariable = "HEDDLE_CAPTURE_MS";  // of the host, as a limit; 0: none
constexpr const char* kQuietVariable = "HEDDLE_CAPTURE_QUIET";      // if set, no progress is shown
constexpr int kStoppedStatus = 3;  // exit status of a program that cannot be captured

}  // namespace heddle::capture
