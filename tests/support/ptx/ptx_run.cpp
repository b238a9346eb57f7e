#include "tests/support/ptx/ptx_run.h"

#include <stdexcept>

#include "stimuli/ptx/analysis/module_loader.h"

namespace heddle::ptx {

std::string kernel_text(const std::string& body, const std::string& declarations) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n" + declarations +
         "\n.visible .entry k(.param .u64 out, .param .u64 in) {\n"
         ".reg .b16 %h<64>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<32>; .reg .f64 %d<32>; "
         ".reg .pred %p<32>;\n"
         "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x;\n" +
         body + "\nret;\n}\n";
}

PtxRun::PtxRun(const std::string& text, const std::string& entry, std::uint32_t most_registers) {
  auto module = std::make_shared<Module>(parse_module(text, "t.ptx"));
  spill_registers(*module, most_registers);
  while (entry_ < module->functions.size() && module->functions[entry_].name != entry) ++entry_;
  if (entry_ == module->functions.size()) throw std::runtime_error("no entry " + entry);
  const Address at = memory_.allocate(image_bytes(*module), "t.ptx");
  Image image = lay_out_image(module, at);
  memory_.write(at, image.bytes.data(), image.bytes.size());
  code_ = make_executable(std::move(image));
}

void PtxRun::pass_bytes(const void* value, std::size_t bytes, std::size_t alignment) {
  parameters_.resize((parameters_.size() + alignment - 1) / alignment * alignment + bytes);
  std::memcpy(parameters_.data() + parameters_.size() - bytes, value, bytes);
}

Address PtxRun::address_of(const std::string& variable) const {
  const Image& image = image_of(*code_);
  for (std::uint32_t i = 0; i < image.module->variables.size(); ++i)
    if (image.module->variables[i].name == variable) return image.address_of(i);
  throw std::runtime_error("no variable " + variable);
}

Launch PtxRun::launch() {
  Launch launch;
  launch.code = code_;
  launch.entry = entry_;
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  launch.dynamic_shared = dynamic_shared;
  launch.parameters = parameters_;
  launch.console = &console_;
  launch.handles = std::make_shared<const std::map<std::uint64_t, Texture>>(handles);
  const Module& module = *image_of(*code_).module;
  for (std::uint32_t i = 0; i < module.variables.size(); ++i)
    if (const auto at = textures.find(module.variables[i].name); at != textures.end())
      launch.textures[i] = at->second;
  return launch;
}

void PtxRun::execute() {
  const Launch described = launch();
  if (const std::string problem = launch_problem(described); !problem.empty())
    throw std::runtime_error(problem);
  PhaseWatch program(make_program(described, memory_, options), phases_);
  FunctionalRules rules;
  rules.order = order;
  counts_ = run_functionally(program, grid.count(), shape_of(described), rules);
}

std::string PtxRun::failure() {
  try {
    execute();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::uint64_t> words_of(const std::string& body, std::size_t words,
                                    const std::vector<std::uint64_t>& input,
                                    const std::string& declarations) {
  PtxRun run(kernel_text(body, declarations));
  const Address out = run.buffer(std::vector<std::uint64_t>(words), "out");
  run.buffer(input, "in");
  run.execute();
  return run.read<std::uint64_t>(out, words);
}

}  // namespace heddle::ptx
