#pragma once
// A captured program with a call of every kind.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "stimuli/capture/capture_file.h"

namespace heddle::capture {

// The bytes of a file that `write` has written.
template <typename Write>
std::string written_capture(const Capture& about, const Write& write) {
  const auto file = std::filesystem::temp_directory_path() / ("heddle-capture-" + std::to_string(getpid()));
  CaptureWriter writer(file.string(), about);
  write(writer);
  writer.finish();
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::filesystem::remove(file);
  return bytes;
}

inline std::string small_capture() {
  Capture about;
  about.program = "small";
  about.platform = "k20";
  about.exact = false;
  return written_capture(about, [](CaptureWriter& writer) {
    std::vector<std::uint8_t> data(1000);
    std::iota(data.begin(), data.end(), std::uint8_t{0});
    for (std::uint8_t kind = 0; kind < CapturedCall::kKinds; ++kind) {
      CapturedCall call;
      call.kind = static_cast<CapturedCall::Kind>(kind);
      call.asynchronous = true;
      call.flag = true;
      call.stream = 1;
      call.event = 2;
      call.shared = 48;
      call.rows = {0x10000000100, 512, 100, 10};
      call.other = {0x10000000200, 100, 100, 10};
      call.grid = {3, 7, 1};
      call.digest = digest_of("abc", 3);
      ptx::Texture texture;
      texture.wrap[1] = ptx::Texture::Wrap::kMirror;
      call.textures = {{5, texture}};
      call.blob = call.kind == CapturedCall::Kind::kModule ? writer.blob("text", 4)
                                                           : writer.blob(data.data(), data.size());
      writer.call(call);
    }
  });
}

}  // namespace heddle::capture
