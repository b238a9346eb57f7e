#pragma once
// A structure of a launch file whose arrays are generated when one of them is first used. Plans of a thousand
// runs read its counts alone.

#include <functional>
#include <mutex>
#include <string>

#include "stimuli/launch/structures.h"

namespace heddle {

class GeneratedStructure {
 public:
  // Its arrays are there already.
  explicit GeneratedStructure(Structure structure);
  // `make` must return arrays of this shape.
  GeneratedStructure(StructureShape shape, std::function<Structure()> make);

  const StructureShape& shape() const { return shape_; }
  // Returns the array of a name that the shape has. Several threads may call it.
  const Array& array(const std::string& name) const;

 private:
  StructureShape shape_;
  std::function<Structure()> make_;
  mutable std::once_flag generated_;
  mutable Structure structure_;
};

}  // namespace heddle
