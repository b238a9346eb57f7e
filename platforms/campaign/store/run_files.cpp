#include "platforms/campaign/store/run_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance.h"
#include "platforms/run/result/result_codec.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSummed[] = {"result.json",  "stats.json", "kernels.csv",       "handovers.csv",
                                   "requests.csv", "series.csv", "series_columns.csv"};

std::string checksums_of(const std::string& run) {
  return run + "/checksums";
}

std::string line_of(const std::string& name, const std::string& hash) {
  return fmt::format("{}  {}\n", hash, name);
}

void check_hash(const std::string& file, const std::string& hash) {
  const fs::path path = file;
  const std::string checksums = checksums_of(path.parent_path());
  if (config::read_file(checksums).find(line_of(path.filename(), hash)) == std::string::npos)
    fail_damaged(file, "its content does not agree with " + checksums);
}

}  // namespace

std::string result_file_of(const std::string& run) {
  return run + "/result.json";
}

std::string kernels_file_of(const std::string& run) {
  return run + "/kernels.csv";
}

std::string handovers_file_of(const std::string& run) {
  return run + "/handovers.csv";
}

std::string requests_file_of(const std::string& run) {
  return run + "/requests.csv";
}

std::string series_file_of(const std::string& run) {
  return run + "/series.csv";
}

std::string series_columns_file_of(const std::string& run) {
  return run + "/series_columns.csv";
}

RunResult load_result(const std::string& run) {
  const std::string file = result_file_of(run);
  const std::string text = config::read_file(file);
  try {
    RunResult result = read_result(text);
    check_content(file, text);
    return result;
  } catch (const CodecError& error) {
    fail_damaged(file, error.what());
  }
}

void write_checksums(const std::string& run) {
  std::string lines;
  for (const char* name : kSummed)
    if (const std::string file = run + "/" + name; fs::exists(file)) lines += line_of(name, file_hash(file));
  write_file(checksums_of(run), lines);
}

std::vector<std::string> summed_files(const std::string& run) {
  std::vector<std::string> names;
  std::ifstream in(checksums_of(run));
  for (std::string hash, name; in >> hash >> name;) names.push_back(name);
  return names;
}

void check_content(const std::string& file, const std::string& content) {
  check_hash(file, content_hash(content));
}

void check_content(const std::string& file) {
  check_hash(file, file_hash(file));
}

void fail_damaged(const std::string& file, const std::string& why) {
  throw config::Error({fmt::format("{}: is damaged: {}", file, why)});
}

}  // namespace heddle
