#include "platforms/rtl/library_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/input_file.h"
#include "models/core/config/result_file.h"
#include "models/rtl/child_process.h"
#include "models/rtl/rtl_library.h"
#include "platforms/rtl/verilator.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

const char* const kInterface =
#include "platforms/rtl/heddle_rtl.h.inc"
    ;
const char* const kShim =
#include "platforms/rtl/verilator_shim.inc.inc"
    ;
// Every file that is compiled includes this first.
constexpr const char* kPrelude = "void heddle_rtl_print(const char* format, ...);\n";
// The library exports only the symbol heddle_rtl. Several libraries can therefore be loaded together, even if
// their blocks have modules of the same name.
constexpr const char* kExports = "{ global: heddle_rtl; local: *; };\n";
const std::vector<std::string> kCompilerOptions{"-std=gnu++17",
                                                "-O2",
                                                "-fPIC",
                                                "-fvisibility=hidden",
                                                "-pthread",
                                                "-w",
                                                "-DVERILATOR=1",
                                                "-DVM_SC=0",
                                                "-DVL_USER_FINISH",
                                                "-DVL_USER_STOP",
                                                "-DVL_USER_FATAL",
                                                "-DVL_USER_WARN",
                                                "-DVL_PRINTF=heddle_rtl_print"};

std::string c_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// Returns the words that Verilator's makefile lists: "VM_GLOBAL_FAST += \ verilated \ verilated_threads \".
std::vector<std::string> words_of(const std::string& makefile, const std::string& variable) {
  const std::size_t at = makefile.find(variable + " +=");
  std::vector<std::string> words;
  if (at == std::string::npos) return words;
  std::istringstream text(makefile.substr(at + variable.size() + 3, makefile.find("\n\n", at) - at));
  for (std::string word; text >> word && word[0] != '#' && word.rfind("VM_", 0) != 0;)
    if (word != "\\") words.push_back(word);
  return words;
}

}  // namespace

std::string recipe_of(const RtlSpec& spec, const RtlTools& tools) {
  std::string text;
  for (const std::string& part : verilator_arguments(tools, spec.source)) text += part + '\0';
  for (const RtlCounter& counter : spec.counters) text += counter.signal + '\0';
  for (const std::string& part : kCompilerOptions) text += part + '\0';
  for (const std::string& part : tools.compiler) text += part + '\0';
  for (const std::string& part : {spec.source.directory, tools.verilator_version, tools.compiler_version})
    text += part + '\0';
  return hash_of(text + kPrelude + kExports + kInterface + kShim);
}

LibraryMaker::LibraryMaker(const RtlSpec& spec, const RtlTools& tools, const LibraryCache& cache)
    : spec_(spec), tools_(tools), cache_(cache), draft_(cache) {}

void LibraryMaker::refuse(const std::string& message) const {
  const bool is_told = printed_.find(std::strerror(ENOSPC)) != std::string::npos;
  if (is_told || is_disk_full(draft_.path()))
    throw OutputError(fmt::format("cannot make the library of {}: {}: {}; $HEDDLE_CACHE names another folder",
                                  cache_.name(), cache_.path(""), std::strerror(ENOSPC)));
  const std::string log = cache_.path(cache_.name() + "-failed.log");
  draft_.write("log", printed_);
  cache_.publish(draft_.path("log"), log);
  throw config::Error({fmt::format("{}: {}; the log is {}", spec_.place, message, log)});
}

std::string LibraryMaker::log() const {
  draft_.write("log", printed_);
  return draft_.path("log");
}

void LibraryMaker::run(const std::vector<std::string>& arguments) {
  const ChildOutput output = run_tool(arguments, spec_.source.directory);
  printed_ += fmt::format("{}\n{}\n", fmt::join(arguments, " "), output.text);
  if (!output.started) refuse(fmt::format("'{}' cannot be run", arguments[0]));
  if (output.end.empty()) return;
  const std::string problem = first_problem(output.text);
  refuse(problem.empty() ? fmt::format("{} {}", arguments[0], output.end) : problem);
}

RtlInputs LibraryMaker::verilate() {
  const auto begin = fs::file_time_type::clock::now();
  draft_.write("publish.vlt", publishing_of(spec_.source, spec_.counters));
  std::vector<std::string> arguments = verilator_arguments(tools_, spec_.source);
  arguments.insert(arguments.begin() + 1, {"--Mdir", draft_.path(), draft_.path("publish.vlt")});
  run(arguments);
  makefile_ = config::read_file(draft_.path("VBlock_classes.mk"));
  RtlInputs inputs = read_inputs(spec_.source, draft_.path());
  std::error_code none;
  for (const std::string& file : inputs.files)
    if (fs::last_write_time(file, none) > begin) refuse(file + " was changed while Verilator ran");
  return inputs;
}

