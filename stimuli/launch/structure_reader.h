#pragma once
// This file reads the `structures` of a launch file.
//
//   structures:                      each makes several arrays; expressions may name its counts: graph.edges
//     graph: {csr_graph: {nodes: n, degree: 4}, seed: 1}

#include <map>
#include <memory>
#include <string>

#include "stimuli/launch/generated_structure.h"
#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"
#include "stimuli/launch/loaded_parts.h"

namespace heddle {

// A StructureReader reads the structures of one launch file and has them by name.
class StructureReader {
 public:
  // The counts of structures are added to the constants of `scope`. Structures that `parts` has are not
  // generated again.
  StructureReader(Scope& scope, LoadedParts& parts) : scope_(scope), values_(scope), parts_(parts) {}

  void read_structures(const config::Section& section);
  // Returns a buffer with the array that `value` names: "graph.edges". An unknown name is a problem at
  // `value`.
  LaunchBuffer read_member(const std::string& name, const config::Value& value) const;

 private:
  using StructureOf = std::shared_ptr<const GeneratedStructure>;  // without arrays after a problem

  StructureOf read_structure(const std::string& name, const config::Section& section) const;
  StructureOf read_csr_graph(const config::Section& section, const Random& random) const;
  StructureOf read_edge_list(const config::Section& section, const Random& random) const;
  StructureOf read_jds_matrix(const config::Section& section, const Random& random) const;
  StructureOf read_binned_atoms(const config::Section& section, const Random& random) const;
  StructureOf read_octree(const config::Section& section, const Random& random) const;
  StructureOf read_sphere_points(const config::Section& section, const Random& random) const;
  StructureOf read_search_tree(const config::Section& section, const Random& random) const;
  StructureOf read_key_tree(const config::Section& section) const;
  StructureOf read_tetrahedra(const config::Section& section, const Random& random) const;
  structures::Weights read_weights(const config::Section& section) const;
  std::int64_t elements(const config::Section& section, const char* key, std::int64_t least = 1) const;

  Scope& scope_;
  LaunchValues values_;
  LoadedParts& parts_;
  std::map<std::string, StructureOf> structures_;
};

}  // namespace heddle
