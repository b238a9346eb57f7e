#pragma once
// This file reads the initial and the expected contents of buffers: `structures` and the generators.
//
//   structures:                      each makes several arrays; expressions may name its counts: graph.edges
//     graph: {csr_graph: {nodes: n, degree: 4}, seed: 1}
//   A generator is a key beside the type and the count of a buffer:
//     zero: true          constant: 7         linear: [start, step]      uniform: [low, high]
//     sorted: [low, high] permutation: true   index_in: n                flags: 0.05
//     values: [1, 2, 3]   diagonally_dominant: n     first_of: other buffer     file: data.bin
//   Beside a generator, `seed` and `except: {0: 1}` are allowed. `except` has the elements with other values.

#include <map>
#include <string>
#include <vector>

#include "stimuli/launch/generated_structure.h"
#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"
#include "stimuli/launch/loaded_parts.h"

namespace heddle {

// A NamedFile is a file that a launch file names.
struct NamedFile {
  std::string key;   // the key that names it: "buffers.a.file"
  std::string path;  // the path from the working directory
};

class ContentsReader {
 public:
  // `folder` is the folder of the launch file. The counts of structures are added to the constants of
  // `scope`, and the files that contents name to `files`. Structures that `parts` has are not generated
  // again.
  ContentsReader(std::string folder, Scope& scope, LoadedParts& parts, std::vector<NamedFile>& files)
      : folder_(std::move(folder)), scope_(scope), values_(scope), parts_(parts), files_(files) {}

  void read_structures(const config::Section& section);
  // Reads a buffer with its contents. `before` has the buffers above it, to which `first_of` may refer.
  LaunchBuffer read_buffer(const std::string& name, const config::Section& section,
                           const std::vector<LaunchBuffer>& before);
  // Returns the generator in the section; null if there is none, and after a problem. Its keys are marked as
  // known.
  MakeArray read_contents(const std::string& name, ElementType type, std::uint64_t count,
                          const config::Section& section, const std::vector<LaunchBuffer>& before);

  // Returns the path of the file that `value` names, from the folder of the launch file; empty after a
  // problem.
  std::string find(const config::Value& value);

 private:
  struct Wanted {
    ElementType type;
    std::uint64_t count;
    Random random;
  };

  using StructureOf = std::shared_ptr<const GeneratedStructure>;  // without arrays after a problem

  StructureOf read_structure(const std::string& name, const config::Section& section);
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
  Random random_of(const std::string& name, const config::Section& section) const;
  LaunchBuffer read_member(const std::string& name, const config::Value& value) const;

  MakeArray read_generator(const std::string& key, const config::Value& value, const Wanted& wanted,
                           const std::vector<LaunchBuffer>& before);
  MakeArray read_range(const std::string& key, const config::Value& value, const Wanted& wanted) const;
  MakeArray read_values(const config::Value& value, const Wanted& wanted) const;
  MakeArray read_file(const config::Value& value, const Wanted& wanted);
  MakeArray read_first_of(const config::Value& value, const Wanted& wanted,
                          const std::vector<LaunchBuffer>& before) const;
  MakeArray with_exceptions(MakeArray make, const config::Section& section, const Wanted& wanted) const;

  std::string folder_;
  Scope& scope_;
  LaunchValues values_;
  LoadedParts& parts_;
  std::vector<NamedFile>& files_;
  std::map<std::string, StructureOf> structures_;
};

}  // namespace heddle
