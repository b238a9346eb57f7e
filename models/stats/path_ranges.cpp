#include "models/stats/path_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

// Returns whether the name is the one at `start` of the path.
bool has_name(std::string_view path, std::size_t start, std::string_view name) {
  const std::size_t end = start + name.size();
  return path.compare(start, name.size(), name) == 0 && (end == path.size() || path[end] == '.');
}

// Returns the length of a name without the number at its end. The number has no leading zero, so that the
// stem and the number give the name again.
std::size_t stem_length(std::string_view name) {
  std::size_t start = name.find_last_not_of(kDigits) + 1;
  if (name.size() - start > kMostDigits) start = name.size() - kMostDigits;
  while (start + 1 < name.size() && name[start] == '0') ++start;
  return start;
}

// Returns the value of at most kMostDigits digits.
std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  return number;
}

std::string escaped(std::string_view name) {
  if (name.find('[') == std::string_view::npos) return std::string(name);
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
    if (last - first == 1) return {alone(first, start)};
    Siblings siblings;
    for (std::size_t begin = first, end; begin < last; begin = end) {
      const std::string_view name = name_at(paths_[begin], start);
      for (end = begin + 1; end < last && has_name(paths_[end], start, name); ++end) {
      }
      const std::size_t rest = start + name.size() + 1;
      if (rest > paths_[begin].size()) {
        siblings.add(name, {"", {begin}});
      } else if (end - begin == 1) {
        siblings.add(name, alone(begin, rest));
      } else {
        for (PathRange& below : build(begin, end, rest)) siblings.add(name, std::move(below));
      }
    }
    return siblings.take_ranges();
  }

 private:
  PathRange alone(std::size_t path, std::size_t start) const {
    return {escaped(std::string_view(paths_[path]).substr(start)), {path}};
  }

  // Ranges of names that stand beside each other. Those with consecutive numbers and the same text below
  // become one.
  class Siblings {
   public:
    void add(std::string_view name, PathRange below) {
      const std::size_t length = stem_length(name);
      const std::string_view stem = name.substr(0, length);
      if (length == name.size()) {
        all_.push_back({std::string(stem), std::move(below.text), false, 0, 0, std::move(below.paths)});
        return;
      }
      const std::uint64_t number = number_of(name.substr(length));
      // Most names continue the range of the name before.
      if (!all_.empty() && all_.back().continues(stem, below.text, number))
        return all_.back().append(number, below);
      if (Range* const last = last_range(stem, below.text); last != nullptr && last->last + 1 == number)
        return last->append(number, below);
      all_.push_back(
          {std::string(stem), std::move(below.text), true, number, number, std::move(below.paths)});
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

      bool continues(std::string_view of_stem, std::string_view of_below, std::uint64_t number) const {
        return is_numbered && last + 1 == number && below == of_below && stem == of_stem;
      }
      void append(std::uint64_t number, const PathRange& range) {
        last = number;
        paths.insert(paths.end(), range.paths.begin(), range.paths.end());
      }
    };

    static constexpr std::size_t kFew = 8;  // ranges that are searched one by one

    // Returns the last range of numbers with this stem and text below, or null.
    Range* last_range(std::string_view stem, const std::string& below) {
      if (all_.size() <= kFew) {
        const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const Range& range) {
          return range.is_numbered && range.stem == stem && range.below == below;
        });
        return found == all_.rend() ? nullptr : &*found;
      }
      for (; mapped_ < all_.size(); ++mapped_)
        if (all_[mapped_].is_numbered) last_[all_[mapped_].stem + "\n" + all_[mapped_].below] = mapped_;
      const auto found = last_.find(std::string(stem) + "\n" + below);
      return found == last_.end() ? nullptr : &all_[found->second];
    }

    std::vector<Range> all_;
    std::unordered_map<std::string, std::size_t> last_;  // by stem and text below: place of the last range
    std::size_t mapped_ = 0;                             // ranges that last_ knows
  };

  const std::vector<std::string>& paths_;
};

std::uint64_t take_number(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view digits = text.substr(0, length);
  if (length == 0 || length > kMostDigits || (length > 1 && digits[0] == '0'))
    throw std::invalid_argument("a number of a range is missing, too long or begins with 0");
  text.remove_prefix(length);
  return number_of(digits);
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
