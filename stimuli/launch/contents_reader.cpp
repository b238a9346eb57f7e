#include "stimuli/launch/contents_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/core/config/noted_inputs.h"
#include "stimuli/application/call_names.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBytesOfBuffer = std::int64_t{1} << 34;

const std::vector<std::string> kGenerators{"zero",   "constant",    "linear",   "uniform",
                                           "sorted", "permutation", "index_in", "flags",
                                           "values", "first_of",    "file",     "diagonally_dominant"};

Array read_bytes(const std::string& path, ElementType type, std::uint64_t bytes) {
  Array array{type, std::vector<std::byte>(bytes)};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(bytes));
  if (static_cast<std::uint64_t>(in.gcount()) != bytes)
    throw std::runtime_error(fmt::format("{}: cannot be read any more", path));
  return array;
}

}  // namespace

LaunchBuffer ContentsReader::read_buffer(const std::string& name, const config::Section& section,
                                         const std::vector<LaunchBuffer>& before) {
  if (section.has("of")) return structures_.read_member(name, section.value("of"));
  LaunchBuffer buffer;
  buffer.name = name;
  if (const std::string type = section.choice("type", element_names()); !type.empty())
    buffer.type = element_named(type);
  buffer.count = static_cast<std::uint64_t>(values_.whole(
      section.value("count"), 1, kMostBytesOfBuffer / static_cast<std::int64_t>(bytes_of(buffer.type))));
  buffer.zeroed = section.has("zero") && section.boolean("zero", false) && !section.has("except");
  buffer.make = read_contents(name, buffer.type, buffer.count, section, before);
  return buffer;
}

MakeArray ContentsReader::read_contents(const std::string& name, ElementType type, std::uint64_t count,
                                        const config::Section& section,
                                        const std::vector<LaunchBuffer>& before) {
  const Wanted wanted{type, count, random_of(name, section, values_)};
  std::vector<std::string> found;
  for (const std::string& key : kGenerators)
    if (section.has(key)) found.push_back(key);
  if (found.size() > 1)
    section.problem(fmt::format("it has more than one generator: {}", fmt::join(found, ", ")));
  if (found.empty()) {
    for (const char* const key : {"seed", "except"})
      if (section.has(key)) section.value(key).problem("it has no generator");
    return nullptr;
  }
  MakeArray make = read_generator(found.front(), section.value(found.front()), wanted, before);
  return make && section.has("except") ? with_exceptions(std::move(make), section.section("except"), wanted)
                                       : make;
}

MakeArray ContentsReader::read_generator(const std::string& key, const config::Value& value,
                                         const Wanted& wanted, const std::vector<LaunchBuffer>& before) {
  const auto [type, count, random] = wanted;
  if (key == "zero" || key == "permutation") {
    if (value.is_scalar() && !value.boolean()) value.problem("only true says something");
    if (key == "zero")
      return [type = type, count = count] { return generators::constant(type, count, std::int64_t{0}); };
    return read_range(key, value, wanted);
  }
  if (key == "values") return read_values(value, wanted);
  if (key == "file") return read_file(value, wanted);
  if (key == "first_of") return read_first_of(value, wanted, before);
  if (key == "flags") {
    const double share = values_.real(value);
    if (!(share >= 0 && share <= 1)) value.problem(fmt::format("{} is out of range; 0 .. 1", share));
    return [=, type = type, count = count, random = random] {
      return generators::flags(type, count, share, random);
    };
  }
  if (key == "diagonally_dominant") {
    const auto side = static_cast<std::uint64_t>(values_.whole(value, 1, 1 << 16));
    if (side * side != count)
      value.problem(
          fmt::format("a matrix of {} x {} has {} elements, the buffer {}", side, side, side * side, count));
    if (!is_real(type)) value.problem(fmt::format("of {}, not of {}", "f32 or f64", name_of(type)));
    return [=, type = type, random = random] { return generators::diagonally_dominant(type, side, random); };
  }
  return read_range(key, value, wanted);
}

