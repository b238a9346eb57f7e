#include "platforms/run/provenance_codec.h"

#include "platforms/run/result/json_fields.h"

namespace heddle {

static void fields(FieldWriter& io, const RunSpeed& speed, const std::optional<double>& cpu_seconds = {}) {
  io.field("wall_seconds", speed.wall_seconds);
  io.optional("cpu_seconds", cpu_seconds);
  io.field("cycles_per_second", speed.cycles_per_second);
}

static void fields(FieldWriter& io, const LabelledSpeed& run) {
  io.field("label", run.label);
  fields(io, run.speed);
}

static void fields(FieldWriter& io, const UsedPlugin& plugin) {
  io.field("file", plugin.file);
  io.field("hash", plugin.hash);
  io.field("policies", plugin.policies);
}

static void fields(FieldWriter& io, const Provenance& origin) {
  io.field("version", origin.version);
  io.field("revision", origin.revision);
  io.field("build_id", origin.build_id);
  io.field("host", origin.host);
  io.field("argv", origin.argv);
  io.list("plugins", origin.plugins);
  io.optional("started", origin.started);
  if (origin.speed) fields(io, *origin.speed, origin.cpu_seconds);
  io.optional("ended", origin.ended);
  if (!origin.notes.empty()) io.field("notes", origin.notes);
  io.list("runs", origin.runs);
}

std::string provenance_text(const Provenance& origin) {
  return json_file_of(origin);
}

std::optional<double> wall_seconds_of(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto found = json.find("wall_seconds");
  return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<std::vector<std::pair<std::string, std::string>>> provenance_entries(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [key, value] : json.items())
    entries.emplace_back(key, value.is_string() ? value.get<std::string>() : json_line(value));
  return entries;
}

}  // namespace heddle
