#pragma once
// A text file, plain or xz, read line by line through one buffer: memory does not grow with the file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

// Errors are config::Error with one problem, "file:line: message".
class TextSource {
 public:
  static constexpr std::size_t kMostLine = std::size_t{64} << 10U;  // bytes of a line; more is an error

  // Decodes a file whose name ends in ".xz". Throws if it cannot be opened.
  explicit TextSource(std::string file);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // The next line: '\n' stands at its end, also where the file lacks the last one, and kSlack bytes past that
  // may be read. Null at the end of the file. Valid until the next call of line() after a step().
  const char* line() { return cursor_ < whole_ ? cursor_ : refill(); }
  static constexpr std::size_t kSlack = 256;

  // Moves on to the line that starts at `next`, right behind the '\n' of this one.
  void step(const char* next) {
    cursor_ = next;
    ++line_;
  }

  // The next line that is not blank, without its '\n'; steps over it on the next call of take() alone.
  // Nothing at the end of the file.
  bool find(std::string_view& text);
  void take();  // what find() found

  std::uint64_t line_number() const { return line_; }  // of line(), from 1
  [[noreturn]] void fail(std::string_view message) const;
  const std::string& file() const { return file_; }

 private:
  struct Xz;

  const char* refill();
  std::size_t read_some(char* to, std::size_t most);  // 0: the end
  std::size_t read_file(void* to, std::size_t most);
  std::size_t decode(char* to, std::size_t most);

  std::string file_;
  int descriptor_ = -1;
  std::unique_ptr<Xz> xz_;
  std::unique_ptr<char[]> buffer_;
  const char* cursor_ = nullptr;  // the current line
  const char* whole_ = nullptr;   // lines that start before it end before it
  char* end_ = nullptr;           // of what was read
  std::uint64_t line_ = 1;
  bool ended_ = false;
};

// The first `most` bytes for a message, in quotes, what cannot be printed as '?'.
std::string quote(std::string_view text, std::size_t most = 40);

}  // namespace heddle
