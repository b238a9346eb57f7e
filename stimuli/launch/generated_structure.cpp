#include "stimuli/launch/generated_structure.h"

#include <utility>

namespace heddle {

GeneratedStructure::GeneratedStructure(Structure structure) : structure_(std::move(structure)) {
  shape_.counts = structure_.counts;
  for (const auto& [name, array] : structure_.arrays) shape_.arrays[name] = {array.type, array.count()};
}

GeneratedStructure::GeneratedStructure(StructureShape shape, std::function<Structure()> make)
    : shape_(std::move(shape)), make_(std::move(make)) {}

const Array& GeneratedStructure::array(const std::string& name) const {
  std::call_once(generated_, [this] {
    if (make_) structure_ = make_();
  });
  return structure_.arrays.at(name);
}

}  // namespace heddle
