#pragma once
// A DraftFile is a file that a user names, and that is written completely or not at all. It is written as
// PATH.partial, and finish() renames it. The draft also claims the path: of several runs, one alone can write
// it. The destructor removes a draft that is not finished.

#include <string>

namespace heddle {

class DraftFile {
 public:
  // Makes an empty draft. Throws config::Error if `path` exists or another run claims it, and OutputError if
  // the draft cannot be made. `option` is the option of the command line that names the path.
  DraftFile(std::string path, const std::string& option);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& draft() const { return draft_; }
  void finish();  // throws OutputError if the draft cannot be renamed

 private:
  std::string path_;
  std::string draft_;
  bool finished_ = false;
};

}  // namespace heddle
