#pragma once
// Collects the problems of a text.

#include <cstdint>
#include <string>
#include <string_view>
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
  static constexpr std::size_t kMost = 10000;    // reading ends after this many
  static constexpr std::size_t kMostTaken = 10;  // of one call of take(); the rest is counted

  Problems(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  void add(Place place, std::string message);
  [[noreturn]] void refuse(Place place, std::string message);
  // The rest of the text is not read.
  void end() { ended_ = true; }
  bool full() const { return ended_ || all_.size() >= kMost; }
  // Throws config::Error with all problems in text order, if there are any.
  void finish();

  std::size_t count() const { return all_.size(); }
  // Removes the problems from number `first` on and returns them in text order, each with its line.
  std::vector<std::string> take(std::size_t first);

 private:
  struct Problem {
    Place place;
    std::string message;
  };

  static void sort(std::vector<Problem>& problems);
  std::string shown(const Problem& problem) const;
  std::string_view line(std::uint32_t number) const;

  std::string file_;
  std::string_view text_;
  std::vector<Problem> all_;
  bool ended_ = false;
};

}  // namespace heddle::ptx
