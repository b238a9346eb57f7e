#include "stimuli/launch/launch_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "models/core/base/launch_limits.h"
#include "stimuli/application/application.h"
#include "stimuli/application/call_names.h"
#include "stimuli/launch/call_reader.h"
#include "stimuli/launch/launch_script.h"
#include "stimuli/launch/tensor_reader.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytesOfBuffers = std::uint64_t{1} << 36;  // of all buffers

bool is_plain_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

class LaunchReader {
 public:
  LaunchReader(const config::Section& root, const std::string& file, std::uint32_t most_registers,
               LoadedParts& parts)
      : root_(root),
        parts_(parts),
        plan_(std::make_shared<LaunchPlan>()),
        structures_(scope_, parts),
        contents_(fs::path(file).parent_path().string(), scope_, structures_, result_.files),
        most_registers_(most_registers) {
    plan_->file = file;
  }

  LaunchFile read() {
    plan_->name = result_.program.name = read_name(root_, "launch");
    result_.description = root_.text("description", "");
    read_numbers("parameters");
    if (root_.has("most_registers")) read_most_registers(root_.value("most_registers"));
    read_modules(root_.value("ptx"));
    if (root_.has("structures")) structures_.read_structures(root_.section("structures"));
    if (root_.has("buffers")) read_buffers(root_.section("buffers"));
    if (root_.has("textures")) read_textures(root_.section("textures"));
    if (root_.has("tensors")) read_tensors(root_.section("tensors"), scope_, *plan_);
    if (root_.has("check")) read_check(root_.section("check"));
    read_numbers("variables");
    for (const LaunchBuffer& buffer : plan_->buffers) scope_.buffers.push_back({buffer.name, buffer.count});
    CallReader(*plan_, result_.program, scope_).read(root_);
    note_spills();
    result_.plan = plan_;
    result_.program.make_script = [plan = result_.plan] { return std::make_unique<LaunchScript>(plan); };
    result_.program.print_to = [plan = result_.plan](std::ostream* out) { plan->console->print_to(out); };
    return std::move(result_);
  }

 private:
  // Reads the limit with which all kernels of the file are compiled, as by nvcc --maxrregcount.
  void read_most_registers(const config::Value& value) {
    const auto most =
        static_cast<std::uint32_t>(LaunchValues(scope_).whole(value, 1, kMostRegistersOfThread));
    most_registers_ = std::min(most_registers_, most);
    limit_ = value;
  }

  // Records a problem if a function needs more registers than the limit although all that can spill does.
  void check_limit(const std::string& path, const ptx::Module& module) const {
    if (!limit_) return;
    const std::vector<std::uint32_t> needed = parts_.registers(path, most_registers_);
    for (std::uint32_t i = 0; i < needed.size(); ++i)
      if (module.functions[i].entry && needed[i] > most_registers_)
        limit_->problem(fmt::format("'{}' needs at least {} registers", module.functions[i].name, needed[i]));
  }

