#include "platforms/load/read_rtl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "models/rtl/rtl_role.h"
#include "platforms/load/read_policy.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kDomains{"core", "icnt", "l2", "dram", "pcie"};
// Keys that say how a library is made; a block with a ready library has none of them.
const std::vector<std::string> kMakingKeys{"sources", "top",     "parameters", "includes",
                                           "defines", "options", "waves"};
// Options, without their dashes, that would make Verilator make something else.
const std::vector<std::string> kRefusedOptions{"sc",        "exe",        "main",      "build",  "binary",
                                               "lint-only", "xml-only",   "json-only", "Mdir",   "prefix",
                                               "top",       "top-module", "timing",    "threads"};
// Options that run a command, and those that read further options from a file.
const std::vector<std::string> kCommandOptions{"pipe-filter",   "gdb",  "gdbbt",    "rr",
                                               "build-dep-bin", "make", "MAKEFLAGS"};
const std::vector<std::string> kOptionFiles{"f", "F"};

bool is_among(const std::vector<std::string>& options, const std::string& option) {
  return std::find(options.begin(), options.end(), option) != options.end();
}

// Returns the name of an option. Verilator takes it after one dash or two.
std::string name_of_option(const std::string& option) {
  const std::size_t dashes = std::min<std::size_t>(2, option.find_first_not_of('-'));
  return dashes == 0 ? "" : option.substr(dashes, option.find_first_of("= \t") - dashes);
}

// Returns the absolute path without "." and without a slash at its end.
fs::path absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? "." : path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

// Reads one block.
class BlockReader {
 public:
  BlockReader(const config::Section& section, std::string directory)
      : section_(section), directory_(std::move(directory)) {}

  RtlSpec read();

 private:
  void read_name();
  void read_source();
  void read_making();
  void read_option(const config::Value& value, const std::string& option);
  void read_clocks();
  void read_resets();
  RtlVector::Part read_part(const config::Value& value);
  void read_vectors();
  void read_pins();
  void read_form(const config::Section& section, RtlPin& pin);
  void read_counters();
  void read_bits(const config::Section& section, RtlCounter& counter);
  std::string existing(const config::Value& value, bool is_folder);
  std::map<std::string, std::string> texts_by_name(const std::string& key, const std::string& description);
  void check_signal(const config::Value& value, const std::string& signal);
  void check_needed();
  void claim(const config::Value& value, const std::string& pin, const std::string& use);

  const config::Section section_;
  const std::string directory_;
  RtlSpec spec_;
  const RtlRole* role_ = nullptr;               // null for an unknown one
  std::map<std::string, std::string> drivers_;  // of each pin so far
};

RtlSpec BlockReader::read() {
  spec_.place = section_.place();
  read_name();
  read_source();
  read_clocks();
  read_resets();
  read_vectors();
  read_pins();
  read_rtl_use(section_, spec_);
  read_counters();
  return std::move(spec_);
}

// The name begins the names of files.
void BlockReader::read_name() {
  const config::Value name = section_.value({"rtl", "name of the block"}, "text");
  spec_.name = name.text();
  static const std::regex allowed("[A-Za-z0-9][A-Za-z0-9_.-]*");
  if (name.is_scalar() && !std::regex_match(spec_.name, allowed))
    name.problem("needs a name of letters, digits, '_', '.' and '-'");
  section_.text({"description", "one line that says what the block does"}, "");
  std::vector<std::string> roles;
  for (const RtlRole& role : rtl_roles()) roles.emplace_back(role.name);
  spec_.role = section_.choice({"role", "what the block does in the machine"}, roles);
  role_ = find_rtl_role(spec_.role);
}

