#pragma once
// A ResultFile is a file that a command writes: whole or not at all, and never over anything that is worth
// keeping. It is written as a draft beside its path, and finish() renames the draft. Every file that an
// option names is one.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace heddle {

// A result cannot be written: a full disk, a folder that does not exist, no permission.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is done with a file that stands at the path of a result already. A link, a directory, a device, a FIFO
// or a socket is refused always, and so is a path that another result of this process has.
enum class Existing : std::uint8_t {
  kRefused,   // An existing file is an error. The draft, PATH.partial, claims the path: of several processes
              // one alone can write it.
  kReplaced,  // A plain file is replaced, unless it is write-protected or this process has read it as input.
  kOwned,     // A plain file is replaced, also one that was read: the program alone writes it.
};

class ResultFile {
 public:
  // `option` names the path in messages, such as "--csv"; a file that no option names has none. Throws
  // config::Error if the path is refused, and OutputError if a draft cannot be made there.
  ResultFile(std::string path, Existing existing, std::string option = "");
  ~ResultFile();  // removes the draft unless it was finished
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& path() const { return path_; }
  // The file to write to. With kRefused it exists and is empty; otherwise it does not exist.
  const std::string& draft() const { return draft_; }
  // Renames the draft. Throws config::Error if the path is refused by now: a file that was read since then,
  // for example; and OutputError if the draft cannot be renamed. The draft then stays.
  void finish();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void check_path() const;
  void make_draft() const;

  std::string path_;
  std::string draft_;
  std::string option_;
  Existing existing_;
  bool finished_ = false;
};

// Returns whether the file system of a folder is full. A program that failed there has then failed because of
// the full disk, even if its message blames its input.
bool is_disk_full(const std::string& folder);

// Throws config::Error if something other than a directory stands at the path, which an option names as the
// folder of results. A link to a directory is one.
void check_result_folder(const std::string& path, const std::string& option);

}  // namespace heddle
