#include "stimuli/launch/loaded_parts.h"

#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/analysis/spilling.h"

namespace heddle {

std::shared_ptr<const ptx::Module> LoadedParts::module(const std::string& file,
                                                       std::uint32_t most_registers) {
  return modules_.get({file, most_registers}, [&] {
    ptx::Module module = ptx::load_module(file);
    ptx::spill_registers(module, most_registers);
    return module;
  });
}

std::vector<std::uint32_t> LoadedParts::registers(const std::string& file, std::uint32_t most_registers) {
  return *registers_.get({file, most_registers},
                         [&] { return ptx::register_estimates(*module(file, most_registers)); });
}

std::shared_ptr<const ptx::Executable> LoadedParts::code(const std::string& file,
                                                         std::uint32_t most_registers, Address address) {
  return *code_.get({file, most_registers, address}, [&] {
    return ptx::make_executable(ptx::lay_out_image(module(file, most_registers), address));
  });
}

std::shared_ptr<const GeneratedStructure> LoadedParts::structure(const std::string& key,
                                                                 const std::function<Structure()>& make) {
  return *structures_.get(key, [&] { return std::make_shared<const GeneratedStructure>(make()); });
}

}  // namespace heddle