// Returns the absolute path of a file or a folder, which must exist.
std::string BlockReader::existing(const config::Value& value, bool is_folder) {
  const std::string name = value.text();
  if (name.empty()) {
    if (value.is_scalar()) value.problem(is_folder ? "needs a folder" : "needs a file");
    return "";
  }
  std::error_code error;
  const fs::path path = absolute_path(fs::path(directory_) / name);
  const bool found = is_folder ? fs::is_directory(path, error) : fs::is_regular_file(path, error);
  if (!found) value.problem(fmt::format("there is no {} '{}'", is_folder ? "folder" : "file", path.string()));
  return path;
}

void BlockReader::read_source() {
  spec_.source.directory = absolute_path(directory_);
  const auto library = section_.optional({"library", "a ready library, in place of sources"}, "text");
  if (!library) return read_making();
  spec_.source.library = existing(*library, false);
  for (const std::string& key : kMakingKeys) {
    if (!section_.has(key)) continue;
    const config::Value value = section_.value(key);
    value.problem("has no meaning beside a ready 'library'");
    if (value.is_section())
      for (const std::string& name : value.section().keys()) value.section().value(name);
  }
}

std::map<std::string, std::string> BlockReader::texts_by_name(const std::string& key,
                                                              const std::string& description) {
  std::map<std::string, std::string> result;
  const config::Section section = section_.optional_section(key);
  for (const std::string& name : section.keys())
    result[name] = section.value({name, description}, "text").text();
  return result;
}

void BlockReader::read_making() {
  RtlSource& source = spec_.source;
  const std::vector<config::Value> files = section_.list(
      {"sources", "files of SystemVerilog or Verilog, in the order in which Verilator reads them"});
  if (files.empty()) section_.problem("needs 'sources', or a ready 'library'");
  for (const config::Value& file : files) source.files.push_back(existing(file, false));
  if (!files.empty() || section_.has("top")) source.top = section_.text({"top", "name of the top module"});
  source.parameters = texts_by_name("parameters", "value of a parameter of the top module");
  for (const config::Value& folder : section_.list({"includes", "folders of included files"}))
    source.includes.push_back(existing(folder, true));
  source.defines = texts_by_name("defines", "value of a macro; '' defines the name alone");
  for (const config::Value& value : section_.list({"options", "further options of Verilator"})) {
    source.options.push_back(value.text());
    read_option(value, source.options.back());
  }
  source.waves = section_.boolean(
      {"waves", "whether instances can write waveforms, which makes every evaluation slower"}, false);
}

void BlockReader::read_option(const config::Value& value, const std::string& option) {
  const std::string name = name_of_option(option);
  if (is_among(kRefusedOptions, name))
    value.problem(fmt::format("'{}' is not for a block: Heddle says what Verilator makes",
                              option.substr(0, option.find('='))));
  const bool runs = is_among(kCommandOptions, name);
  if (runs || is_among(kOptionFiles, name))
    spec_.source.commands.push_back(
        fmt::format("{}: '{}' {}; --trust allows it", value.place(), option,
                    runs ? "runs a command" : "reads options from a file, which may run commands"));
}

// Records that something drives the pin. A second driver is a problem.
void BlockReader::claim(const config::Value& value, const std::string& pin, const std::string& use) {
  const auto [driver, is_new] = drivers_.emplace(pin, use);
  if (!is_new)
    value.problem(fmt::format("pin '{}' has two drivers: it is a {} already", pin, driver->second));
}

