#pragma once
// What heddle capture tells the runtime library within the program, by the environment.

namespace heddle::capture {

constexpr const char* kFileVariable = "HEDDLE_CAPTURE_FILE";          // where to write; does not exist yet
constexpr const char* kPlatformVariable = "HEDDLE_CAPTURE_PLATFORM";  // a name or a file
constexpr const char* kProgramVariable = "HEDDLE_CAPTURE_PROGRAM";    // what the program is called
constexpr const char* kRacyVariable = "HEDDLE_CAPTURE_RACY";          // set: results need not be alike
constexpr int kStoppedStatus = 3;                                     // of a program that cannot be captured

}  // namespace heddle::capture
