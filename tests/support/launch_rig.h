#pragma once
// Launch files made from text, as if they were in the folder of the shipped launch files.

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "stimuli/launch/launch_reader.h"
#include "tests/support/paths.h"

namespace heddle {

inline const std::string kLaunches = heddle::test::source_directory() + "/stimuli/launches/";

// Returns whether the launch file runs a kernel at the size of a study: the names of Perf-Sat's kernels start
// with ps-, those of Zorua's applications with zo-, those of two tenants on an H100 with tn-.
inline bool is_of_study(const std::string& launch) {
  const std::string start = launch.substr(0, 3);
  return start == "ps-" || start == "zo-" || start == "tn-";
}

// Reads the text as a launch file l.yaml in `folder`.
inline LaunchFile read_launch(const std::string& text, const std::string& folder = kLaunches) {
  config::Document document = config::Document::parse(text, "l.yaml");
  LaunchFile file = read_launch_file(document.root(), folder + "l.yaml");
  document.finish();
  return file;
}

// A temporary directory with a file k.ptx, which consists of a PTX header and this text. The destructor
// removes the directory.
class PtxFolder {
 public:
  explicit PtxFolder(const std::string& text) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ + "k.ptx") << ".version 7.8\n.target sm_75\n.address_size 64\n" << text;
  }
  ~PtxFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ =
      std::filesystem::temp_directory_path().string() + "/heddle-launch-" + std::to_string(::getpid()) + "/";
};

}  // namespace heddle
