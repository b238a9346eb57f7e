#include "stimuli/launch/argument_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stimuli/application/call_names.h"

namespace heddle {

namespace {

std::string type_text(const ptx::FrameVariable& parameter) {
  return parameter.array ? fmt::format("{} bytes", parameter.bytes) : ptx::name_of(parameter.type);
}

std::string signature(const ptx::Function& entry) {
  std::vector<std::string> all;
  for (const ptx::FrameVariable& parameter : entry.parameters)
    all.push_back(fmt::format("{} ({})", parameter.name, type_text(parameter)));
  return fmt::format("{}", fmt::join(all, ", "));
}

ElementType unsigned_of(std::uint64_t bytes) {
  return bytes == 1   ? ElementType::kU8
         : bytes == 2 ? ElementType::kU16
         : bytes == 4 ? ElementType::kU32
                      : ElementType::kU64;
}

}  // namespace

std::vector<LaunchArgument> ArgumentReader::read(const config::Section& launch, const ptx::Function& entry) {
  arguments_.clear();
  if (!launch.has("arguments")) {
    if (!entry.parameters.empty())
      launch.problem(fmt::format("'{}' takes arguments: {}", entry.name, signature(entry)));
    return {};
  }
  const config::Value value = launch.value("arguments");
  if (value.is_section()) {
    read_by_name(value.section(), entry);
    return std::move(arguments_);
  }
  const std::vector<Given> all = given(value);
  if (all.size() != entry.parameters.size()) {
    value.problem(fmt::format("'{}' takes {} arguments, it has {}: {}", entry.name, entry.parameters.size(),
                              all.size(), signature(entry)));
    for (LaunchBuffer& buffer : plan_.buffers)  // an unused buffer is then no second problem
      buffer.used = buffer.used || std::any_of(all.begin(), all.end(),
                                               [&](const Given& one) { return one.text == buffer.name; });
    return {};
  }
  for (std::size_t i = 0; i < all.size(); ++i) read_one(all[i], slot_of(entry.parameters[i]));
  return std::move(arguments_);
}

void ArgumentReader::read_by_name(const config::Section& section, const ptx::Function& entry) {
  std::vector<bool> seen(entry.parameters.size());
  for (const std::string& key : section.keys()) {
    const config::Value value = section.value(key);
    const std::uint32_t index = index_of("parameter", value, key, names_of(entry.parameters));
    if (index == entry.parameters.size()) continue;
    seen[index] = true;
    read_one({value, value.is_scalar() ? value.text() : ""}, slot_of(entry.parameters[index]));
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i])
      section.problem(
          fmt::format("'{}' ({}) has no value", entry.parameters[i].name, type_text(entry.parameters[i])));
}

// Returns the arguments of a list or a scalar. Scalars are separated as items_of() separates them; other
// items are one argument each.
std::vector<ArgumentReader::Given> ArgumentReader::given(const config::Value& value) {
  std::vector<Given> all;
  std::vector<std::string> run;
  const auto flush = [&] {
    if (run.empty()) return;
    for (std::string& item : split_at_commas(fmt::format("{}", fmt::join(run, ", "))))
      all.push_back({value, std::move(item)});
    run.clear();
  };
  if (!value.is_list()) {
    for (std::string& item : items_of(value)) all.push_back({value, std::move(item)});
    return all;
  }
  for (const config::Value& item : value.list()) {
    if (item.is_scalar()) {
      run.push_back(item.text());
      continue;
    }
    flush();
    all.push_back({item, {}});
  }
  flush();
  return all;
}

ArgumentReader::Slot ArgumentReader::slot_of(const ptx::FrameVariable& parameter) {
  Slot slot;
  slot.name = fmt::format("'{}' ({})", parameter.name, type_text(parameter));
  slot.offset = parameter.offset;
  slot.bytes = parameter.bytes;
  slot.numbers = !parameter.array && !ptx::is_half(parameter.type);
  slot.bits = ptx::class_of(parameter.type) == ptx::TypeClass::kBits;
  slot.type = unsigned_of(parameter.bytes);
  if (parameter.type == ptx::Type::kF32) slot.type = ElementType::kF32;
  if (parameter.type == ptx::Type::kF64) slot.type = ElementType::kF64;
  if (ptx::is_signed(parameter.type))
    slot.type = static_cast<ElementType>(static_cast<std::uint8_t>(slot.type) + 1);
  return slot;
}

void ArgumentReader::read_one(const Given& given, const Slot& slot) {
  if (given.value.is_section()) return read_section(given.value, slot);
  if (given.text.empty() && given.value.is_list()) return read_fields(given.value, slot);
  const std::vector<std::string> names = names_of(plan_.buffers);
  const auto buffer = std::find(names.begin(), names.end(), given.text);
  if (buffer == names.end()) return add_number(given.value, given.text, slot);
  add_address(given.value, static_cast<std::uint32_t>(buffer - names.begin()), {}, slot);
}

