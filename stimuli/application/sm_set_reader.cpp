#include "stimuli/application/sm_set_reader.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace heddle {

namespace {

constexpr std::int64_t kMostSms = 1024;

// Returns the number of the set of these SMs, both included, which is added if it is new.
std::uint32_t number_of(std::int64_t from, std::int64_t to, ApiProgram& program) {
  std::vector<std::uint32_t> set(static_cast<std::size_t>(to - from + 1));
  std::iota(set.begin(), set.end(), static_cast<std::uint32_t>(from));
  const auto known = std::find(program.sm_sets.begin(), program.sm_sets.end(), set);
  const auto number = static_cast<std::uint32_t>(known - program.sm_sets.begin()) + 1;
  if (known == program.sm_sets.end()) program.sm_sets.push_back(std::move(set));
  return number;
}

}  // namespace

std::uint32_t read_sm_set(const config::Section& section, std::size_t call, RequestAmounts& amounts,
                          ApiProgram& program) {
  const config::Value from = section.value("from");
  const config::Value to = section.value("to");
  const bool from_varies = amounts.depends(from);
  const bool to_varies = amounts.depends(to);
  if (from_varies && to_varies) {
    to.problem("only one end of the SMs may depend on parameters");
    return 0;
  }
  const config::Range any{0, kMostSms - 1};
  if (!from_varies && !to_varies) {
    const std::int64_t first = from.integer(any);
    const std::int64_t last = to.integer(any);
    if (last >= first) return number_of(first, last, program);
    to.problem("is below 'from'");
    return 0;
  }
  // The sets are all that the expression may come to, in its order.
  const config::Value& constant = from_varies ? to : from;
  const std::int64_t end = constant.integer(any);
  const std::int64_t bound = section.value(from_varies ? "least" : "most").integer(any);
  const config::Range range{std::min(end, bound), std::max(end, bound)};
  if (from_varies ? bound > end : bound < end) {
    section.value(from_varies ? "least" : "most").problem("is on the wrong side of the other end");
    return 0;
  }
  std::vector<std::uint32_t> numbers;
  for (std::int64_t value = range.least; value <= range.most; ++value)
    numbers.push_back(from_varies ? number_of(value, end, program) : number_of(end, value, program));
  const std::uint64_t typical =
      amounts.whole(from_varies ? from : to, range,
                    [call, numbers, least = static_cast<std::uint64_t>(range.least)](
                        ApiProgram& of, RequestAmounts::Present&, std::uint64_t value) {
                      of.calls[call].sm_set = numbers[value - least];
                    });
  return numbers[typical - static_cast<std::uint64_t>(range.least)];
}

}  // namespace heddle
