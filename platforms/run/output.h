#pragma once
// The files of a result. Each is written completely or not at all.

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "models/core/config/result_file.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

// A file that is written over a long time. An operation that fails leaves the stream bad, as in every stream;
// finish() then tells the reason of the first one.
class OutputFile : public std::ostream {
 public:
  explicit OutputFile(const std::string& path, std::ios::openmode mode = std::ios::trunc);
  void finish();  // throws OutputError if not all data is written

 private:
  class Buffer : public std::filebuf {
   public:
    int reason() const { return reason_; }  // errno of the first operation that failed; 0: none
    void open_for(const std::string& path, std::ios::openmode mode);
    void finish();

   protected:
    int_type overflow(int_type next) override;
    std::streamsize xsputn(const char* data, std::streamsize size) override;

   private:
    void note(bool is_good);

    int reason_ = 0;
  };

  const std::string path_;
  Buffer buffer_;
};

// Calls `write` with the stream of the file and checks that all data is written. Throws OutputError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
void write_file(const std::string& path, const std::string& text);
// Write a file of its own as a ResultFile, whole or not at all. Throw config::Error too.
void write_result(const std::string& path, Existing existing, const std::string& option,
                  const std::function<void(std::ostream&)>& write);
void write_result(const std::string& path, Existing existing, const std::string& option,
                  const std::string& text);

// Writes experiment.yaml, platform.yaml and applications/ as resolved; heddle run repeats the run from them.
// Throws OutputError.
void write_inputs(const Experiment& experiment, const std::string& directory);

// A results directory that is being written. Files go to a draft folder beside the final path, PATH.partial,
// and finish() renames the draft. The draft also claims the path: of several runs, one alone can make it. The
// destructor removes a draft that is not finished.
class ResultsDirectory {
 public:
  // Throws config::Error if `path` exists or another run claims it, and OutputError if the draft cannot be
  // made.
  explicit ResultsDirectory(const std::string& path);
  // Claims `path`, or else the first free path of PATH-2, PATH-3 and so on. Throws OutputError.
  static std::unique_ptr<ResultsDirectory> numbered(const std::string& path);
  ~ResultsDirectory();
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  const std::string& path() const { return path_; }
  const std::string& draft() const { return draft_; }  // the folder to write to
  // Throws OutputError if the draft cannot be renamed. The draft then stays.
  void finish();

 private:
  enum class Claim : std::uint8_t { kMade, kExists, kTaken };

  ResultsDirectory() = default;
  Claim claim(const std::string& path);
  void make_folders();
  void remove();

  std::string path_;
  std::string draft_;
  std::vector<std::string> made_;  // new folders above it, the innermost first
  bool finished_ = false;          // the draft is whole
};

}  // namespace heddle
