#pragma once
// This file reads the initial and the expected contents of buffers.
//
//   A generator is a key beside the type and the count of a buffer:
//     zero: true          constant: 7         linear: [start, step]      uniform: [low, high]
//     sorted: [low, high] permutation: true   index_in: n                flags: 0.05
//     values: [1, 2, 3]   diagonally_dominant: n     first_of: other buffer     file: data.bin
//   Beside a generator, `seed` and `except: {0: 1}` are allowed. `except` has the elements with other values.

#include <string>
#include <utility>
#include <vector>

#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"
#include "stimuli/launch/structure_reader.h"

namespace heddle {

// A NamedFile is a file that a launch file names.
struct NamedFile {
  std::string key;   // the key that names it: "buffers.a.file"
  std::string path;  // the path from the working directory
};

// A ContentsReader reads the buffers of one launch file and the generators of their contents.
class ContentsReader {
 public:
  // `folder` is the folder of the launch file. `structures` has the arrays that a buffer may consist of. The
  // reader adds each file that supplies the contents of a buffer to `files`.
  ContentsReader(std::string folder, const Scope& scope, const StructureReader& structures,
                 std::vector<NamedFile>& files)
      : folder_(std::move(folder)), values_(scope), structures_(structures), files_(files) {}

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

  MakeArray read_generator(const std::string& key, const config::Value& value, const Wanted& wanted,
                           const std::vector<LaunchBuffer>& before);
  MakeArray read_range(const std::string& key, const config::Value& value, const Wanted& wanted) const;
  MakeArray read_values(const config::Value& value, const Wanted& wanted) const;
  MakeArray read_file(const config::Value& value, const Wanted& wanted);
  MakeArray read_first_of(const config::Value& value, const Wanted& wanted,
                          const std::vector<LaunchBuffer>& before) const;
  MakeArray with_exceptions(MakeArray make, const config::Section& section, const Wanted& wanted) const;

  std::string folder_;
  LaunchValues values_;
  const StructureReader& structures_;
  std::vector<NamedFile>& files_;
};

}  // namespace heddle
