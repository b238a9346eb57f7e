#pragma once
// A file as text in memory, without a copy. The system reads a part of the file when it is looked at.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle {

// A file cannot be read as what it should be. The message names the file.
class WaveFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MappedFile {
 public:
  // Messages call the file `name`. Throws WaveFileError if the path is no regular file, or if the file cannot
  // be read or is empty.
  MappedFile(const std::string& path, std::string name);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return {data_, size_}; }

  // Gives the memory of the text before this position back. The text is still valid: the system would read it
  // again. Most calls do nothing, so that a reader may call it often.
  void release_before(std::size_t position);

 private:
  std::string name_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t released_ = 0;  // the position up to which memory has been given back
};

}  // namespace heddle
