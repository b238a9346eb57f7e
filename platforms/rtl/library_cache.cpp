#include "platforms/rtl/library_cache.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/core/config/input_file.h"
#include "models/core/config/result_file.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

// Returns the hash of the names in the folders.
std::string listing_of(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    text += folder + '\0';
    for (const std::string& name : names) text += name + '\0';
  }
  return hash_of(text);
}

// A folder of this process, which is removed when the process exits. A child that exits without its exit
// handlers leaves it alone.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "heddle-XXXXXX").string()), owner_(::getpid()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw config::Error({fmt::format("{}: {}", path_, std::strerror(errno))});
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (owner_ == ::getpid()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  pid_t owner_;
};

const std::string& folder_of_process() {
  static const TemporaryFolder folder;
  return folder.path();
}

}  // namespace

std::string hash_of(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

LibraryCache::LibraryCache(std::string name) : name_(std::move(name)) {
  const std::string root = is_cache_off() ? folder_of_process() : user_cache_folder();
  if (root.empty())
    throw config::Error(
        {"libraries of RTL blocks need a folder: set $HEDDLE_CACHE, $XDG_CACHE_HOME or $HOME"});
  std::error_code error;
  folder_ = fs::absolute(root, error).lexically_normal() / "rtl";
  fs::create_directories(folder_, error);
  if (error)
    throw config::Error(
        {fmt::format("{}: {}; $HEDDLE_CACHE names another folder", folder_, error.message())});
}

std::string LibraryCache::inputs_file(const std::string& recipe) const {
  return path(fmt::format("{}-{}.inputs", name_, recipe));
}

std::string LibraryCache::library_of(const std::string& recipe, const RtlInputs& inputs) const {
  std::string text = recipe;
  for (const std::string& file : inputs.files) text += file + '\0' + hash_of(config::read_file(file));
  return path(fmt::format("{}-{}.so", name_, hash_of(text)));
}

std::optional<std::string> LibraryCache::find(const std::string& recipe) const {
  std::ifstream list(inputs_file(recipe));
  std::string listing;
  if (!std::getline(list, listing)) return std::nullopt;
  RtlInputs inputs;
  for (std::string line; std::getline(list, line);) {
    std::vector<std::string>& paths = line.rfind("folder ", 0) == 0 ? inputs.folders : inputs.files;
    paths.push_back(line.substr(line.find(' ') + 1));
  }
  std::error_code error;
  for (const std::string& file : inputs.files)
    if (!fs::is_regular_file(file, error)) return std::nullopt;
  if (listing_of(inputs.folders) != listing) return std::nullopt;
  const std::string library = library_of(recipe, inputs);
  return fs::exists(library, error) ? std::optional(library) : std::nullopt;
}

void LibraryCache::keep_inputs(const std::string& recipe, const RtlInputs& inputs) const {
  std::string text = listing_of(inputs.folders) + "\n";
  for (const std::string& folder : inputs.folders) text += fmt::format("folder {}\n", folder);
  for (const std::string& file : inputs.files) text += fmt::format("file {}\n", file);
  const DraftFolder draft(*this);
  draft.write("inputs", text);
  publish(draft.path("inputs"), inputs_file(recipe));
}

void LibraryCache::publish(const std::string& draft, const std::string& file) const {
  std::error_code error;
  fs::rename(draft, file, error);
  if (error) throw OutputError(fmt::format("cannot write {}: {}", file, error.message()));
}

DraftFolder::DraftFolder(const LibraryCache& cache) : path_(cache.path(cache.name() + ".draft-XXXXXX")) {
  if (::mkdtemp(path_.data()) == nullptr)
    throw OutputError(fmt::format("cannot make {}: {}", path_, std::strerror(errno)));
}

DraftFolder::~DraftFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void DraftFolder::write(const std::string& file, const std::string& text) const {
  errno = 0;
  std::ofstream out(path(file), std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw OutputError(fmt::format("cannot write {}: {}; $HEDDLE_CACHE names another folder", path(file),
                                  std::strerror(errno != 0 ? errno : EIO)));
}

}  // namespace heddle
