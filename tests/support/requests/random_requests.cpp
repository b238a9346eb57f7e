#include "tests/support/requests/random_requests.h"

#include <fmt/format.h>

#include <functional>

namespace heddle::test {

namespace {

std::uint64_t pick(Random& random, std::uint64_t least, std::uint64_t most) {
  return least + random.below(most - least + 1);
}

bool one_in(Random& random, std::uint64_t count) {
  return random.below(count) == 0;
}

RandomParameter random_parameter(Random& random, const std::string& name) {
  const std::string limits = ", round: true, least: 1, most: 8}";
  switch (random.below(9)) {
    case 0:
      return {name, true, fmt::format("{{distribution: constant, value: {}}}", pick(random, 1, 8))};
    case 1:
      return {name, true, "{distribution: uniform, least: 1, most: 8}"};
    case 2:
      return {name, false, "{distribution: uniform, least: 0.25, most: 7.75}"};
    case 3:
      return {name, true, "{distribution: exponential, mean: 3" + limits};
    case 4:
      return {name, true, "{distribution: normal, mean: 4, deviation: 3" + limits};
    case 5:
      return {name, true, "{distribution: lognormal, mean: 3, deviation: 3" + limits};
    case 6:
      return {name, false, "{distribution: gamma, mean: 2, variation: 1.5, least: 0.01, most: 8}"};
    case 7:
      return {name, true, "{distribution: geometric, mean: 2, most: 8}"};
    default:
      return {name, true, "{distribution: choice, of: [1, 4, 8], weights: [2, 1, 1]}"};
  }
}

// Returns a file of arrivals, some of them at the same time, with a column of numbers from 1 to 8.
std::string random_times(Random& random, std::uint64_t rows) {
  std::string text = "time [us],size\n";
  std::uint64_t time = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    text += fmt::format("{},{}\n", time, pick(random, 1, 8));
    if (!one_in(random, 4)) time += random.below(800);
  }
  return text;
}

std::string kind_of_arrivals(Random& random, const std::string& file, RandomRequests& requests) {
  const std::uint64_t us = pick(random, 5, 1500);  // between arrivals, or the think time
  const auto rate = [us] { return fmt::format("rate: {}Hz", 1'000'000 / us); };
  switch (random.below(6)) {
    case 0:
      return fmt::format("kind: closed, think_time: {}us, think: {}, clients: {}", us,
                         one_in(random, 2) ? "fixed" : "exponential", pick(random, 1, 5));
    case 1:
      return fmt::format("kind: periodic, period: {}us, offset: {}us, jitter: {}us", us, random.below(300),
                         one_in(random, 2) ? 0 : random.below(us));
    case 2:
      return "kind: poisson, " + rate();
    case 3:
      return fmt::format("kind: uniform, least: {}us, most: {}us", random.below(us), us);
    case 4:
      return fmt::format("kind: gamma, {}, {}", rate(), one_in(random, 2) ? "variation: 2.5" : "shape: 3");
    default:
      requests.times = random_times(random, pick(random, 1, 25));
      requests.parameters.push_back({"size", true, "{column: size}"});
      return fmt::format("kind: times, file: {}", file);
  }
}

// A part of the requests, or of the time that they take.
std::string random_span(Random& random, std::uint64_t most_requests) {
  return one_in(random, 2) ? fmt::format("{}", pick(random, 1, most_requests))
                           : fmt::format("{}us", pick(random, 1, 3000));
}

}  // namespace

std::string RandomRequests::parameters_text() const {
  std::string text;
  for (const RandomParameter& parameter : parameters)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", parameter.name, parameter.text);
  return "{" + text + "}";
}

RandomRequests random_requests(Random& random, const std::string& file) {
  RandomRequests requests;
  std::string text = kind_of_arrivals(random, file, requests);
  const std::uint64_t most = pick(random, 1, 25);
  if (one_in(random, 4))
    text += fmt::format(", duration: {}us", pick(random, 100, 20'000));
  else if (requests.times.empty())
    text += fmt::format(", requests: {}", most);
  if (one_in(random, 2)) text += fmt::format(", deadline: {}us", pick(random, 20, 5000));
  if (one_in(random, 2))
    text += fmt::format(", queue: {{limit: {}, when_full: {}}}", random.below(5),
                        one_in(random, 2) ? "shed" : "wait");
  if (one_in(random, 4)) text += ", warm_up: " + random_span(random, most);
  if (one_in(random, 4)) text += ", window: " + random_span(random, most);
  if (one_in(random, 4)) text += fmt::format(", seed: {}", random.below(100));
  requests.arrivals = "{" + text + "}";
  for (std::uint64_t i = random.below(4); i > 0; --i)
    requests.parameters.push_back(random_parameter(random, fmt::format("p{}", i)));
  return requests;
}

}  // namespace heddle::test
