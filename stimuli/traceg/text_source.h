#pragma once
// This file reads a text file, plain, xz or .tracez, line by line. One buffer is used, so that the memory
// does not depend on the size of the file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stimuli/traceg/content_hash.h"
#include "stimuli/traceg/tracez_decoder.h"

namespace heddle {

// Errors are config::Error with one problem, "file:line: message".
class TextSource {
 public:
  static constexpr std::size_t kMostLine = std::size_t{64} << 10U;  // bytes; a longer line is an error

  // Opens the file. A file whose name ends in ".xz" or ".tracez" is decoded. A file that cannot be opened is
  // an error. The bytes that are read are hashed if hash_of_read() is asked for later.
  explicit TextSource(std::string file, bool is_hashed = false);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // Returns the current line, or null at the end of the file. The line ends in '\n', also if the file does
  // not, and kSlack bytes after it may be read. The pointer is valid until the next call of line() after a
  // step().
  const char* line() { return cursor_ < whole_ ? cursor_ : refill(); }
  static constexpr std::size_t kSlack = 256;

  // Makes the line at `next` the current line. `next` is the position after the '\n' of the current line.
  void step(const char* next) {
    cursor_ = next;
    ++line_;
  }

  // Sets `text` to the next line that is not blank, without its '\n'. Returns false at the end of the file.
  // The line stays the current one until take().
  bool find(std::string_view& text);
  void take();  // steps over the line of find()

  std::uint64_t line_number() const { return line_; }  // the number of line(), from 1
  [[noreturn]] void fail(std::string_view message) const;
  const std::string& file() const { return file_; }

  // Returns the hash of the bytes of the file, which are not decoded. Lines are read as before. Returns
  // nothing if the file is a pipe or cannot be read.
  std::optional<ContentHash> hash_of_file() const;
  // Returns the hash of the bytes that were read so far; at the end of the file, of all of them.
  ContentHash hash_of_read() const;

 private:
  struct Xz;

  const char* refill();
  std::size_t read_some(char* to, std::size_t most);  // 0 at the end of the file
  std::size_t read_file(void* to, std::size_t most);
  std::size_t decode(char* to, std::size_t most);

  std::string file_;
  int descriptor_ = -1;
  std::unique_ptr<Xz> xz_;
  std::unique_ptr<TracezDecoder> tracez_;
  std::unique_ptr<ContentHasher> hasher_;  // null: the bytes are not hashed
  std::unique_ptr<char[]> buffer_;
  const char* cursor_ = nullptr;  // the current line
  const char* whole_ = nullptr;   // the end of the last complete line
  char* end_ = nullptr;           // the end of the bytes that were read
  std::uint64_t line_ = 1;
  bool ended_ = false;
};

// Returns whether a text, such as the name of a file, ends in `end` and is longer.
bool ends_in(std::string_view text, std::string_view end);

// Returns the first `most` bytes of the text in quotes, for messages. Characters that cannot be printed
// become '?'.
std::string quote(std::string_view text, std::size_t most = 40);

}  // namespace heddle
