#include "platforms/campaign/store/run_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance.h"
#include "platforms/run/result/result_codec.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSummed[] = {"result.json", "stats.json"};

std::string checksums_of(const std::string& run) {
  return run + "/checksums";
}

std::string line_of(const std::string& name, const std::string& content) {
  return fmt::format("{}  {}\n", content_hash(content), name);
}

}  // namespace

std::string result_file_of(const std::string& run) {
  return run + "/result.json";
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
  for (const char* name : kSummed) lines += line_of(name, config::read_file(run + "/" + name));
  write_file(checksums_of(run), lines);
}

void check_content(const std::string& file, const std::string& content) {
  const fs::path path = file;
  const std::string checksums = checksums_of(path.parent_path());
  if (config::read_file(checksums).find(line_of(path.filename(), content)) == std::string::npos)
    fail_damaged(file, "its content does not agree with " + checksums);
}

void fail_damaged(const std::string& file, const std::string& why) {
  throw config::Error({fmt::format("{}: is damaged: {}", file, why)});
}

}  // namespace heddle
