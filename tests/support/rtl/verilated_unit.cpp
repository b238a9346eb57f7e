#include "tests/support/rtl/verilated_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "tests/support/paths.h"

namespace heddle::test {

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
}

void execute(const std::string& command, const fs::path& log) {
  if (std::system(fmt::format("{} > '{}' 2>&1", command, log.string()).c_str()) != 0)
    throw std::runtime_error(command + "\n" + read(log));
}

// The entries of the table of signals, from the pins that the header of the verilated block declares.
std::string signal_entries(const std::string& header) {
  static const std::regex pin(R"((VL_IN|VL_OUT)(8|16|64|W|)\(&(\w+),(\d+),(\d+))");
  std::string entries;
  for (std::sregex_iterator at(header.begin(), header.end(), pin), end; at != end; ++at) {
    const std::string kind = (*at)[2];
    const int bytes = kind == "8" ? 1 : kind == "16" ? 2 : kind == "64" ? 8 : 4;
    const int bits = std::stoi((*at)[4]) - std::stoi((*at)[5]) + 1;
    entries += fmt::format("    {{\"{0}\", {1}, {2}, {3}, 0, &model.{0}}},\n", (*at)[3].str(), bits, bytes,
                           (*at)[1] == "VL_IN" ? "HEDDLE_RTL_INPUT" : "HEDDLE_RTL_OUTPUT");
  }
  return entries;
}

constexpr const char* kShim = R"(
#include "models/rtl/heddle_rtl.h"
@INCLUDES@
void vl_fatal(const char* file, int line, const char*, const char* message) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + message);
}
struct SeededContext : VerilatedContext {
  explicit SeededContext(uint64_t seed) {
    randReset(2);
    randSeed(static_cast<int>(seed));
  }
};
struct heddle_rtl_block {
  explicit heddle_rtl_block(uint64_t seed) : context(seed) {}
  SeededContext context;
  Vunit model{&context, "unit"};
  std::string message;
  heddle_rtl_signal signals[@COUNT@] = {
@SIGNALS@  };
};
namespace {
heddle_rtl_block* create(uint64_t seed) { return new heddle_rtl_block(seed); }
void destroy(heddle_rtl_block* block) { delete block; }
int eval(heddle_rtl_block* block) {
  try {
    block->model.eval();
    return 0;
  } catch (const std::exception& error) {
    block->message = error.what();
    return 1;
  }
}
const heddle_rtl_signal* signals(heddle_rtl_block* block, size_t* count) {
  *count = @COUNT@;
  return block->signals;
}
const char* message(heddle_rtl_block* block) { return block->message.c_str(); }
const heddle_rtl_api kApi = {HEDDLE_RTL_VERSION, sizeof(heddle_rtl_api), "@TOP@", "Verilator", create, destroy,
                             eval, signals, nullptr, nullptr, nullptr, message};
}
extern "C" __attribute__((visibility("default"))) const heddle_rtl_api* heddle_rtl() { return &kApi; }
)";

void replace(std::string& text, const std::string& name, const std::string& value) {
  for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
}

}  // namespace

bool verilator_is_installed() {
  return !std::string(HEDDLE_VERILATOR).empty();
}

std::vector<std::string> texts_of(const UnitSources& unit) {
  std::vector<std::string> texts;
  for (const std::string& file : unit.files)
    texts.push_back(read(source_directory() + "/stimuli/rtl/" + file));
  return texts;
}

UnitBuilder::UnitBuilder() {
  std::string name = (fs::temp_directory_path() / "heddle_units_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  folder_ = name;
}

UnitBuilder::~UnitBuilder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::shared_ptr<const RtlLibrary> UnitBuilder::build(const UnitSources& unit,
                                                     const std::vector<std::string>& texts) {
  const fs::path work = folder_ / std::to_string(built_++);
  fs::create_directory(work);
  std::string command = fmt::format(
      "cd '{}' && {} --cc -O2 --x-assign unique --x-initial unique --unroll-count 1 "
      "-Wno-lint -Wno-UNOPTFLAT --Mdir made --prefix Vunit --top-module {}",
      work.string(), HEDDLE_VERILATOR, unit.top);
  for (const auto& [name, value] : unit.parameters) command += fmt::format(" -G{}={}", name, value);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    write(work / unit.files[i], texts[i]);
    command += " " + unit.files[i];
  }
  execute(command, work / "verilator.log");

  std::vector<std::string> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(work / "made"))
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path().filename().string());
  std::sort(sources.begin(), sources.end());
  std::string includes;
  for (const std::string& source : sources) includes += fmt::format("#include \"{}\"\n", source);
  const std::string entries = signal_entries(read(work / "made" / "Vunit.h"));
  std::string shim = kShim;
  replace(shim, "@INCLUDES@", includes);
  replace(shim, "@SIGNALS@", entries);
  replace(shim, "@COUNT@", std::to_string(std::count(entries.begin(), entries.end(), '\n')));
  replace(shim, "@TOP@", unit.top);
  write(work / "made" / "shim.cpp", shim);
  execute(fmt::format("cd '{}' && {} -Imade -shared -o unit.so made/shim.cpp {}", work.string(),
                      HEDDLE_COMPILE, HEDDLE_LINK),
          work / "compiler.log");
  return RtlLibrary::load((work / "unit.so").string());
}

std::string warnings_of(const UnitSources& unit) {
  std::string arguments;
  for (const std::string& file : unit.files) arguments += " " + file;
  std::vector<std::string> commands{
      fmt::format("{} --lint-only -Wall --top-module {}", HEDDLE_VERILATOR, unit.top)};
  if (std::system("iverilog -V > /dev/null 2>&1") == 0)
    commands.push_back(fmt::format("iverilog -g2012 -Wall -s {} -t null", unit.top));
  std::string said;
  for (const std::string& command : commands) {
    FILE* pipe = popen(
        fmt::format("cd '{}/stimuli/rtl' && {}{} 2>&1", source_directory(), command, arguments).c_str(), "r");
    for (int next; (next = std::fgetc(pipe)) != EOF;) said += static_cast<char>(next);
    if (pclose(pipe) != 0) said += command + " has failed";
  }
  return said;
}

}  // namespace heddle::test
