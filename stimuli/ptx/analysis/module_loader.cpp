#include "stimuli/ptx/analysis/module_loader.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module_reader.h"

namespace heddle::ptx {

namespace {

// A file of another kind would be refused at each of its words.
void check_kind(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos)
    throw config::Error({file + ": is no PTX: it is not a text"});
  if (text.find(".version") == std::string_view::npos)
    throw config::Error({file + ": is no PTX: it has no directive .version"});
}

}  // namespace

Module parse_module(std::string_view text, const std::string& file, Refusal refusal) {
  if (text.size() > kMostText)
    throw config::Error({fmt::format("{}: more than {} bytes of PTX", file, kMostText)});
  ModuleReader reader(text, file, refusal);
  Module module = reader.read();
  reader.problems().finish();
  for (Function& function : module.functions) {
    if (function.code.empty()) continue;
    const FlowGraph graph(function);
    const std::vector<std::uint32_t> irreducible = graph.irreducible();
    for (const std::uint32_t statement : irreducible)
      reader.problems().add(
          {function.code[statement].line, 1},
          fmt::format("irreducible flow in '{}': a way into the middle of a loop", function.name));
    if (refusal == Refusal::kFunction && !irreducible.empty())
      set_unread(function, reader.problems().take(0));
    else
      set_reconvergence(function, graph);
  }
  reader.problems().finish();
  const CallGraph calls(module);
  for (std::uint32_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].entry) lay_out_shared(module, calls, i);
  return module;
}

Module load_module(const std::string& file) {
  const std::string text = config::read_file(file, kMostText);
  check_kind(text, file);
  return parse_module(text, file);
}

}  // namespace heddle::ptx
