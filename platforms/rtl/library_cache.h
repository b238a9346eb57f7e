#pragma once
// The cache of libraries of RTL blocks. It lasts between runs, and any number of processes use it at once. If
// nothing is to be kept (is_cache_off()), it is a temporary folder of this process.
//
// What a library is made from has two parts. The recipe is known in advance: tools, options, names of files.
// The inputs are known after Verilator has run: every file that it has read. The cache keeps the list of the
// inputs of each recipe. A library is found if it was made by the same recipe from files with the same
// content, and if no file has appeared or vanished in the folders in which Verilator looks for files.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct RtlInputs {
  std::vector<std::string> files;    // absolute paths
  std::vector<std::string> folders;  // absolute paths; those that do not exist are empty
};

// Returns 32 hexadecimal digits.
std::string hash_of(const std::string& bytes);

class LibraryCache {
 public:
  // `name` begins the names of the files of this block. Throws config::Error if the folder cannot be made.
  explicit LibraryCache(std::string name);

  // Returns the library that was made by the recipe, whose hash is given, from the inputs as they are now.
  std::optional<std::string> find(const std::string& recipe) const;

  // Returns where the library of the recipe and of these inputs, as they are now, belongs.
  std::string library_of(const std::string& recipe, const RtlInputs& inputs) const;
  // Keeps the list of the inputs of the recipe, whose library is in its place.
  void keep_inputs(const std::string& recipe, const RtlInputs& inputs) const;

  // Moves the file `draft` to `file`, its place in the cache. The move is atomic, and it replaces a file that
  // is there already.
  void publish(const std::string& draft, const std::string& file) const;
  std::string path(const std::string& file) const { return folder_ + "/" + file; }
  const std::string& name() const { return name_; }

 private:
  std::string inputs_file(const std::string& recipe) const;

  std::string name_;
  std::string folder_;
};

// A new folder of the cache for drafts, which is removed with all that is left in it.
class DraftFolder {
 public:
  explicit DraftFolder(const LibraryCache& cache);
  ~DraftFolder();
  DraftFolder(const DraftFolder&) = delete;
  DraftFolder& operator=(const DraftFolder&) = delete;

  std::string path(const std::string& file) const { return path_ + "/" + file; }
  const std::string& path() const { return path_; }
  void write(const std::string& file, const std::string& text) const;  // throws OutputError

 private:
  std::string path_;
};

}  // namespace heddle
