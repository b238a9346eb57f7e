#pragma once
// Collects the problems of a text.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::ptx {

struct Place {
  std::uint32_t line = 1;  // both count from 1; columns count bytes
  std::uint32_t column = 1;
};

// The readers throw this to abandon a statement after they have recorded its problem.
struct Refused {};

class Problems {
 public:
  static constexpr std::size_t kMost = 10000;  // reading ends after this many

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(Place place, std::string message);
  [[noreturn]] void refuse(Place place, std::string message);
  // The rest of the text is not read.
  void end() { ended_ = true; }
  bool full() const { return ended_ || all_.size() >= kMost; }
  // Throws config::Error with all problems in text order, if there are any.
  void finish();

 private:
  struct Problem {
    Place place;
    std::string message;
  };

  std::string file_;
  std::vector<Problem> all_;
  bool ended_ = false;
};

}  // namespace heddle::ptx