void BlockReader::read_clocks() {
  const config::Section clocks = section_.optional_section("clocks");
  for (const std::string& pin : clocks.keys()) {
    const config::Value value = clocks.value({pin, "clock domain of a clock pin"}, "one of",
                                             fmt::format("{}", fmt::join(kDomains, ", ")));
    spec_.clocks.push_back({pin, value.choice(kDomains), value.place()});
    claim(value, pin, "clock");
  }
  const auto is_own = [this](const RtlClock& clock) { return clock.domain == role_->domain; };
  const auto is_known = [](const RtlClock& clock) {
    return std::find(kDomains.begin(), kDomains.end(), clock.domain) != kDomains.end();
  };
  if (role_ == nullptr || spec_.clocks.empty() ||
      !std::all_of(spec_.clocks.begin(), spec_.clocks.end(), is_known))
    return;
  const auto own = std::count_if(spec_.clocks.begin(), spec_.clocks.end(), is_own);
  if (own == 0)
    clocks.problem(fmt::format("the role {} ticks with the clock {}, of which there is no pin", role_->name,
                               role_->domain));
  if (role_->asked_by != nullptr && own < static_cast<std::ptrdiff_t>(spec_.clocks.size()))
    clocks.problem(fmt::format("a unit has no clocks beside {}", role_->domain));
}

void BlockReader::read_resets() {
  const config::Section resets = section_.optional_section("resets");
  for (const std::string& pin : resets.keys()) {
    claim(resets.value(pin), pin, "reset");
    const config::Section section = resets.section(pin);
    RtlReset reset;
    reset.pin = pin;
    reset.place = section.place();
    if (spec_.clocks.empty()) section.problem("a reset needs a clock under 'clocks'");
    reset.active_high =
        section.choice({"level", "level at which the reset is active"}, {"high", "low"}) == "high";
    reset.cycles = static_cast<std::uint64_t>(section.integer(
        {"cycles", "ticks of the first clock with an active reset", "ticks"}, {1, 1 << 20}, 1));
    reset.then = static_cast<std::uint64_t>(section.integer(
        {"then", "ticks after the reset before the block is used", "ticks"}, {0, 1 << 20}, 0));
    spec_.resets.push_back(reset);
  }
}

// Reads a part of a vector: a pin, or bits of it, such as bus_i[40:33] or bus_i[32].
RtlVector::Part BlockReader::read_part(const config::Value& value) {
  static const std::regex form(R"(([A-Za-z_][\w$]*)(?:\[(\d{1,6})(?::(\d{1,6}))?\])?)");
  const std::string text = value.text();
  std::smatch found;
  RtlVector::Part part;
  if (!std::regex_match(text, found, form)) {
    if (value.is_scalar()) value.problem(fmt::format("'{}' is no pin, as in bus_i or bus_i[40:33]", text));
    return part;
  }
  part.pin = found[1];
  if (!found[2].matched) return part;
  part.high = static_cast<std::uint32_t>(std::stoul(found[2]));
  part.low = found[3].matched ? static_cast<std::uint32_t>(std::stoul(found[3])) : *part.high;
  if (part.low > *part.high) value.problem(fmt::format("the higher bit comes first: '{}'", text));
  return part;
}

void BlockReader::read_vectors() {
  const config::Section vectors = section_.optional_section("vectors");
  for (const std::string& name : vectors.keys()) {
    RtlVector vector;
    vector.name = name;
    vector.place = vectors.value(name).place();
    for (const config::Value& part :
         vectors.list({name, "pins, or bits of pins, that make one pin for 'pins', the lowest bits first"}))
      vector.parts.push_back(read_part(part));
    if (vector.parts.empty()) vectors.value(name).problem("a vector has one pin or more");
    spec_.vectors.push_back(vector);
  }
}

// Reads how a pin has its signal. All keys are asked for where the signal is not known.
void BlockReader::read_form(const config::Section& section, RtlPin& pin) {
  const std::size_t signal = role_ == nullptr ? RtlRole::kNoSignal : role_->find(pin.signal);
  const bool is_known = signal != RtlRole::kNoSignal;
  if (!is_known || role_->signals[signal].kind == RtlKind::kNumbers) {
    pin.element = static_cast<std::uint32_t>(
        section.integer({"element", "of several numbers: width of one in the vector", "bits"}, {1, 64}));
    pin.planes = section.boolean(
        {"planes",
         "of several numbers: whether the vector has bit 0 of all first, then bit 1 of all, and so on"},
        false);
  }
  if (!is_known || role_->signals[signal].kind == RtlKind::kNumber)
    pin.low = static_cast<std::uint32_t>(
        section.integer({"low", "of one number: its bit that is the lowest of the pin", "bit"}, {0, 63}, 0));
}

