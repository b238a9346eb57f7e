#pragma once
// A captured program with a call of every kind, and captures as files.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <zstd.h>

#include "models/core/memory/device_memory.h"
#include "stimuli/capture/format/capture_archive.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/steps/image.h"

namespace heddle::capture {

// Returns the bytes of the capture file that `write` writes.
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
      call.registers = 40;
      call.priority = -3;
      call.sms = {2, 5};
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

// A captured program that can be replayed. Its kernel doubles every word of a buffer in a stream, and the
// buffer is copied back to the host.
inline constexpr const char* kDoubleText = R"(.version 6.0
.target sm_35
.address_size 64
.visible .global .u32 rounds = 3;
.visible .entry twice(.param .u64 data) {
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  add.u32 %r2, %r2, %r2;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

// Returns the address of the words, which are allocated behind the module.
inline Address twice_data() {
  DeviceMemory memory;
  memory.allocate(ptx::image_bytes(ptx::parse_module(kDoubleText, "twice")), "module");
  return memory.allocate(128, "words");
}

// Returns the blobs of this program: the PTX text, 32 words, and the parameters of the launch.
inline std::vector<std::string> twice_blobs() {
  std::vector<std::uint32_t> words(32);
  std::iota(words.begin(), words.end(), 1U);
  const Address data = twice_data();
  return {kDoubleText, std::string(reinterpret_cast<const char*>(words.data()), 128),
          std::string(reinterpret_cast<const char*>(&data), 8)};
}

inline std::vector<CapturedCall> twice_calls() {
  using Kind = CapturedCall::Kind;
  const Address words = twice_data();
  std::vector<CapturedCall> calls(9);
  const auto make = [&](std::size_t i, Kind kind) -> CapturedCall& {
    calls[i].kind = kind;
    calls[i].stream = 1;
    return calls[i];
  };
  make(0, Kind::kModule).rows.address = DeviceMemory::kFirst;
  make(1, Kind::kAllocate).rows = {words, 0, 128, 1};
  make(2, Kind::kCreateStream);
  CapturedCall& upload = make(3, Kind::kUpload);
  upload.rows = {words, 128, 128, 1};
  upload.blob = 1;
  upload.asynchronous = true;
  CapturedCall& launch = make(4, Kind::kLaunch);
  launch.block.x = 32;
  launch.blob = 2;
  CapturedCall& download = make(5, Kind::kDownload);
  download.rows = {words, 128, 128, 1};
  std::vector<std::uint32_t> doubled(32);
  for (std::uint32_t i = 0; i < 32; ++i) doubled[i] = 2 * (i + 1);
  download.digest = digest_of(doubled.data(), 128);
  make(6, Kind::kSynchroniseStream);
  make(7, Kind::kFree).rows.address = words;
  make(8, Kind::kDestroyStream);
  return calls;
}

inline std::string packed_calls(const std::vector<CapturedCall>& calls) {
  std::string bytes;
  Packer packer(bytes);
  for (const CapturedCall& call : calls) pack(packer, call);
  return bytes;
}

// Returns a capture file around these packed calls, which may be malformed.
inline std::string wrapped_capture(const std::string& calls, const std::vector<std::string>& blobs) {
  static_assert(kCaptureVersion < 256);
  std::string bytes{"\x89HCAP\r\n\x1a\0\0\0\0\0\0\0\0", 16};
  bytes[8] = static_cast<char>(kCaptureVersion);
  const auto add = [&](std::uint32_t kind, const std::string& content, bool empty) {
    std::string stored(empty ? 0 : ZSTD_compressBound(content.size()), '\0');
    if (!empty) stored.resize(ZSTD_compress(stored.data(), stored.size(), content.data(), content.size(), 3));
    const std::uint64_t numbers[] = {kind, content.size(), stored.size()};
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    bytes += stored;
  };
  std::string about;
  Packer packer(about);
  Capture capture;
  capture.program = "twice";
  capture.platform = "k20";
  pack_info(packer, capture);
  add(1, about, false);
  for (const std::string& blob : blobs) add(2, blob, false);
  add(3, calls, false);
  add(4, "", true);
  return bytes;
}

}  // namespace heddle::capture
