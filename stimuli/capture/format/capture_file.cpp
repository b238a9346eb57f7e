#include "stimuli/capture/format/capture_file.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "stimuli/capture/format/capture_archive.h"

namespace heddle::capture {

namespace {

constexpr std::string_view kMagic{"\x89HCAP\r\n\x1a", 8};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kChunkHeaderBytes = 24;
constexpr std::size_t kCallsBytes = std::size_t{1} << 20U;  // target size of a chunk of calls
constexpr int kLevel = 3;

enum Chunk : std::uint32_t { kAbout = 1, kBlob = 2, kCalls = 3, kEnd = 4 };

std::string compressed(const void* bytes, std::size_t count) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string result(ZSTD_compressBound(count), '\0');
  const std::size_t got = ZSTD_compress2(context.get(), result.data(), result.size(), bytes, count);
  if (ZSTD_isError(got) != 0) throw std::runtime_error(ZSTD_getErrorName(got));
  result.resize(got);
  return result;
}

class CaptureReader {
 public:
  CaptureReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Capture read() {
    if (bytes_.size() < kHeaderBytes || bytes_.substr(0, kMagic.size()) != kMagic)
      fail("no captured program");
    version_ = number<std::uint32_t>(8);
    if (version_ == 0 || version_ > kCaptureVersion)
      fail(fmt::format("version {} is not known; this is {}", version_, kCaptureVersion));
    if (number<std::uint32_t>(12) != 0) fail("not zero");
    at_ = kHeaderBytes;
    bool first = true;
    while (read_chunk(first)) first = false;
    if (at_ != bytes_.size()) fail("there is more behind the end");
    return std::move(capture_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw config::Error({fmt::format("{}: offset {}: {}", name_, at_, message)});
  }

  template <typename T>
  T number(std::size_t offset) const {
    T value = 0;
    std::memcpy(&value, bytes_.data() + at_ + offset, sizeof value);
    return value;
  }

  bool read_chunk(bool first) {
    if (bytes_.size() - at_ < kChunkHeaderBytes) fail("the file ends too soon");
    const auto kind = number<std::uint32_t>(0);
    const auto count = number<std::uint64_t>(8);
    const auto stored = number<std::uint64_t>(16);
    if (number<std::uint32_t>(4) != 0) fail("not zero");
    if (stored > bytes_.size() - at_ - kChunkHeaderBytes) fail("the file ends within a chunk");
    if (first != (kind == kAbout) || kind < kAbout || kind > kEnd)
      fail(fmt::format("chunk of kind {}", kind));
    if (kind == kEnd) {
      if (count != 0 || stored != 0) fail("the end is not empty");
      at_ += kChunkHeaderBytes;
      return false;
    }
    const std::string_view frame = bytes_.substr(at_ + kChunkHeaderBytes, stored);
    take(kind, decompress(frame, count));
    at_ += kChunkHeaderBytes + stored;
    return true;
  }

  std::vector<std::byte> decompress(std::string_view frame, std::uint64_t count) {
    if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != count)
      fail("another size than the chunk says");
    if (count > kMostCaptureBytes - total_) fail("more data than a capture may hold");
    total_ += count;
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    ZSTD_inBuffer from{frame.data(), frame.size(), 0};
    std::vector<std::byte> result;
    // The result grows with the data that are really there, because the size may be a lie.
    for (std::size_t got = 0, left = 1; left != 0;) {
      result.resize(std::min<std::uint64_t>(count, std::max(2 * got, ZSTD_DStreamOutSize())));
      ZSTD_outBuffer to{result.data(), result.size(), got};
      const std::size_t read = from.pos;
      left = ZSTD_decompressStream(context.get(), &to, &from);
      const bool stuck = to.pos == got && from.pos == read;
      if (ZSTD_isError(left) != 0 || (left != 0 && stuck)) fail("the chunk is damaged");
      got = to.pos;
      if (left == 0 && (got != count || from.pos != from.size)) fail("the chunk is damaged");
    }
    return result;
  }