void BlockReader::read_pins() {
  const config::Section pins = section_.optional_section("pins");
  for (const std::string& name : pins.keys()) {
    const config::Value value =
        pins.value({name, "signal of the role, a constant, or a section {signal, element, low}"},
                   "text, integer or section");
    claim(value, name, "pin");
    RtlPin pin;
    pin.pin = name;
    pin.place = value.place();
    if (value.is_section()) {
      const config::Section section = value.section();
      pin.signal = section.text({"signal", "signal of the role"});
      read_form(section, pin);
    } else if (const std::string text = value.text();
               !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-')) {
      pin.constant = static_cast<std::uint64_t>(value.integer());
    } else {
      pin.signal = text;
      if (value.is_scalar() && text.empty()) value.problem("needs a signal of the role, or a number");
    }
    if (!pin.signal.empty()) check_signal(value, pin.signal);
    spec_.pins.push_back(pin);
  }
  check_needed();
}

void BlockReader::check_signal(const config::Value& value, const std::string& signal) {
  if (role_ == nullptr || role_->find(signal) != RtlRole::kNoSignal) return;
  std::vector<std::string> known;
  for (const RtlRoleSignal& own : role_->signals) known.emplace_back(own.name);
  value.problem(fmt::format("the role {} has no signal '{}'{}", role_->name, signal,
                            config::suggestion_and_known(signal, known)));
}

void BlockReader::check_needed() {
  if (role_ == nullptr) return;
  const auto is_connected = [&](const std::string& signal) {
    return std::any_of(spec_.pins.begin(), spec_.pins.end(),
                       [&](const RtlPin& pin) { return pin.signal == signal; });
  };
  for (const auto& one_of : role_->needed)
    if (std::none_of(one_of.begin(), one_of.end(), is_connected))
      section_.problem(
          fmt::format("the role {} needs a pin for its signal {}", role_->name, fmt::join(one_of, " or ")));
}

// Reads "15:0", or one bit "3".
void BlockReader::read_bits(const config::Section& section, RtlCounter& counter) {
  const auto value =
      section.optional({"bits", "bits of the signal that count, as high:low or one number"}, "text", "all");
  if (!value) return;
  static const std::regex range(R"((\d{1,5})(?::(\d{1,5}))?)");
  const std::string text = value->text();
  std::smatch found;
  if (!std::regex_match(text, found, range)) {
    if (value->is_scalar()) value->problem(fmt::format("needs bits such as '15:0' or 3, has '{}'", text));
    return;
  }
  counter.high = static_cast<std::uint32_t>(std::stoul(found[1]));
  counter.low = found[2].matched ? static_cast<std::uint32_t>(std::stoul(found[2])) : *counter.high;
  if (counter.low > *counter.high)
    value->problem(fmt::format("the higher bit comes first: '{}:{}'", counter.low, *counter.high));
  else if (*counter.high - counter.low >= 64)
    value->problem(fmt::format("a counter reads at most 64 bits, not {}", *counter.high - counter.low + 1));
}

void BlockReader::read_counters() {
  const config::Section counters = section_.optional_section("counters");
  for (const std::string& name : config::names_in(counters, "counter")) {
    const config::Section section = counters.section(name);
    RtlCounter counter;
    counter.name = name;
    counter.place = section.place();
    counter.signal =
        section.text({"signal", "pin, or variable inside the block by scopes below the top: arbiter.count"});
    static const std::regex allowed(R"([\w.\[\]$]*)");
    if (!std::regex_match(counter.signal, allowed))
      section.problem(fmt::format("'{}' is no name of a signal", counter.signal));
    read_bits(section, counter);
    counter.pulse = section.choice({"kind", "whether the signal has the count, or is not zero once an event"},
                                   {"value", "pulse"}, "value") == "pulse";
    spec_.counters.push_back(counter);
  }
}

}  // namespace