  // Notes which of the kernels that are launched keep values in local memory, each kernel once.
  void note_spills() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // code and entry
    for (const LaunchStep& step : plan_->steps) {
      if (!known.emplace(step.code, step.entry).second) continue;
      for (std::string& note : ptx::spill_notes(*ptx::image_of(*plan_->codes[step.code]).module, step.entry))
        result_.notes.push_back(std::move(note));
    }
  }

  void read_modules(const config::Value& value) {
    std::vector<config::Value> files{value};
    if (value.is_list()) files = value.list();
    if (files.empty()) value.problem("no PTX file");
    std::vector<std::string> problems;
    // The images have the addresses of the first allocations of the program.
    DeviceMemory places;
    for (const config::Value& name : files) try {
        const std::string path = contents_.find(name);
        if (path.empty()) continue;
        const std::shared_ptr<const ptx::Module> module = parts_.module(path, most_registers_);
        check_limit(path, *module);
        const std::string buffer = fs::path(path).filename().string();
        const std::uint64_t bytes = ptx::image_bytes(*module);
        plan_->codes.push_back(parts_.code(path, most_registers_, places.allocate(bytes, buffer)));
        result_.program.buffers.push_back({buffer, bytes});
      } catch (const config::Error& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      }
    if (!problems.empty()) throw config::Error(problems);
  }

  // Checks a name. All names of a launch file are distinct, also those of different kinds.
  bool is_new(const config::Value& value, const std::string& name) {
    if (!is_plain_name(name)) value.problem("a name is letters, digits and '_', no digit first");
    if (!names_.insert(name).second) value.problem(fmt::format("'{}' has a meaning already", name));
    return is_plain_name(name);
  }

  // Reads `parameters` or `variables`; `key` states which.
  void read_numbers(const std::string& key) {
    if (!root_.has(key)) return;
    const config::Section section = root_.section(key);
    const LaunchValues values(scope_);
    for (const std::string& name : section.keys()) {
      const config::Value value = section.value(name);
      const Number number = values.constant(value);
      if (!is_new(value, name)) continue;
      if (key == "parameters") {
        scope_.constants[name] = number;
        plan_->check.scalars[name] = number;
        continue;
      }
      plan_->variables.push_back(name);
      plan_->initial.push_back(number);
    }
    scope_.variables = plan_->variables;
  }

  void read_buffers(const config::Section& section) {
    std::uint64_t left = kMostBytesOfBuffers;
    for (const std::string& name : section.keys()) {
      const config::Value value = section.value(name);
      LaunchBuffer buffer = contents_.read_buffer(name, value.section(), plan_->buffers);
      if (!is_new(value, name)) continue;
      if (buffer.bytes() > left) value.problem("the buffers come to more than 64 GiB");
      left -= std::min(left, buffer.bytes());
      result_.program.buffers.push_back({name, buffer.bytes()});
      plan_->buffers.push_back(std::move(buffer));
    }
  }

  void read_textures(const config::Section& section) {
    for (const std::string& name : section.keys()) {
      const config::Section of = section.section(name);
      const config::Value buffer = of.value("buffer");
      LaunchTexture texture;
      texture.name = name;
      texture.buffer = index_of("buffer", buffer, buffer.text(), names_of(plan_->buffers));
      if (texture.buffer == plan_->buffers.size()) continue;
      LaunchBuffer& data = plan_->buffers[texture.buffer];
      data.used = true;
      read_shape(of, data, texture.shape);
      plan_->textures.push_back(texture);
    }
  }

  void read_shape(const config::Section& section, const LaunchBuffer& data, ptx::Texture& shape) const {
    const LaunchValues values(scope_);
    constexpr std::int64_t kMostTexels = std::int64_t{1} << 27;
    shape.channels = static_cast<std::uint8_t>(section.integer("channels", {1, 4}, 1));
    if (shape.channels == 3) section.value("channels").problem("1, 2 or 4");
    shape.channel_bytes = static_cast<std::uint8_t>(bytes_of(data.type));
    if (shape.channel_bytes == 8)
      section.value("buffer").problem(fmt::format("a texture has no channels of {}", name_of(data.type)));
    shape.channel = is_real(data.type)                              ? ptx::Texture::Channel::kFloat
                    : static_cast<std::uint8_t>(data.type) % 2 == 1 ? ptx::Texture::Channel::kSigned
                                                                    : ptx::Texture::Channel::kUnsigned;
    shape.width = static_cast<std::uint32_t>(values.whole(section.value("width"), 1, kMostTexels));
    if (section.has("height"))
      shape.height = static_cast<std::uint32_t>(values.whole(section.value("height"), 1, kMostTexels));
    shape.pitch = std::uint64_t{shape.width} * shape.channels * shape.channel_bytes;
    if (shape.pitch * std::max(shape.height, 1U) > data.bytes())
      section.problem(fmt::format("it takes {} bytes; '{}' has {}", shape.pitch * std::max(shape.height, 1U),
                                  data.name, data.bytes()));
    shape.linear_memory = section.boolean("linear_memory", false);
    shape.linear_filter = section.choice("filter", {"nearest", "linear"}, "nearest") == "linear";
    shape.normalized_coordinates = section.boolean("normalized_coordinates", false);
    shape.normalized_values = section.boolean("normalized_values", false);
    const std::vector<std::string> wraps{"wrap", "clamp", "mirror", "border"};
    const std::string wrap = section.choice("address", wraps, "clamp");
    const auto chosen =
        static_cast<ptx::Texture::Wrap>(std::find(wraps.begin(), wraps.end(), wrap) - wraps.begin());
    shape.wrap = {chosen, chosen};
  }

  void read_check(const config::Section& section) {
    LaunchCheck& check = plan_->check;
    if (section.has("reference") == section.has("expected"))
      return section.problem("a check has either a 'reference' or what is 'expected'");
    if (section.has("expected")) return read_expected(section.section("expected"));
    const config::Value name = section.value("reference");
    try {
      check.reference = &kernels::find_reference(name.text());
    } catch (const std::invalid_argument& error) {
      if (name.is_scalar()) name.problem(error.what());
      return;
    }
    for (const kernels::Output& output : check.reference->outputs)
      if (const std::vector<std::string> names = names_of(plan_->buffers);
          std::find(names.begin(), names.end(), output.buffer) == names.end())
        name.problem(fmt::format("there is no buffer '{}' to check", output.buffer));
    if (!section.has("scalars")) return;
    const config::Section scalars = section.section("scalars");
    const LaunchValues values(scope_);
    for (const std::string& key : scalars.keys()) check.scalars[key] = values.constant(scalars.value(key));
  }

  void read_expected(const config::Section& section) {
    for (const std::string& name : section.keys()) {
      const config::Value value = section.value(name);
      const config::Section of = value.section();
      LaunchCheck::Expected expected;
      expected.buffer = index_of("buffer", value, name, names_of(plan_->buffers));
      expected.tolerance = of.real("tolerance", {0, 1}, 0);
      if (expected.buffer == plan_->buffers.size()) continue;
      const LaunchBuffer& buffer = plan_->buffers[expected.buffer];
      expected.make = contents_.read_contents(name, buffer.type, buffer.count, of, plan_->buffers);
      if (!expected.make) value.problem("nothing says what it should hold");
      plan_->check.expected.push_back(std::move(expected));
    }
  }

  const config::Section& root_;
  LoadedParts& parts_;
  std::shared_ptr<LaunchPlan> plan_;
  LaunchFile result_;
  Scope scope_;
  std::set<std::string> names_;
  StructureReader structures_;
  ContentsReader contents_;
  std::uint32_t most_registers_;
  std::optional<config::Value> limit_;  // the key `most_registers`
};

}  // namespace

bool is_launch_file(const config::Section& root) {
  const std::vector<std::string> keys = root.keys();
  return std::find(keys.begin(), keys.end(), "launch") != keys.end();
}

LaunchFile read_launch_file(const config::Section& root, const std::string& file,
                            std::uint32_t most_registers, LoadedParts& parts) {
  return LaunchReader(root, file, most_registers, parts).read();
}

LaunchFile read_launch_file(const config::Section& root, const std::string& file,
                            std::uint32_t most_registers) {
  LoadedParts parts;
  return read_launch_file(root, file, most_registers, parts);
}

}  // namespace heddle
