#include "platforms/campaign/store/run_files.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "models/core/config/config.h"
#include "platforms/run/result/result_codec.h"

namespace heddle {

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw config::Error({file + ": cannot be read"});
  return text;
}

std::string result_file_of(const std::string& run) {
  return run + "/result.json";
}

RunResult load_result(const std::string& run) {
  const std::string file = result_file_of(run);
  try {
    return read_result(read_text(file));
  } catch (const CodecError& error) {
    fail_damaged(file, error.what());
  }
}

void fail_damaged(const std::string& file, const std::string& why) {
  throw config::Error({fmt::format("{}: is damaged: {}", file, why)});
}

}  // namespace heddle
