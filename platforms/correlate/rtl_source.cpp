#include "platforms/correlate/rtl_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/core/config/config_names.h"

namespace heddle::correlate {

namespace {

constexpr std::size_t kMostCompared = 100'000;  // names that are searched for the nearest one
constexpr unsigned kMostBits = 64;

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

// Sets the bits of the slice. Returns what is wrong with it, or an empty text.
std::string set_bits(const Slice& slice, const RtlSignal& signal, Operand& operand) {
  if (signal.is_real) return fmt::format("'{}' is real and has no bits", signal.name);
  const std::int64_t least = std::min(signal.left, signal.right);
  const std::int64_t most = std::max(signal.left, signal.right);
  const bool is_within =
      std::min(slice.left, slice.right) >= least && std::max(slice.left, slice.right) <= most;
  const bool is_reversed =
      slice.left != slice.right && (slice.left > slice.right) != (signal.left > signal.right);
  if (!is_within || is_reversed)
    return fmt::format("'{}' has the bits [{}:{}]", signal.name, signal.left, signal.right);
  operand.low = static_cast<unsigned>(std::abs(slice.right - signal.right));
  operand.count = static_cast<unsigned>(std::abs(slice.left - slice.right)) + 1;
  return "";
}

}  // namespace

Reading read_operand(const Operand& operand, const SignalValue& value) {
  Reading reading;
  if (operand.is_real) {
    reading.is_known = value.real.has_value();
    reading.value = value.real.value_or(0);
    return reading;
  }
  const std::optional<std::uint64_t> bits = value.bits.number(operand.low, operand.count);
  reading.is_known = bits.has_value();
  reading.bits = bits.value_or(0);
  reading.value = static_cast<double>(reading.bits);
  return reading;
}

std::string nearest_signal(const RtlSource& source, const std::string& name) {
  std::vector<std::string> known;
  std::string same_end;
  for (std::size_t i = 0; i < std::min(source.signals(), kMostCompared); ++i) {
    known.push_back(source.signal(i).name);
    if (same_end.empty() && last_part(known.back()) == last_part(name)) same_end = known.back();
  }
  const std::string nearest = config::suggestion(name, known);
  return nearest.empty() ? config::suggestion(same_end, {same_end}) : nearest;
}

std::optional<Operand> bind_operand(const RtlSource& source, const Expression& name,
                                    const MappedExpression& place) {
  const auto fail = [&](const std::string& message) {
    record_problem(place, name.column, message);
    return std::nullopt;
  };
  Slice slice = name.slice.value_or(Slice{});
  bool has_slice = name.slice.has_value();
  std::optional<std::size_t> index;
  if (has_slice && slice.left == slice.right) {  // the bit may be a variable of its own
    index = source.find(fmt::format("{}[{}]", name.name, slice.left));
    has_slice = !index.has_value();
  }
  if (!index) index = source.find(name.name);
  if (!index) return fail(fmt::format("no signal '{}'{}", name.name, nearest_signal(source, name.name)));
  const RtlSignal signal = source.signal(*index);
  Operand operand{*index, 0, signal.width, signal.is_real};
  if (has_slice) {
    const std::string problem = set_bits(slice, signal, operand);
    if (!problem.empty()) return fail(problem);
  }
  if (!operand.is_real && operand.count > kMostBits)
    return fail(fmt::format("'{}' has {} bits; name at most {} of them, as in [63:0]", signal.name,
                            operand.count, kMostBits));
  return operand;
}

}  // namespace heddle::correlate
