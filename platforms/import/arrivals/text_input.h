#pragma once
// A TextInput reads the text of a file from its beginning to its end. A file that gzip has packed is unpacked
// while it is read; its first two bytes tell. A byte order mark of UTF-8 is left out.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct gzFile_s;

namespace heddle::imported {

class TextInput {
 public:
  static constexpr int kEnd = -1;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of a line, or of one JSON value

  // Throws config::Error if the file cannot be read.
  explicit TextInput(const std::string& file);

  // Return the next character, or kEnd. All functions that read throw config::Error for a file whose packed
  // data are damaged or end early.
  int peek();
  int take();

  // Reads the next line, without its end. Returns false at the end of the file. Throws config::Error for a
  // line of more than kMostBytes.
  bool next_line(std::string& line);

  const std::string& file() const { return file_; }
  std::size_t line() const { return line_; }  // of the character or line that was read last, from 1
  std::string place() const;                  // FILE:LINE

  // Throws config::Error at that line.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  bool fill();  // returns whether there is a character
  void begin_line();

  std::string file_;
  std::unique_ptr<gzFile_s, Close> in_;
  std::vector<char> chunk_;
  std::size_t at_ = 0;   // the next character in the chunk
  std::size_t end_ = 0;  // of the chunk
  std::size_t line_ = 1;
  bool is_line_over_ = false;  // the last character ended its line
};

}  // namespace heddle::imported
