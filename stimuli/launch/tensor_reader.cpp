#include "stimuli/launch/tensor_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "stimuli/application/call_names.h"

namespace heddle {

namespace {

using ptx::TensorMap;

constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                  "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"};
static_assert(std::size(kTypes) == TensorMap::kElements);

const std::vector<std::string>& swizzles() {  // in the order of TensorMap::kSwizzles
  static const std::vector<std::string> names{"none", "32B", "64B", "128B"};
  return names;
}

template <class Names>
std::size_t place_in(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
}

class TensorReader {
 public:
  TensorReader(const config::Section& section, const Scope& scope) : section_(section), values_(scope) {}

  TensorMap read() {
    const std::vector<std::string> types(std::begin(kTypes), std::end(kTypes));
    map_.element = static_cast<TensorMap::Element>(place_in(types, section_.choice("type", types, "u32")));
    map_.swizzle = TensorMap::kSwizzles[place_in(swizzles(), section_.choice("swizzle", swizzles(), "none"))];
    map_.fills_with_nan = section_.choice("fill", {"zero", "nan"}, "zero") == "nan";
    const config::Value sizes = section_.value("sizes");
    const std::vector<std::uint64_t> given = numbers(sizes);
    if (given.empty() || given.size() > TensorMap::kMostDimensions) {
      sizes.problem(
          fmt::format("1 to {} dimensions are wanted, it has {}", TensorMap::kMostDimensions, given.size()));
      for (const std::string& key : section_.keys()) section_.has(key);  // which is no second problem
      return map_;
    }
    map_.dimensions = static_cast<std::uint8_t>(given.size());
    std::uint64_t stride = map_.element_bytes();
    for (std::size_t d = 0; d < given.size(); ++d) {
      map_.dimension[d].size = given[d];
      map_.dimension[d].stride = stride;
      stride *= given[d];
    }
    set("box", 0,
        [](TensorMap::Dimension& of, std::uint64_t number) { of.box = static_cast<std::uint32_t>(number); });
    if (section_.has("strides"))
      set("strides", 1, [](TensorMap::Dimension& of, std::uint64_t number) { of.stride = number; });
    if (section_.has("steps"))
      set("steps", 0, [](TensorMap::Dimension& of, std::uint64_t number) {
        of.step = static_cast<std::uint32_t>(number);
      });
    if (map_.dimension[0].step != 1) section_.value("steps").problem("the first dimension has a step of 1");
    if (const std::string problem = problem_of(map_); is_complete_ && !problem.empty())
      section_.problem(problem);
    return map_;
  }

  // Returns the bytes from the first element to the end of the last one.
  std::uint64_t bytes() const {
    std::uint64_t end = map_.element_bytes();
    for (std::size_t d = 0; d < map_.dimensions; ++d)
      end += (map_.dimension[d].size - 1) * map_.dimension[d].stride;
    return end;
  }

 private:
  std::vector<std::uint64_t> numbers(const config::Value& value) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    std::vector<std::uint64_t> all;
    for (const Number& number : values_.constants(value)) try {
        all.push_back(static_cast<std::uint64_t>(whole_within(number, 1, kMost)));
      } catch (const NumberError& error) {
        value.problem(error.what());
        all.push_back(1);
      }
    return all;
  }

  template <class Set>
  void set(const char* key, std::size_t first, Set act) {
    const config::Value value = section_.value(key);
    const std::vector<std::uint64_t> all = numbers(value);
    if (all.size() + first != map_.dimensions) {
      is_complete_ = false;
      return value.problem(
          fmt::format("{} numbers are wanted, it has {}", map_.dimensions - first, all.size()));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      act(map_.dimension[first + i], std::min<std::uint64_t>(all[i], ~std::uint32_t{0}));
  }

  const config::Section& section_;
  const LaunchValues values_;
  TensorMap map_;
  bool is_complete_ = true;  // each list has a number for each dimension
};

}  // namespace

void read_tensors(const config::Section& section, const Scope& scope, LaunchPlan& plan) {
  for (const std::string& name : section.keys()) {
    const config::Section of = section.section(name);
    const config::Value buffer = of.value("buffer");
    LaunchTensor tensor;
    tensor.name = name;
    tensor.buffer = index_of("buffer", buffer, buffer.text(), names_of(plan.buffers));
    TensorReader reader(of, scope);
    tensor.map = reader.read();
    plan.tensors.push_back(tensor);
    if (tensor.buffer == plan.buffers.size()) continue;
    LaunchBuffer& data = plan.buffers[tensor.buffer];
    data.used = true;
    if (reader.bytes() > data.bytes())
      of.problem(fmt::format("it takes {} bytes; '{}' has {}", reader.bytes(), data.name, data.bytes()));
  }
}

}  // namespace heddle
