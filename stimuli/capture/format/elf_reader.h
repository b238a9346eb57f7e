#pragma once
// Reads the headers and the sections of a 64-bit ELF file.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace heddle::capture {

// All functions throw config::Error, whose message starts with `name`, for parts that the file does not have.
class ElfReader {
 public:
  ElfReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  // Returns whether the bytes start as a 64-bit little-endian ELF file.
  static bool accepts(std::string_view bytes);

  Elf64_Ehdr header() const { return at<Elf64_Ehdr>(0); }
  Elf64_Shdr section(const Elf64_Ehdr& header, unsigned index) const;
  std::string_view content(const Elf64_Shdr& section) const;
  // Returns the text that starts at an offset in a table of texts.
  std::string text(std::string_view table, std::uint64_t offset) const;

  template <typename T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) fail();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

 private:
  [[noreturn]] void fail() const;

  const std::string_view bytes_;
  const std::string& name_;
};

}  // namespace heddle::capture
