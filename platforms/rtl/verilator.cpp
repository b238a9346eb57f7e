#include "platforms/rtl/verilator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

// Returns the folders that options name: "-y folder", "-Ifolder", "+incdir+folder+folder".
std::vector<std::string> folders_of(const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const std::string start = option.substr(0, 2);
    if (option == "-y" || option == "-I") {
      if (i + 1 < options.size()) folders.push_back(options[i + 1]);
    } else if (start == "-y" || start == "-I") {
      folders.push_back(option.substr(2));
    } else if (option.rfind("+incdir+", 0) == 0) {
      std::istringstream names(option.substr(8));
      for (std::string name; std::getline(names, name, '+');) folders.push_back(name);
    }
  }
  return folders;
}

}  // namespace

std::vector<std::string> verilator_arguments(const RtlTools& tools, const RtlSource& source) {
  std::vector<std::string> arguments{tools.verilator, "--cc",     "-O3",         "--prefix", "VBlock",
                                     "--top-module",  source.top, "--x-initial", "unique",   "--quiet-exit"};
  if (source.waves) arguments.emplace_back("--trace");
  for (const auto& [name, value] : source.parameters)
    arguments.push_back(fmt::format("-G{}={}", name, value));
  for (const auto& [name, value] : source.defines)
    arguments.push_back(value.empty() ? fmt::format("-D{}", name) : fmt::format("-D{}={}", name, value));
  for (const std::string& include : source.includes) arguments.push_back("-I" + include);
  arguments.insert(arguments.end(), source.options.begin(), source.options.end());
  arguments.insert(arguments.end(), source.files.begin(), source.files.end());
  return arguments;
}

std::string publishing_of(const RtlSource& source, const std::vector<RtlCounter>& counters) {
  std::set<std::string> lines;
  for (const RtlCounter& counter : counters) {
    // Only Verilator knows the module of a scope below the top.
    const std::size_t dot = counter.signal.rfind('.');
    const bool in_top = dot == std::string::npos;
    lines.insert(fmt::format("public_flat_rd -module \"{}\" -var \"{}\"\n", in_top ? source.top : "*",
                             in_top ? counter.signal : counter.signal.substr(dot + 1)));
  }
  std::string text = "`verilator_config\n";
  for (const std::string& line : lines) text += line;
  return text;
}

RtlInputs read_inputs(const RtlSource& source, const std::string& made) {
  // A line of a file that was read is: S size inode times "name".
  const std::string record = config::read_file(made + "/VBlock__verFiles.dat");
  static const std::regex line(R"(\nS [^\n]*"([^"\n]+)\")");
  const fs::path base = source.directory.empty() ? fs::current_path() : fs::path(source.directory);
  std::set<std::string> files;
  std::set<std::string> folders{base};
  for (std::sregex_iterator at(record.begin(), record.end(), line), end; at != end; ++at) {
    const fs::path file = (base / (*at)[1].str()).lexically_normal();
    if (file.parent_path() == made) continue;  // the configuration that Heddle writes
    files.insert(file);
    const bool is_program = file.filename().string().rfind("verilator_bin", 0) == 0;
    if (!is_program) folders.insert(file.parent_path());
  }
  for (const std::string& include : source.includes) folders.insert(include);
  for (const std::string& folder : folders_of(source.options))
    folders.insert((base / folder).lexically_normal());
  return {{files.begin(), files.end()}, {folders.begin(), folders.end()}};
}

std::string first_problem(const std::string& output) {
  static const std::regex problem(R"(%(Error|Warning)(-\w+)?: ([^\n]*))");
  std::smatch found;
  if (!std::regex_search(output, found, problem)) return output.substr(0, output.find('\n'));
  const std::string code = found[2];
  return found[3].str() + (code.empty() ? "" : fmt::format(" [{}]", code.substr(1)));
}

std::vector<std::string> published_variables(const std::string& made, const std::string& top) {
  // __Vscope_top__u.configure(this, name(), "top.u", ...); __Vscope_top__u.varInsert(__Vfinal,"count", ...);
  static const std::regex scope(R"re((__Vscope\w+)\.configure\(this, name\(\), "([^"]+)")re");
  static const std::regex variable(R"re((__Vscope\w+)(?:\.|->)varInsert\((?:__Vfinal,)?"([^"]+)")re");
  std::map<std::string, std::string> scopes;
  std::vector<std::string> names;
  std::string text;
  for (const auto& entry : fs::directory_iterator(made))
    if (entry.path().filename().string().find("__Syms") != std::string::npos)
      text += config::read_file(entry.path());
  for (std::sregex_iterator at(text.begin(), text.end(), scope), end; at != end; ++at)
    scopes[(*at)[1]] = (*at)[2];
  for (std::sregex_iterator at(text.begin(), text.end(), variable), end; at != end; ++at) {
    const std::string path = fmt::format("{}.{}", scopes[(*at)[1]], (*at)[2].str());
    if (path.rfind(top + ".", 0) == 0) names.push_back(path.substr(top.size() + 1));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace heddle
