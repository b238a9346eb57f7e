#include "platforms/run/result/json_fields.h"

#include <algorithm>

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 40;  // bytes of a wrong value in a message

[[noreturn]] void fail(const std::string& place, const std::string& problem) {
  throw CodecError(place.empty() ? problem : fmt::format("{}: {}", place, problem));
}

std::string shown(const Json& json) {
  std::string text = json_line(json);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

}  // namespace

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_file(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_json(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail("", fmt::format("is no JSON from byte {} on", error.byte));
  } catch (const Json::exception&) {  // a number beyond the range of a double
    fail("", "is no JSON that can be read");
  }
}

FieldReader::FieldReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
  if (!json_.is_object()) fail(place_, fmt::format("must be an object, not {}", shown(json_)));
}

void FieldReader::finish() const {
  for (const auto& [key, value] : json_.items())
    if (std::find(taken_.begin(), taken_.end(), key) == taken_.end()) fail(place_of(key), "is not known");
}

const Json& FieldReader::take(const char* key) {
  const auto found = json_.find(key);
  if (found == json_.end()) fail(place_of(key), "is missing");
  taken_.emplace_back(key);
  return *found;
}

std::string FieldReader::place_of(const std::string& key) const {
  return place_.empty() ? key : place_ + "." + key;
}

bool FieldReader::flag(const Json& json, const std::string& place) {
  if (!json.is_boolean()) fail(place, fmt::format("must be true or false, not {}", shown(json)));
  return json.get<bool>();
}

std::uint64_t FieldReader::count(const Json& json, const std::string& place, std::uint64_t most) {
  if (!json.is_number_unsigned()) fail(place, fmt::format("must be a count, not {}", shown(json)));
  const auto value = json.get<std::uint64_t>();
  if (value > most) fail(place, fmt::format("must be at most {}, not {}", most, value));
  return value;
}

double FieldReader::number(const Json& json, const std::string& place) {
  if (!json.is_number()) fail(place, fmt::format("must be a number, not {}", shown(json)));
  return json.get<double>();
}

std::string FieldReader::text(const Json& json, const std::string& place) {
  if (!json.is_string()) fail(place, fmt::format("must be a text, not {}", shown(json)));
  return json.get<std::string>();
}

void FieldReader::fail_choice(const std::string& place, const std::string& value) {
  fail(place, fmt::format("has the unknown name {}", shown(value)));
}

void FieldReader::must_be_list(const Json& json, const std::string& place) {
  if (!json.is_array()) fail(place, fmt::format("must be a list, not {}", shown(json)));
}

}  // namespace heddle
