#pragma once
// Exit codes of the program; 0 is success.

namespace heddle {

constexpr int kExitDifferent = 1;      // `heddle batch diff` or `heddle correlate` found a difference
constexpr int kExitUsage = 2;          // bad usage or bad input
constexpr int kExitFailed = 3;         // a run failed
constexpr int kExitInterrupted = 130;  // SIGINT or SIGTERM

}  // namespace heddle
