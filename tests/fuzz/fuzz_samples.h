#pragma once
// The inputs that heddle_reader_fuzz damages, by the reader that they are for.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class Reader : std::uint8_t {
  kTrace,
  kXzTrace,
  kList,
  kPlatform,
  kApplication,
  kPtx,
  kLaunch,
  kFatBinary,
  kCapture,      // the calls of a captured program
  kCaptureFile,  // the file around them
  kProgram,
  kMachineCode,
  kLinked  // two texts of PTX that are linked
};
constexpr std::size_t kReaders = 13;
constexpr const char* kFileNames[kReaders] = {
    "kernel.traceg", "kernel.traceg.xz", "kernelslist.g", "platform.yaml", "application.yaml",
    "kernel.ptx",    "launch.yaml",      "code.fatbin",   "program.hcap",  "file.hcap",
    "program.elf",   "code.cubin",       "linked.ptx"};

// A text that was compiled apart from others, with all that such texts have.
extern const char* const kLinkedText;

using Samples = std::vector<std::string>;

std::vector<Samples> load_samples();  // by reader

}  // namespace heddle
