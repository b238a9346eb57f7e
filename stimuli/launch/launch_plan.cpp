#include "stimuli/launch/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heddle {

namespace {

constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

ptx::Dim3 dimensions(const char* what, const std::array<Expression, 3>& expressions,
                     const Environment& environment) {
  std::array<std::uint32_t, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) try {
      values[i] = static_cast<std::uint32_t>(whole_within(expressions[i].evaluate(environment), 0, kMost32));
    } catch (const NumberError& error) {
      throw NumberError(fmt::format("{}: '{}': {}", what, expressions[i].text(), error.what()));
    }
  return {values[0], values[1], values[2]};
}

ptx::Texture placed(const LaunchPlan& plan, std::uint32_t texture,
                    const std::function<Address(std::uint32_t)>& address) {
  ptx::Texture placed = plan.textures[texture].shape;
  placed.address = address(plan.textures[texture].buffer);
  return placed;
}

// Returns the type in which a number is stored. Types of PTX parameters do not distinguish signed from
// unsigned integers, and .b types do not distinguish integers from floats.
ElementType type_for(const LaunchArgument& argument, const Number& number) {
  if (is_real(argument.type)) return argument.type;
  if (!is_whole(number) && argument.bits && bytes_of(argument.type) >= 4)
    return bytes_of(argument.type) == 4 ? ElementType::kF32 : ElementType::kF64;
  const bool negative = is_whole(number) && std::get<std::int64_t>(number) < 0;
  const bool is_signed = static_cast<std::uint8_t>(argument.type) % 2 == 1;
  return negative && !is_signed ? static_cast<ElementType>(static_cast<std::uint8_t>(argument.type) + 1)
                                : argument.type;
}

void put_argument(const LaunchPlan& plan, const LaunchArgument& argument, const Environment& environment,
                  const std::function<Address(std::uint32_t)>& address, std::byte* to) {
  switch (argument.kind) {
    case LaunchArgument::Kind::kNumber: {
      const Number number = argument.value.evaluate(environment);
      return store(type_for(argument, number), number, to);
    }
    case LaunchArgument::Kind::kAddress: {
      const std::int64_t further =
          whole_within(argument.value.evaluate(environment), 0, std::numeric_limits<std::int64_t>::max());
      const std::uint64_t at = address(argument.which) + static_cast<std::uint64_t>(further);
      return store(argument.type, static_cast<std::int64_t>(at), to);
    }
    case LaunchArgument::Kind::kTexture:
      return store(argument.type, std::int64_t{argument.which} + 1, to);
    case LaunchArgument::Kind::kTensor: {
      ptx::TensorMap map = plan.tensors[argument.which].map;
      map.address = address(plan.tensors[argument.which].buffer);
      const ptx::EncodedTensorMap bytes = encode(map);
      std::copy(bytes.begin(), bytes.end(), to);
      return;
    }
  }
}

}  // namespace

ptx::Launch make_launch(const LaunchPlan& plan, const LaunchStep& step, const Environment& environment,
                        const std::function<Address(std::uint32_t)>& address) {
  ptx::Launch launch;
  launch.code = plan.codes[step.code];
  launch.entry = step.entry;
  launch.grid = dimensions("grid", step.grid, environment);
  launch.block = dimensions("block", step.block, environment);
  if (step.cluster) launch.cluster = dimensions("cluster", *step.cluster, environment);
  launch.is_any_cluster_size = true;
  launch.dynamic_shared = dimensions("shared_memory", {step.shared, {}, {}}, environment).x;
  launch.registers = step.registers;
  const ptx::Module& module = *image_of(*launch.code).module;
  launch.parameters.resize(module.functions[step.entry].parameter_bytes);
  for (const LaunchArgument& argument : step.arguments) try {
      put_argument(plan, argument, environment, address, launch.parameters.data() + argument.offset);
    } catch (const NumberError& error) {
      throw NumberError(fmt::format("argument '{}': {}", argument.value.text(), error.what()));
    }
  if (!plan.textures.empty()) {
    auto handles = std::make_shared<std::map<std::uint64_t, ptx::Texture>>();
    for (std::uint32_t i = 0; i < plan.textures.size(); ++i)
      handles->emplace(i + 1, placed(plan, i, address));
    for (std::uint32_t variable = 0; variable < module.variables.size(); ++variable)
      for (std::uint32_t i = 0; i < plan.textures.size(); ++i)
        if (ptx::class_of(module.variables[variable].type) == ptx::TypeClass::kHandle &&
            module.variables[variable].name == plan.textures[i].name)
          launch.textures.emplace(variable, handles->at(i + 1));
    launch.handles = std::move(handles);
  }
  launch.console = plan.console.get();
  return launch;
}

}  // namespace heddle