  void take(std::uint32_t kind, std::vector<std::byte> content) {
    if (kind == kBlob) {
      capture_.blobs.push_back(std::make_shared<const std::vector<std::byte>>(std::move(content)));
      return;
    }
    Unpacker unpacker({reinterpret_cast<const char*>(content.data()), content.size()}, version_);
    try {
      if (kind == kAbout) {
        pack_info(unpacker, capture_);
        if (!unpacker.done()) fail("more than is known about the program");
      } else {
        while (!unpacker.done()) take_call(unpacker);
      }
    } catch (const config::Error&) {
      throw;
    } catch (const std::runtime_error& error) {
      fail(fmt::format("call {}: {}", capture_.calls.size(), error.what()));
    }
  }

  void take_call(Unpacker& unpacker) {
    CapturedCall call;
    unpack(unpacker, call);
    const bool has_blob = call.kind == CapturedCall::Kind::kModule ||
                          call.kind == CapturedCall::Kind::kUpload ||
                          call.kind == CapturedCall::Kind::kLaunch;
    if (has_blob && call.blob >= capture_.blobs.size())
      fail(fmt::format("call {}: no earlier blob has number {}", capture_.calls.size(), call.blob));
    capture_.calls.push_back(std::move(call));
  }

  const std::string_view bytes_;
  const std::string& name_;
  Capture capture_;
  std::size_t at_ = 0;
  std::uint32_t version_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

CapturedCall::Digest digest_of(const void* bytes, std::size_t count) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, count);
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  return {low(hash.low64), low(hash.low64 >> 32U), low(hash.high64), low(hash.high64 >> 32U)};
}

CaptureWriter::CaptureWriter(const std::string& file, const Capture& about) : file_(file) {
  if (std::filesystem::exists(file)) throw std::runtime_error(file + ": exists");
  out_.open(file, std::ios::binary);
  const std::uint32_t words[] = {kCaptureVersion, 0};
  write(kMagic.data(), kMagic.size());
  write(words, sizeof words);
  std::string info;
  Packer packer(info);
  pack_info(packer, about);
  write_chunk(kAbout, info.data(), info.size());
}

void CaptureWriter::write(const void* bytes, std::size_t count) {
  out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!out_) throw std::runtime_error(file_ + ": cannot be written");
}

void CaptureWriter::write_chunk(std::uint32_t kind, const void* bytes, std::size_t count) {
  if (count > kMostCaptureBytes - bytes_)
    throw std::runtime_error(
        fmt::format("{}: the program moves more than {} bytes of different data", file_, kMostCaptureBytes));
  bytes_ += count;
  const std::string stored = kind == kEnd ? "" : compressed(bytes, count);
  const std::uint32_t words[] = {kind, 0};
  const std::uint64_t sizes[] = {count, stored.size()};
  write(words, sizeof words);
  write(sizes, sizeof sizes);
  write(stored.data(), stored.size());
}

std::uint32_t CaptureWriter::blob(const void* bytes, std::size_t count) {
  const auto number = static_cast<std::uint32_t>(blobs_.size());
  const auto [found, fresh] = blobs_.emplace(std::pair(digest_of(bytes, count), count), number);
  if (fresh) write_chunk(kBlob, bytes, count);
  return found->second;
}

void CaptureWriter::call(const CapturedCall& call) {
  Packer packer(calls_);
  pack(packer, call);
  if (calls_.size() >= kCallsBytes) flush_calls();
}

void CaptureWriter::flush_calls() {
  if (calls_.empty()) return;
  write_chunk(kCalls, calls_.data(), calls_.size());
  calls_.clear();
}

void CaptureWriter::finish() {
  flush_calls();
  write_chunk(kEnd, nullptr, 0);
  out_.close();
  if (!out_) throw std::runtime_error(file_ + ": cannot be written");
}

Capture read_capture(std::string_view bytes, const std::string& name) {
  return CaptureReader(bytes, name).read();
}

Capture load_capture(const std::string& file) {
  return read_capture(config::read_file(file), file);
}

}  // namespace heddle::capture
