#pragma once
// Runs the heddle program as a user does, each test in a directory of its own with a cache of its own.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::test {

struct Outcome {
  int code = -1;  // 128 + signal where one ended it
  std::string out;
  std::string err;
};

struct Surroundings {
  std::function<void()> prepare;         // in the child, before the program starts
  std::function<void(pid_t)> meanwhile;  // while it runs
  std::string out_path;                  // of its standard output; empty: kept in Outcome
};

// Runs a program, looked for as a shell does; one that takes longer than `longest` fails the test. What it
// prints lies in the directory `captured` meanwhile.
Outcome execute_program(std::vector<std::string> arguments, const std::filesystem::path& captured,
                        std::chrono::seconds longest, const Surroundings& surroundings = {});

std::string read_file(const std::filesystem::path& path);
std::vector<pid_t> children_of(pid_t parent);

// Waits up to five seconds for `condition`.
bool eventually(const std::function<bool()>& condition);

class CliTest : public testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  // The program in the test's directory; words are split at blanks. A run of more than longest_ fails the
  // test.
  Outcome heddle(const std::string& words, const Surroundings& surroundings = {}) const;
  Outcome execute(std::vector<std::string> arguments, const Surroundings& surroundings = {}) const;

  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const { return read_file(directory_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_ / name); }
  // Everything below the test's directory but the cache, sorted.
  std::vector<std::string> files() const;

  // Two applications of a few microseconds: small.yaml with tiny.yaml and other.yaml, under fcfs-s and token.
  void write_small() const;

  std::filesystem::path directory_;
  std::filesystem::path captured_;
  std::chrono::seconds longest_{30};
};

// The texts of write_small().
std::string small_experiment();
std::string small_application(const std::string& name, int blocks);

}  // namespace heddle::test
