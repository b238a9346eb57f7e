#include "models/stats/path_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "models/stats/group.h"

namespace heddle {

namespace {

constexpr const char* kDigits = "0123456789";
constexpr std::size_t kMostDigits = 9;  // of a number in a range

std::string_view name_at(std::string_view path, std::size_t start) {
  return path.substr(start, path.find('.', start) - start);
}

// Returns the length of a name without the number at its end. The number has no leading zero, so that the
// stem and the number give the name again.
std::size_t stem_length(std::string_view name) {
  std::size_t start = name.find_last_not_of(kDigits) + 1;
  if (name.size() - start > kMostDigits) start = name.size() - kMostDigits;
  while (start + 1 < name.size() && name[start] == '0') ++start;
  return start;
}

std::string escaped(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    text += letter;
    if (letter == '[') text += "[]";
  }
  return text;
}

class RangeBuilder {
 public:
  explicit RangeBuilder(const std::vector<std::string>& paths) : paths_(paths) {}

  // Returns the ranges of the paths `first` to `last` - 1 without the `start` characters that all of them
  // begin with.
  std::vector<PathRange> build(std::size_t first, std::size_t last, std::size_t start) const {
    if (last - first == 1) return {{escaped(std::string_view(paths_[first]).substr(start)), {first}}};
    Siblings siblings;
    for (std::size_t begin = first, end; begin < last; begin = end) {
      const std::string_view name = name_at(paths_[begin], start);
      for (end = begin + 1; end < last && name_at(paths_[end], start) == name; ++end) {
      }
      const std::size_t rest = start + name.size() + 1;
      if (rest > paths_[begin].size()) {
        siblings.add(name, {"", {begin}});
      } else {
        for (PathRange& below : build(begin, end, rest)) siblings.add(name, std::move(below));
      }
    }
    return siblings.take_ranges();
  }

 private:
  // Ranges of names that stand beside each other. Those with consecutive numbers and the same text below
  // become one.
  class Siblings {
   public:
    void add(std::string_view name, PathRange below) {
      const std::size_t length = stem_length(name);
      std::string stem(name.substr(0, length));
      if (length == name.size()) {
        all_.push_back({std::move(stem), std::move(below.text), false, 0, 0, std::move(below.paths)});
        return;
      }
      const std::uint64_t number = std::strtoull(std::string(name.substr(length)).c_str(), nullptr, 10);
      const auto [last, is_new] = last_.try_emplace(stem + "\n" + below.text, all_.size());
      if (!is_new && all_[last->second].last + 1 == number) {
        Range& range = all_[last->second];
        range.last = number;
        range.paths.insert(range.paths.end(), below.paths.begin(), below.paths.end());
        return;
      }
      last->second = all_.size();
      all_.push_back({std::move(stem), std::move(below.text), true, number, number, std::move(below.paths)});
    }

    std::vector<PathRange> take_ranges() {
      std::vector<PathRange> ranges;
      for (Range& range : all_) {
        std::string text = escaped(range.stem);
        if (range.first != range.last)
          text += fmt::format("[{}-{}]", range.first, range.last);
        else if (range.is_numbered)
          text += std::to_string(range.first);
        if (!range.below.empty()) text += "." + range.below;
        ranges.push_back({std::move(text), std::move(range.paths)});
      }
      return ranges;
    }

   private:
    struct Range {
      std::string stem, below;
      bool is_numbered;
      std::uint64_t first, last;
      std::vector<std::size_t> paths;
    };
    std::vector<Range> all_;
    std::unordered_map<std::string, std::size_t> last_;  // by stem and text below: place of the last range
  };

  const std::vector<std::string>& paths_;
};

std::uint64_t take_number(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string digits(text.substr(0, length));
  if (length == 0 || length > kMostDigits || (length > 1 && digits[0] == '0'))
    throw std::invalid_argument("a number of a range is missing, too long or begins with 0");
  text.remove_prefix(length);
  return std::strtoull(digits.c_str(), nullptr, 10);
}

void take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected)
    throw std::invalid_argument(fmt::format("'{}' is missing in a range", expected));
  text.remove_prefix(1);
}

// Appends each number to each path.
void append_numbers(std::vector<std::string>& paths, std::uint64_t first, std::uint64_t last,
                    std::size_t most) {
  if (first >= last || last - first >= most / paths.size())
    throw std::invalid_argument(fmt::format("[{}-{}] is no range of numbers, or too large", first, last));
  std::vector<std::string> longer;
  for (const std::string& path : paths)
    for (std::uint64_t number = first; number <= last; ++number)
      longer.push_back(path + std::to_string(number));
  paths = std::move(longer);
}

}  // namespace

bool path_less(std::string_view left, std::string_view right) {
  while (true) {
    const std::string_view a = name_at(left, 0), b = name_at(right, 0);
    if (a != b) return natural_less(a, b);
    if (a.size() == left.size() || b.size() == right.size()) return left.size() < right.size();
    left.remove_prefix(a.size() + 1);
    right.remove_prefix(b.size() + 1);
  }
}

std::vector<PathRange> path_ranges(const std::vector<std::string>& paths) {
  return RangeBuilder(paths).build(0, paths.size(), 0);
}

std::vector<std::string> paths_in(const std::string& range, std::size_t most) {
  std::vector<std::string> paths{""};
  for (std::string_view text = range; !text.empty();) {
    const std::string_view plain = text.substr(0, text.find('['));
    for (std::string& path : paths) path += plain;
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    take(text, '[');
    if (!text.empty() && text.front() == '[') {
      take(text, '[');
      for (std::string& path : paths) path += '[';
    } else {
      const std::uint64_t first = take_number(text);
      take(text, '-');
      append_numbers(paths, first, take_number(text), most);
    }
    take(text, ']');
  }
  return paths;
}

}  // namespace heddle