// Reads a generator of numbers between two bounds. A bound that the type cannot hold is a problem.
MakeArray ContentsReader::read_range(const std::string& key, const config::Value& value,
                                     const Wanted& wanted) const {
  const auto [type, count, random] = wanted;
  const auto last = static_cast<std::int64_t>(count) - 1;
  Number low = std::int64_t{0};
  Number high = last;
  MakeArray make;
  if (key == "constant") {
    low = high = values_.constant(value);
    make = [=, type = type, count = count] { return generators::constant(type, count, low); };
  } else if (key == "linear") {
    const std::vector<Number> bounds = values_.constants(value, 2);
    low = bounds[0];
    const Number step = bounds[1];
    make = [=, type = type, count = count] { return generators::linear(type, count, low, step); };
    high = low;
    if (is_whole(low) && is_whole(step) && !is_real(type)) {
      std::int64_t end = 0;
      if (__builtin_mul_overflow(last, std::get<std::int64_t>(step), &end) ||
          __builtin_add_overflow(end, std::get<std::int64_t>(low), &end))
        value.problem("it overflows 64 bits");
      high = end;
    } else {
      high = real_of(low) + static_cast<double>(last) * real_of(step);
    }
  } else if (key == "permutation") {
    make = [=, type = type, count = count, random = random] {
      return generators::permutation(type, count, random);
    };
  } else {
    if (key == "index_in") {
      high = values_.whole(value, 1) - 1;
    } else {
      const std::vector<Number> bounds = values_.constants(value, 2);
      low = bounds[0];
      high = bounds[1];
    }
    if (real_of(high) < real_of(low))
      value.problem(fmt::format("{} is less than {}", text_of(high), text_of(low)));
    const auto generate = key == "sorted" ? generators::sorted : generators::uniform;
    make = [=, type = type, count = count, random = random] {
      return generate(type, count, low, high, random);
    };
  }
  try {
    std::byte scratch[8];
    store(type, low, scratch);
    store(type, high, scratch);
  } catch (const NumberError& error) {
    value.problem(error.what());
  }
  return make;
}

MakeArray ContentsReader::read_values(const config::Value& value, const Wanted& wanted) const {
  const std::vector<Number> numbers = values_.constants(value);
  if (numbers.size() != wanted.count)
    value.problem(fmt::format("{} numbers are wanted, it has {}", wanted.count, numbers.size()));
  Array array{wanted.type, std::vector<std::byte>(numbers.size() * bytes_of(wanted.type))};
  try {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      store(wanted.type, numbers[i], array.bytes.data() + i * bytes_of(wanted.type));
  } catch (const NumberError& error) {
    value.problem(error.what());
  }
  return [array] { return array; };
}

std::string ContentsReader::find(const config::Value& value) {
  const std::string name = value.text();
  if (!value.is_scalar()) return {};
  std::string path = (fs::path(folder_) / name).lexically_normal().string();
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    files_.push_back({value.path(), path});
    return path;
  }
  value.problem(fmt::format("there is no file '{}'", path));
  return {};
}

MakeArray ContentsReader::read_file(const config::Value& value, const Wanted& wanted) {
  const std::string path = find(value);
  if (path.empty()) return nullptr;
  const std::uint64_t bytes = wanted.count * bytes_of(wanted.type);
  config::note_input(path);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error || size != bytes) value.problem(fmt::format("the file has {} bytes, the buffer {}", size, bytes));
  return [path, bytes, type = wanted.type] { return read_bytes(path, type, bytes); };
}

MakeArray ContentsReader::read_first_of(const config::Value& value, const Wanted& wanted,
                                        const std::vector<LaunchBuffer>& before) const {
  const std::uint32_t index = index_of("buffer above", value, value.text(), names_of(before));
  if (index == before.size()) return nullptr;
  const LaunchBuffer& other = before[index];
  const std::uint64_t bytes = wanted.count * bytes_of(wanted.type);
  if (!other.make) value.problem(fmt::format("'{}' has no contents", other.name));
  if (bytes > other.bytes())
    value.problem(fmt::format("{} bytes of '{}', which has {}", bytes, other.name, other.bytes()));
  return [make = other.make, bytes, type = wanted.type] {
    Array array = make();
    array.type = type;
    array.bytes.resize(bytes);
    return array;
  };
}

MakeArray ContentsReader::with_exceptions(MakeArray make, const config::Section& section,
                                          const Wanted& wanted) const {
  std::vector<std::pair<std::uint64_t, Number>> exceptions;
  for (const std::string& key : section.keys()) {
    const config::Value value = section.value(key);
    const Number number = values_.constant(value);
    try {
      const std::int64_t at = whole_within(Expression::parse(key, values_.scope()).constant(), 0,
                                           static_cast<std::int64_t>(wanted.count) - 1);
      std::byte scratch[8];
      store(wanted.type, number, scratch);
      exceptions.emplace_back(at, number);
    } catch (const NumberError& error) {
      value.problem(error.what());
    }
  }
  return [make = std::move(make), exceptions, type = wanted.type] {
    Array array = make();
    for (const auto& [at, number] : exceptions) store(type, number, array.bytes.data() + at * bytes_of(type));
    return array;
  };
}

}  // namespace heddle
