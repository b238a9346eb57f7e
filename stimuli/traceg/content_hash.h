#pragma once
// The hash of bytes that are added piece by piece.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle {

struct ContentHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const ContentHash& other) const { return high == other.high && low == other.low; }
  bool operator!=(const ContentHash& other) const { return !(*this == other); }
  std::string text() const;  // 32 hexadecimal digits
};

// The hash does not depend on how the bytes are divided into pieces.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;

  void add(const void* data, std::size_t bytes);
  ContentHash hash() const;  // of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

ContentHash hash_of_bytes(const void* data, std::size_t bytes);

}  // namespace heddle
