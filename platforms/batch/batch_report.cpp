#include "platforms/batch/batch_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <vector>

#include "platforms/cli/output.h"
#include "platforms/data_path.h"

namespace heddle {

void batch_report(const BatchReportOptions& options) {
  const std::string program = find_script("report");
  std::vector<std::string> words{program};
  if (options.strict) words.emplace_back("--strict");
  words.insert(words.end(), {"--", options.directory});
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::cout.flush();
  ::execv(program.c_str(), arguments.data());
  throw OutputError(fmt::format("cannot start {}: {}", program, std::strerror(errno)));
}

}  // namespace heddle