std::vector<std::string> LibraryMaker::compiler_arguments() const {
  std::vector<std::string> arguments = tools_.compiler;
  arguments.insert(arguments.end(), kCompilerOptions.begin(), kCompilerOptions.end());
  static const std::regex macro(R"((VM_(?:COVERAGE|TRACE|TRACE_VCD|TRACE_FST)) = (\d))");
  for (std::sregex_iterator at(makefile_.begin(), makefile_.end(), macro), end; at != end; ++at)
    arguments.push_back(fmt::format("-D{}={}", (*at)[1].str(), (*at)[2].str()));
  for (const std::string& folder : {draft_.path(), runtime_, runtime_ + "/vltstd"})
    arguments.push_back("-I" + folder);
  arguments.insert(arguments.end(), {"-include", "prelude.h"});
  return arguments;
}

std::string LibraryMaker::runtime_object(const std::string& source) {
  const std::string file = fmt::format("{}/{}.cpp", runtime_, source);
  std::string recipe = tools_.verilator_version + tools_.compiler_version + file + kPrelude;
  for (const std::string& argument : compiler_arguments())
    if (argument != "-I" + draft_.path()) recipe += argument + '\0';
  std::string object = cache_.path(fmt::format("{}-{}.o", source, hash_of(recipe)));
  std::error_code none;
  if (fs::exists(object, none)) return object;
  std::vector<std::string> arguments = compiler_arguments();
  arguments.insert(arguments.end(), {"-c", file, "-o", draft_.path("runtime.o")});
  run(arguments);
  cache_.publish(draft_.path("runtime.o"), object);
  return object;
}

std::string LibraryMaker::block_text(const std::vector<ClassPin>& pins) const {
  const std::string tool = tools_.verilator_version.substr(
      0, tools_.verilator_version.find(' ', tools_.verilator_version.find(' ') + 1));
  std::string text = fmt::format("#define HEDDLE_TOP {}\n#define HEDDLE_TOOL {}\n#define HEDDLE_PINS(pin)",
                                 c_string(spec_.source.top), c_string(tool));
  for (const ClassPin& pin : pins)
    text += fmt::format(" \\\n  pin({}, {}, {}, {})", c_string(pin.name), pin.bits,
                        static_cast<int>(pin.direction), pin.member);
  text += "\n#define HEDDLE_PUBLISHED(signal)";
  std::vector<std::string> known;
  known.reserve(pins.size() + spec_.counters.size());
  for (const ClassPin& pin : pins) known.push_back(pin.name);
  for (const RtlCounter& counter : spec_.counters) {
    if (std::find(known.begin(), known.end(), counter.signal) != known.end()) continue;
    text += fmt::format(" \\\n  signal({})", c_string(counter.signal));
    known.push_back(counter.signal);
  }
  return text + "\n";
}

void LibraryMaker::compile() {
  runtime_ = runtime_folder_of(tools_);
  std::string classes = "#include \"block.inc\"\n";
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(draft_.path()))
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path().filename());
  std::sort(sources.begin(), sources.end());
  for (const std::string& source : sources) classes += fmt::format("#include \"{}\"\n", source);
  draft_.write("block.inc", block_text(read_class_pins(config::read_file(draft_.path("VBlock.h")))));
  draft_.write("prelude.h", kPrelude);
  draft_.write("heddle_rtl.h", kInterface);
  draft_.write("exports.map", kExports);
  draft_.write("block.cc", classes + kShim);

  std::vector<std::string> arguments = compiler_arguments();
  arguments.insert(arguments.end(), {"-c", draft_.path("block.cc"), "-o", draft_.path("block.o")});
  run(arguments);
  std::vector<std::string> link = tools_.compiler;
  link.insert(link.end(),
              {"-shared", "-pthread", "-Wl,-z,defs", "-Wl,--version-script=" + draft_.path("exports.map"),
               "-o", library(), draft_.path("block.o")});
  for (const char* list : {"VM_GLOBAL_FAST", "VM_GLOBAL_SLOW"})
    for (const std::string& source : words_of(makefile_, list)) link.push_back(runtime_object(source));
  run(link);
}

void LibraryMaker::check_counters() {
  const std::unique_ptr<RtlInstance> instance = RtlLibrary::load(library())->create(spec_.seed);
  for (const RtlCounter& counter : spec_.counters) {
    if (instance->find(counter.signal) != nullptr) continue;
    std::vector<std::string> known = all_variables();
    for (const RtlSignal& signal : instance->signals()) known.emplace_back(signal.name());
    throw config::Error(
        {fmt::format("{}: counter '{}': '{}' is no variable of the block{}", counter.place, counter.name,
                     counter.signal, config::suggestion(counter.signal, known))});
  }
}

// Returns the names of all variables of the block, for a message about a name that does not exist. Verilator
// lists the names of variables that are published, so the function publishes all of them in a draft.
std::vector<std::string> LibraryMaker::all_variables() {
  const DraftFolder draft(cache_);
  draft.write("publish.vlt", "`verilator_config\npublic_flat_rd -module \"*\" -var \"*\"\n");
  std::vector<std::string> arguments = verilator_arguments(tools_, spec_.source);
  arguments.insert(arguments.begin() + 1, {"--Mdir", draft.path(), draft.path("publish.vlt")});
  run(arguments);
  return published_variables(draft.path(), spec_.source.top);
}

}  // namespace heddle
