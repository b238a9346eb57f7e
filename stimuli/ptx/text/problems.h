#pragma once
// What is wrong with a text, collected.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::ptx {

struct Place {
  std::uint32_t line = 1;  // both from 1, in bytes
  std::uint32_t column = 1;
};

// Thrown inside the reader where a statement cannot be read on; its problem is recorded already.
struct Refused {};

class Problems {
 public:
  static constexpr std::size_t kMost = 10000;  // then reading ends

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(Place place, std::string message);
  [[noreturn]] void refuse(Place place, std::string message);
  void end() { ended_ = true; }  // reading makes no sense from here on
  bool full() const { return ended_ || all_.size() >= kMost; }
  void finish();  // throws config::Error with all of them, in the order of their places, if there are any

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
