#include "platforms/campaign/store/points.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "heddle-points-2";

PointRecord record_of(const Json& json, std::uint64_t number) {
  PointRecord record;
  json.at("label").get_to(record.label);
  record.point.number = number;
  for (const auto& [key, value] : json.at("values").items()) record.point.values.push_back({key, value});
  if (const Json& seed = json.at("seed"); !seed.is_null()) record.point.seed = seed.get<std::uint64_t>();
  json.at("runs").get_to(record.runs);
  json.at("variants").get_to(record.names.variants);
  json.at("alone").get_to(record.alone);
  json.at("applications").get_to(record.names.applications);
  if (const Json& prioritised = json.at("prioritised"); !prioritised.is_null())
    record.names.prioritised = prioritised.get<std::size_t>();
  const bool agrees = record.runs.size() == record.names.variants.size() && !record.alone.empty() &&
                      record.alone.size() == record.names.applications.size() &&
                      record.names.prioritised.value_or(0) < record.alone.size();
  if (!agrees) throw std::out_of_range("a point that contradicts itself");
  return record;
}

}  // namespace

void write_points(const Campaign& campaign, const RunPlan& plan, std::ostream& out) {
  const auto ids = [&](const std::vector<std::size_t>& runs) {
    Json list = Json::array();
    for (const std::size_t run : runs) list.push_back(plan.runs[run].id);
    return list;
  };
  out << "{\"schema\": \"" << kSchema << "\",\n\"campaign\": " << Json(campaign.name).dump()
      << ",\n\"points\": [";
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const CampaignPoint& point = campaign.points[i];
    const PointNames& names = *plan.points[i].names;
    Json json{{"label", label_of(point)}, {"values", Json::object()}};
    for (const Assignment& value : point.values) json["values"][value.key] = value.value;
    json["seed"] = point.seed ? Json(*point.seed) : Json(nullptr);
    json["runs"] = ids(plan.points[i].variants);
    json["variants"] = names.variants;
    json["alone"] = ids(plan.points[i].alone);
    json["applications"] = names.applications;
    json["prioritised"] = names.prioritised ? Json(*names.prioritised) : Json(nullptr);
    out << (i == 0 ? "\n" : ",\n") << json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  out << "\n]}\n";
}

PointsFile read_points(const std::string& directory) {
  const std::string path = directory + "/points.json";
  config::check_file(path);
  std::ifstream in(path);
  if (!in) throw config::Error({directory + ": there is no campaign; heddle batch run makes one"});
  try {
    const Json json = Json::parse(in);
    if (const std::string schema = json.at("schema"); schema != kSchema)
      throw config::Error(
          {fmt::format("{}: is of the schema {}; this program reads {}; heddle batch run "
                       "writes it again",
                       path, schema, kSchema)});
    PointsFile file;
    json.at("campaign").get_to(file.campaign);
    const Json& points = json.at("points");
    for (const Json& point : points) file.points.push_back(record_of(point, file.points.size() + 1));
    return file;
  } catch (const config::Error&) {
    throw;
  } catch (const std::exception&) {
    throw config::Error({path + ": is damaged; heddle batch run writes it again"});
  }
}

}  // namespace heddle
