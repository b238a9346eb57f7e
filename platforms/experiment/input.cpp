#include "platforms/experiment/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/experiment/application_reader.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/launch/launch_reader.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

struct Folder {
  InputKind kind;
  const char* folder;
};

// In the order in which a name is looked for.
constexpr std::array<Folder, 8> kFolders{{{InputKind::kExperiment, "stimuli/experiments"},
                                          {InputKind::kLaunch, "stimuli/launches"},
                                          {InputKind::kApplication, "stimuli/applications"},
                                          {InputKind::kCampaign, "stimuli/campaigns"},
                                          {InputKind::kPaper, "stimuli/papers"},
                                          {InputKind::kPlatform, "platforms"},
                                          {InputKind::kRtl, "stimuli/rtl"},
                                          {InputKind::kCard, "stimuli/cards"}}};
constexpr const char* kTraces = "stimuli/traces";
constexpr const char* kKernelsList = "kernelslist.g";

std::vector<std::string> traces() {
  return known_data(kTraces, "");
}

// A file without a known ending may have any name, such as that of a program.
bool is_program(const std::string& file) {
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return magic == std::array<char, 4>{'\x7f', 'E', 'L', 'F'};
}

InputKind kind_of(const std::string& file) {
  if (is_kernels_list(file)) return InputKind::kTrace;
  if (capture::is_capture(file)) return InputKind::kCapture;
  if (is_program(file))
    throw config::Error({fmt::format(
        "{}: is a program; heddle capture -o NAME.hcap -- {} records what it asks the GPU for", file, file)});
  if (fs::path(file).extension() == ".ptx")
    throw config::Error(
        {fmt::format("{}: is PTX, which a launch file names, such as {}; heddle list {} shows it", file,
                     find_data("stimuli/launches", "vector_add"), file)});
  if (fs::path(file).extension() == ".cu")
    throw config::Error(
        {fmt::format("{}: is CUDA source; nvcc, or scripts/compile_cuda with clang alone, makes a program of "
                     "it, and heddle "
                     "capture -o NAME.hcap -- PROGRAM records what that asks the GPU for",
                     file)});
  const config::Document document = config::Document::load(file);
  const config::Section root = document.root();
  if (root.has("campaign") || root.has("axes")) return InputKind::kCampaign;
  if (is_launch_file(root)) return InputKind::kLaunch;
  if (root.has("paper")) return InputKind::kPaper;
  if (root.has("card")) return InputKind::kCard;
  if (root.has("experiment") || root.has("applications") || root.has("mix")) return InputKind::kExperiment;
  if (root.has("application")) return InputKind::kApplication;
  if (root.has("platform") || root.has("base")) return InputKind::kPlatform;
  if (root.has("rtl")) return InputKind::kRtl;
  throw config::Error({fmt::format(
      "{}: no platform, application, launch, experiment, campaign, paper, card or rtl: one of these keys "
      "must say what it is",
      root.place())});
}

[[noreturn]] void fail_unknown(const std::string& word) {
  std::vector<std::string> known = traces();
  for (const Folder& one : kFolders) {
    const std::vector<std::string> names = known_data(one.folder);
    known.insert(known.end(), names.begin(), names.end());
  }
  throw config::Error({fmt::format(
      "there is no experiment, application or file '{}'{}", word,
      config::suggestion(word, known,
                         "see heddle list with experiments, launches, applications or campaigns"))});
}

}  // namespace

std::string find_trace(const std::string& name) {
  const std::string list = std::string("/") + kKernelsList;
  return is_file_name(name) || !has_data(kTraces, name, list) ? "" : find_data(kTraces, name, "", list);
}

Input find_input(const std::string& word) {
  if (!is_file_name(word)) {
    for (const Folder& one : kFolders)
      if (is_known_data(one.folder, word)) return {one.kind, find_data(one.folder, word)};
    if (const std::string trace = find_trace(word); !trace.empty()) return {InputKind::kTrace, trace};
  }
  std::error_code error;
  if (fs::is_regular_file(word, error)) return {kind_of(word), word};
  if (fs::is_directory(word, error)) throw config::Error({fmt::format("'{}' is a directory", word)});
  if (is_file_name(word) || is_kernels_list(word))
    throw config::Error({fmt::format("there is no file '{}'", word)});
  fail_unknown(word);
}

std::vector<Input> others_named(const Input& input, const std::string& name) {
  std::vector<Input> others;
  if (is_file_name(name) || input.file == name) return others;
  for (const Folder& one : kFolders)
    if (one.kind != input.kind && is_known_data(one.folder, name))
      others.push_back({one.kind, find_data(one.folder, name)});
  return others;
}

std::string use_of(const Input& input, const std::string& word) {
  switch (input.kind) {
    case InputKind::kExperiment:
      return "is an experiment: heddle run " + word;
    case InputKind::kLaunch:
      return "is a launch file: heddle run " + word + " --platform NAME";
    case InputKind::kApplication:
      return "is an application: heddle run " + word;
    case InputKind::kTrace:
      return "is a trace: heddle run " + word + " --platform NAME";
    case InputKind::kCapture:
      return "is a captured program: heddle run " + word + " --platform NAME";
    case InputKind::kCampaign:
      return "is a campaign: heddle batch run " + word;
    case InputKind::kPaper:
      return "is a paper: heddle reproduce " + word;
    case InputKind::kPlatform:
      return "is a platform: heddle run EXPERIMENT --platform " + word;
    case InputKind::kRtl:
      return "is a block in RTL: heddle rtl check " + word;
    case InputKind::kCard:
      return "is a card: heddle reproduce " + word;
  }
  return "";
}

}  // namespace heddle
