#pragma once
// Runs the heddle program as a user does. Each test has a directory and a cache of its own.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::test {

struct Outcome {
  int code = -1;  // 128 + the signal, if a signal ended the program
  std::string out;
  std::string err;
};

struct Surroundings {
  std::function<void()> prepare;         // runs in the child before the program starts
  std::function<void(pid_t)> meanwhile;  // runs while the program runs
  std::string out_path;                  // file for standard output; empty for Outcome::out
};

// Runs a program, which is found as a shell finds it. The test fails if it takes longer than `longest`. Its
// output is in the directory `captured` while it runs.
Outcome execute_program(std::vector<std::string> arguments, const std::filesystem::path& captured,
                        std::chrono::seconds longest, const Surroundings& surroundings = {});

std::string read_file(const std::filesystem::path& path);
std::vector<pid_t> children_of(pid_t parent);

// Waits for `condition` for a minute, or longer on a busy machine, and returns whether it became true.
bool eventually(const std::function<bool()>& condition);

class CliTest : public testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  // Runs heddle in the directory of the test. The words are split at blanks. The test fails if the run takes
  // more than longest_.
  Outcome heddle(const std::string& words, const Surroundings& surroundings = {}) const;
  Outcome execute(std::vector<std::string> arguments, const Surroundings& surroundings = {}) const;

  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const { return read_file(directory_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_ / name); }
  // Returns all files below the directory of the test without the cache, sorted.
  std::vector<std::string> files() const;

  // Writes small.yaml, which runs tiny.yaml and other.yaml under fcfs-s and token. Both applications take a
  // few microseconds.
  void write_small() const;

  std::filesystem::path directory_;
  std::filesystem::path captured_;
  std::chrono::seconds longest_{240};  // A run that takes this long hangs, however busy the machine is.
};

// Return the texts that write_small() writes.
std::string small_experiment();
std::string small_application(const std::string& name, int blocks);

}  // namespace heddle::test