void ArgumentReader::read_section(const config::Value& value, const Slot& slot) {
  const config::Section section = value.section();
  if (section.has("texture")) return add_texture(section.value("texture"), slot);
  if (section.has("tensor")) return add_tensor(section.value("tensor"), slot);
  if (section.has("bytes")) return read_bytes(section.value("bytes"), slot);
  const config::Value name = section.value("buffer");
  if (!name.is_scalar()) return;
  const std::uint32_t buffer = index_of("buffer", name, name.text(), names_of(plan_.buffers));
  if (buffer == plan_.buffers.size()) return;
  add_address(name, buffer,
              section.has("offset") ? values_.expression(section.value("offset")) : Expression{}, slot);
}

void ArgumentReader::read_fields(const config::Value& value, const Slot& slot) {
  if (slot.numbers) return value.problem(fmt::format("{} is no structure", slot.name));
  std::uint64_t end = 0;
  for (const config::Value& field : value.list()) {
    const config::Section section = field.section();
    const std::vector<std::string> keys = section.keys();
    if (keys.empty()) continue;
    Slot part;
    part.name = fmt::format("a field of {}", slot.name);
    const bool is_number =
        std::find(element_names().begin(), element_names().end(), keys.front()) != element_names().end();
    if (is_number) part.type = element_named(keys.front());
    part.bytes = bytes_of(part.type);
    end = (end + part.bytes - 1) / part.bytes * part.bytes;
    part.offset = slot.offset + end;
    end += part.bytes;
    if (end > slot.bytes) return field.problem(fmt::format("it ends {} bytes in; {}", end, slot.name));
    if (is_number) {
      const config::Value number = section.value(keys.front());
      add_number(number, number.text(), part);
    } else {
      read_section(field, part);
    }
  }
}

void ArgumentReader::read_bytes(const config::Value& value, const Slot& slot) {
  const std::string text = value.text();
  if (text.size() != 2 * slot.bytes || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return value.problem(fmt::format("{} takes {} digits of base 16", slot.name, 2 * slot.bytes));
  for (std::uint64_t i = 0; i < slot.bytes; ++i) {
    LaunchArgument byte;
    byte.offset = slot.offset + i;
    byte.type = ElementType::kU8;
    byte.value = values_.parse(value, "0x" + text.substr(2 * i, 2));
    arguments_.push_back(byte);
  }
}

void ArgumentReader::add_number(const config::Value& value, const std::string& text, const Slot& slot) {
  if (!slot.numbers)
    return value.problem(
        fmt::format("{} takes a list of fields or {{bytes: ...}}, not '{}'", slot.name, text));
  LaunchArgument argument;
  argument.offset = slot.offset;
  argument.type = slot.type;
  argument.bits = slot.bits;
  argument.value = values_.parse(value, text);
  arguments_.push_back(argument);
}

void ArgumentReader::add_address(const config::Value& value, std::uint32_t buffer, const Expression& offset,
                                 const Slot& slot) {
  if (!slot.numbers || is_real(slot.type) || slot.bytes != 8)
    return value.problem(
        fmt::format("{} cannot hold the address of '{}'", slot.name, plan_.buffers[buffer].name));
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::kAddress;
  argument.offset = slot.offset;
  argument.value = offset;
  argument.which = buffer;
  plan_.buffers[buffer].used = true;
  arguments_.push_back(argument);
}

void ArgumentReader::add_tensor(const config::Value& value, const Slot& slot) {
  const std::uint32_t tensor = index_of("tensor", value, value.text(), names_of(plan_.tensors));
  if (tensor == plan_.tensors.size()) return;
  if (slot.bytes != ptx::TensorMap::kBytes || slot.offset % ptx::TensorMap::kAlignment != 0)
    return value.problem(fmt::format("{} cannot hold a tensor map, which has {} bytes aligned to {}",
                                     slot.name, ptx::TensorMap::kBytes, ptx::TensorMap::kAlignment));
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::kTensor;
  argument.offset = slot.offset;
  argument.which = tensor;
  arguments_.push_back(argument);
}

void ArgumentReader::add_texture(const config::Value& value, const Slot& slot) {
  const std::uint32_t texture = index_of("texture", value, value.text(), names_of(plan_.textures));
  if (texture == plan_.textures.size()) return;
  if (!slot.numbers || is_real(slot.type) || slot.bytes != 8)
    return value.problem(fmt::format("{} cannot hold a texture", slot.name));
  LaunchArgument argument;
  argument.kind = LaunchArgument::Kind::kTexture;
  argument.offset = slot.offset;
  argument.which = texture;
  arguments_.push_back(argument);
}

}  // namespace heddle
