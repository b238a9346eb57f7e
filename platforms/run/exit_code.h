#pragma once
// Exit codes of the program. 0 is success; 1 is a difference that `heddle batch diff` found.

namespace heddle {

constexpr int kExitUsage = 2;          // bad usage or bad input
constexpr int kExitFailed = 3;         // a run failed
constexpr int kExitInterrupted = 130;  // SIGINT or SIGTERM

}  // namespace heddle
