#include "stimuli/traceg/tracez_decoder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "stimuli/traceg/text_source.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostHeader = std::uint64_t{1} << 20U;       // bytes
constexpr std::uint64_t kMostDictionary = std::uint64_t{16} << 20U;  // Accel-Sim makes at most 64 KiB
constexpr std::uint64_t kMostPiece = std::uint64_t{64} << 20U;       // bytes when unpacked

std::string place(const std::array<std::uint32_t, 3>& numbers) {
  return fmt::format("{},{},{}", numbers[0], numbers[1], numbers[2]);
}

}  // namespace

struct TracezDecoder::Zstandard {
  ~Zstandard() {
    ZSTD_freeDDict(dictionary);
    ZSTD_freeDCtx(context);
  }
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ZSTD_DDict* dictionary = nullptr;
};

TracezDecoder::TracezDecoder(const TextSource& source, int descriptor)
    : source_(source), descriptor_(descriptor), zstandard_(std::make_unique<Zstandard>()) {}

TracezDecoder::~TracezDecoder() = default;

std::size_t TracezDecoder::decode(char* to, std::size_t most) {
  while (given_ == text_.size()) {
    text_.clear();
    given_ = 0;
    if (!read_next()) return 0;
  }
  const std::size_t count = std::min(most, text_.size() - given_);
  std::memcpy(to, text_.data() + given_, count);
  given_ += count;
  return count;
}

bool TracezDecoder::read_next() {
  if (!has_started_) {
    read_start();
  } else if (pieces_left_ > 0) {
    read_piece();
  } else if (warps_left_ > 0) {
    read_warp();
  } else if (in_block_) {
    in_block_ = false;
    text_ = "#END_TB\n";
  } else if (blocks_left_ > 0) {
    read_block();
  } else {
    return false;
  }
  return true;
}

void TracezDecoder::read_start() {
  has_started_ = true;
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
    source_.fail("a .tracez file is read from its end, so it cannot be a pipe");
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  text_.resize(std::min(file_bytes_, kMostHeader));
  std::uint64_t at = 0;
  read(at, text_.data(), text_.size());
  const std::size_t end = text_.find('\0');
  if (end == std::string::npos) source_.fail("not .tracez data: no zero byte ends the header");
  text_.resize(end);
  at = end + 1;
  const auto dictionary_bytes = take<std::uint32_t>(at);
  take<std::uint32_t>(at);  // the most instructions of a piece
  if (dictionary_bytes > kMostDictionary)
    source_.fail(fmt::format("a dictionary of more than {} MiB", kMostDictionary >> 20U));
  if (dictionary_bytes > 0) {
    std::string dictionary(dictionary_bytes, '\0');
    read(at, dictionary.data(), dictionary.size());
    zstandard_->dictionary = ZSTD_createDDict(dictionary.data(), dictionary.size());
    if (zstandard_->dictionary == nullptr) source_.fail("the dictionary of the .tracez data is damaged");
  }
  index_at_ = file_bytes_ - std::min<std::uint64_t>(file_bytes_, sizeof(std::uint64_t));
  index_at_ = take<std::uint64_t>(index_at_);
  blocks_left_ = take<std::uint32_t>(index_at_);
}

void TracezDecoder::read_block() {
  using Place = std::array<std::uint32_t, 3>;
  --blocks_left_;
  in_block_ = true;
  warp_ = 0;
  const auto block = take<Place>(index_at_);
  const auto cluster = take<Place>(index_at_);
  const auto in_cluster = take<Place>(index_at_);
  const auto rank = take<std::uint32_t>(index_at_);
  warps_left_ = take<std::uint32_t>(index_at_);
  text_ = fmt::format("#BEGIN_TB\nthread block = {}\ncluster id = {}\ncluster cta = {}\ncluster rank = {}\n",
                      place(block), place(cluster), place(in_cluster), rank);
}

void TracezDecoder::read_warp() {
  --warps_left_;
  const auto instructions = take<std::uint32_t>(index_at_);
  pieces_left_ = take<std::uint32_t>(index_at_);
  data_at_ = take<std::uint64_t>(index_at_);
  index_at_ += std::uint64_t{pieces_left_} * sizeof(std::uint32_t);
  if (take<std::uint32_t>(data_at_) != instructions || take<std::uint32_t>(data_at_) != pieces_left_)
    source_.fail("the .tracez data is damaged: its index differs from a warp");
  text_ = fmt::format("warp = {}\ninsts = {}\n", warp_++, instructions);
}

void TracezDecoder::read_piece() {
  --pieces_left_;
  const auto bytes = take<std::uint32_t>(data_at_);
  if (bytes > file_bytes_) source_.fail("the .tracez data ends too early");
  packed_.resize(bytes);
  read(data_at_, packed_.data(), bytes);
  const unsigned long long size = ZSTD_getFrameContentSize(packed_.data(), packed_.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    source_.fail("the .tracez data is damaged");
  if (size > kMostPiece) source_.fail(fmt::format("a piece of more than {} MiB", kMostPiece >> 20U));
  text_.resize(size);
  const std::size_t result =
      ZSTD_decompress_usingDDict(zstandard_->context, text_.data(), text_.size(), packed_.data(),
                                 packed_.size(), zstandard_->dictionary);
  if (ZSTD_isError(result) != 0 || result != size) source_.fail("the .tracez data is damaged");
  text_ += '\n';  // pieces do not end in one
}

void TracezDecoder::read(std::uint64_t& at, void* to, std::size_t bytes) {
  if (at > file_bytes_ || bytes > file_bytes_ - at) source_.fail("the .tracez data ends too early");
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pread(descriptor_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
    if (count == 0) source_.fail("the .tracez data ends too early");
    if (count < 0 && errno != EINTR) source_.fail(std::strerror(errno));
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  at += bytes;
}

}  // namespace heddle
