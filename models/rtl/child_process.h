#pragma once
// This file runs programs of the host, such as Verilator and the C++ compiler, as child processes.

#include <string>
#include <vector>

namespace heddle {

struct ChildOutput {
  bool started = false;  // false if there is no such program, or it may not be run
  std::string end;       // how it failed, such as "ended with status 1"; empty if it succeeded
  std::string text;      // of its standard output and its standard error, in the order of writing
};

// Runs a program, which is found as a shell finds it, in a directory, and waits for its end. An empty
// directory stands for that of this process. SIGINT, SIGTERM and SIGHUP during that time end the program with
// all processes that it has started, and the function throws Interrupted.
ChildOutput run_tool(const std::vector<std::string>& arguments, const std::string& directory = "");

}  // namespace heddle
