#pragma once
// A LogicVector is the value of a signal: bits of four states each, 0, 1, x and z, as in Verilog.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class LogicVector {
 public:
  // Every bit is x. `width` is above zero.
  explicit LogicVector(unsigned width);

  unsigned width() const { return width_; }

  // Takes the digits 0, 1, x and z, the highest bit first, in either case. Fewer digits than bits are
  // extended with x or z if that is the first digit, and with 0 otherwise. Returns false, with every bit x,
  // if a character is no digit or if a digit other than a leading 0 does not fit.
  bool assign(std::string_view digits);
  void assign(std::uint64_t number);  // what does not fit is cut off

  // Returns the bits low .. low + count - 1 as a number, or nothing if one of them is x or z. The bits exist,
  // and `count` is 1 to 64.
  std::optional<std::uint64_t> number(unsigned low, unsigned count) const;

  char state(unsigned bit) const;  // '0', '1', 'x' or 'z'

 private:
  void set(unsigned bit, bool one, bool unknown);

  unsigned width_;
  std::vector<std::uint64_t> ones_;      // bit by bit: 1 for 1 and z
  std::vector<std::uint64_t> unknowns_;  // 1 for x and z
};

}  // namespace heddle