RtlSpec read_rtl_block(const config::Section& section, const std::string& directory) {
  return BlockReader(section, directory).read();
}

RtlSpec load_rtl_block(const std::string& name_or_file, std::vector<std::string>* problems) {
  const std::string file = find_data(kRtlFolder, name_or_file);
  const config::Document document = config::Document::load(file);
  RtlSpec spec = read_rtl_block(document.root(), fs::path(file).parent_path());
  try {
    document.finish();
  } catch (const config::Error& error) {
    if (problems == nullptr) throw;
    problems->insert(problems->end(), error.problems().begin(), error.problems().end());
  }
  spec.file = fs::absolute(file).lexically_normal();
  return spec;
}

namespace {

// The file in which the value stands, or an empty text if an option of the command line has it.
std::string file_of(const config::Value& value) {
  const std::string place = value.place();
  const std::size_t column = place.rfind(':');
  const std::size_t line = column == std::string::npos ? column : place.rfind(':', column - 1);
  return line == std::string::npos || place.compare(0, 2, "--") == 0 ? "" : place.substr(0, line);
}

}  // namespace

std::map<std::string, RtlSpec> read_rtl_blocks(const config::Section& root) {
  std::map<std::string, RtlSpec> blocks;
  const config::Section section = root.optional_section("rtl");
  for (const std::string& name : config::names_in(section, "block")) {
    const config::Value value = section.value(
        {name, "a block in RTL, by name or file, or the section below; the policy rtl.NAME is this block"},
        "text");
    const bool is_section = value.is_section();
    const config::Value file =
        is_section ? value.section().value({"block", "the block, by name or file of stimuli/rtl"}, "text")
                   : value;
    RtlSpec spec;
    if (const std::string text = file.text(); !text.empty()) try {
        spec = load_rtl_block(find_data(kRtlFolder, text, file_of(file)));
      } catch (const config::Error& error) {
        file.problem(error.what());
      }
    spec.name = name;
    if (is_section) read_rtl_use(value.section(), spec);
    blocks[name] = std::move(spec);
  }
  return blocks;
}

std::string read_rtl_place(const config::Section& section, const char* key,
                           const std::map<std::string, RtlSpec>& blocks) {
  const auto value = section.optional(
      {"block",
       "what stands here: the model, or rtl.NAME, a block of the section rtl in its place or beside it"},
      "text", "model");
  if (!value || value->text() == "model") return "";
  std::string name = rtl_block_of(value->text());
  const auto found = blocks.find(name);
  if (found == blocks.end()) {
    value->problem(fmt::format("'{}' is neither 'model' nor rtl.NAME with a block NAME of the section rtl",
                               value->text()));
    return "";
  }
  const RtlRole* role = find_rtl_role(found->second.role);
  if (role != nullptr && role->decision == std::string(key)) return name;
  std::vector<std::string> roles;
  for (const RtlRole& other : rtl_roles())
    if (other.decision == std::string(key)) roles.emplace_back(other.name);
  value->problem(fmt::format("{} has the role {}; here stands a block with the role {}", value->text(),
                             found->second.role, fmt::join(roles, " or ")));
  return "";
}

std::vector<config::KeyDescription> rtl_block_keys() {
  const config::Document document = config::Document::parse(
      "{sources: [], top: top, parameters: {NAME: 1}, defines: {NAME: 1}, clocks: {PIN: core}, resets: {PIN: "
      "{}}, vectors: {NAME: [PIN]}, "
      "pins: {PIN: {}}, counters: {NAME: {}}, dump: {}}",
      "keys");
  read_rtl_block(document.root(), "");
  return document.keys();
}

}  // namespace heddle
