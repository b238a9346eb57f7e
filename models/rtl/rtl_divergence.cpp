#include "models/rtl/rtl_divergence.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

std::string shown(std::uint64_t choice) {
  return choice == RtlEvent::kNone ? "none" : std::to_string(choice);
}

Json choice_of(std::uint64_t choice) {
  return choice == RtlEvent::kNone ? Json(nullptr) : Json(choice);
}

std::string list(const char* head, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("  {} {} = 'h{}\n", head, name, value);
  return text;
}

Json object_of(const std::vector<std::pair<std::string, std::string>>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

}  // namespace

std::string RtlDivergence::waves_options() const {
  constexpr std::uint64_t kBefore = 200;
  constexpr std::uint64_t kAfter = 20;
  return fmt::format(
      "--set {0}.dump.instance={1} --set {0}.dump.from={2}cycles --set {0}.dump.to={3}cycles "
      "--set {0}.dump.file={1}.vcd",
      block, instance, cycle.value - std::min(cycle.value, kBefore), cycle.value + kAfter);
}

std::string RtlDivergence::line() const {
  return fmt::format("{} at {} differs from the model in {} cycle {} ({} ps): {} is {}, the model's is {}",
                     block, instance, domain, cycle.value, time_ps, output, rtl, model);
}

std::string RtlDivergence::text() const {
  std::string text = line() + "\n";
  text += list("input", inputs) + list("inside", published);
  for (const RtlEvent& event : events)
    text += fmt::format("  cycle {}{}: RTL {}, model {}{}\n", event.cycle.value,
                        event.address == RtlEvent::kNone ? "" : fmt::format(", 'h{:x}", event.address),
                        shown(event.rtl), shown(event.model), event.rtl == event.model ? "" : "  <- differs");
  text += fmt::format("  again with waves of it: the same command with {}\n", waves_options());
  text += fmt::format("  {} more differences of this instance followed.\n", followed);
  return text;
}

Json RtlDivergence::json() const {
  Json json = {{"block", block},
               {"instance", instance},
               {"domain", domain},
               {"cycle", cycle.value},
               {"time_ps", time_ps},
               {"output", output},
               {"model", model},
               {"rtl", rtl},
               {"inputs", object_of(inputs)},
               {"published", object_of(published)},
               {"events", Json::array()},
               {"followed", followed},
               {"waves_options", waves_options()}};
  for (const RtlEvent& event : events) {
    Json one = {
        {"cycle", event.cycle.value}, {"model", choice_of(event.model)}, {"rtl", choice_of(event.rtl)}};
    if (event.address != RtlEvent::kNone) one["address"] = event.address;
    json["events"].push_back(std::move(one));
  }
  return json;
}

}  // namespace heddle
