#pragma once
// Files of a result, written whole or not at all.

#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/experiment/experiment.h"

namespace heddle {

class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls `write` on the file's stream and checks that all of it reached the disk. Throws OutputError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
void write_file(const std::string& path, const std::string& text);

// experiment.yaml, platform.yaml and applications/ as resolved: heddle run repeats it from there. Throws
// OutputError.
void write_inputs(const Experiment& experiment, const std::string& directory);

// A results directory in the making: files go to a folder beside it, which takes its name in the end. What is
// not finished is removed.
class ResultsDirectory {
 public:
  // Throws config::Error if `path` exists, OutputError if it cannot be made.
  explicit ResultsDirectory(const std::string& path);
  ~ResultsDirectory();
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  const std::string& path() const { return path_; }
  const std::string& draft() const { return draft_; }  // where to write meanwhile
  void finish();                                       // throws OutputError

 private:
  void remove();

  std::string path_;
  std::string draft_;
  std::vector<std::string> made_;  // folders above it that did not exist, the innermost first
  bool finished_ = false;
};

}  // namespace heddle
