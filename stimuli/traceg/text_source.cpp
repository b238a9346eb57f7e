#include "stimuli/traceg/text_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle {

namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10U;
constexpr std::uint64_t kMostDecoderBytes = std::uint64_t{128} << 20U;  // xz -9 needs 65 MiB
constexpr std::uint64_t kMostBlankLines = 1024;                         // in succession

}  // namespace

struct TextSource::Xz {
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<std::uint8_t, std::size_t{32} << 10U> input;
  bool input_ended = false;
  bool done = false;

  ~Xz() { lzma_end(&stream); }
};

TextSource::TextSource(std::string file, bool is_hashed)
    : file_(std::move(file)),
      hasher_(is_hashed ? std::make_unique<ContentHasher>() : nullptr),
      buffer_(std::make_unique<char[]>(kBuffer + kSlack)) {
  cursor_ = whole_ = end_ = buffer_.get();
  if (ends_in(file_, ".xz")) {
    xz_ = std::make_unique<Xz>();
    if (lzma_stream_decoder(&xz_->stream, kMostDecoderBytes, LZMA_CONCATENATED) != LZMA_OK)
      throw config::Error({file_ + ": the xz decoder does not start"});
  }
  config::check_file(file_);
  descriptor_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw config::Error({fmt::format("{}: {}", file_, std::strerror(errno))});
  if (ends_in(file_, ".tracez")) tracez_ = std::make_unique<TracezDecoder>(*this, descriptor_);
}

TextSource::~TextSource() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TextSource::fail(std::string_view message) const {
  throw config::Error({fmt::format("{}:{}: {}", file_, line_, message)});
}

const char* TextSource::refill() {
  const auto rest = static_cast<std::size_t>(end_ - cursor_);
  std::memmove(buffer_.get(), cursor_, rest);
  cursor_ = buffer_.get();
  end_ = buffer_.get() + rest;
  whole_ = cursor_;
  char* searched = end_;
  while (!ended_ && whole_ == cursor_) {
    if (static_cast<std::size_t>(end_ - cursor_) > kMostLine)
      fail(fmt::format("a line of more than {} bytes", kMostLine));
    const std::size_t room = kBuffer - 1 - static_cast<std::size_t>(end_ - buffer_.get());
    const std::size_t count = read_some(end_, room);
    end_ += count;
    if (count == 0) {
      ended_ = true;
      if (end_ != cursor_ && end_[-1] != '\n') *end_++ = '\n';
    }
    const void* last = memrchr(searched, '\n', static_cast<std::size_t>(end_ - searched));
    if (last != nullptr) whole_ = static_cast<const char*>(last) + 1;
    searched = end_;
  }
  std::memset(end_, 0, kSlack);
  return cursor_ < whole_ ? cursor_ : nullptr;
}

std::size_t TextSource::read_some(char* to, std::size_t most) {
  if (tracez_) return tracez_->decode(to, most);
  return xz_ ? decode(to, most) : read_file(to, most);
}

std::size_t TextSource::read_file(void* to, std::size_t most) {
  for (;;) {
    const ssize_t count = read(descriptor_, to, most);
    if (count > 0 && hasher_) hasher_->add(to, static_cast<std::size_t>(count));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(std::strerror(errno));
  }
}

std::optional<ContentHash> TextSource::hash_of_file() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  ContentHasher hasher;
  std::vector<char> bytes(kBuffer);
  for (off_t at = 0;;) {
    const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return hasher.hash();
    hasher.add(bytes.data(), static_cast<std::size_t>(count));
    at += count;
  }
}

// The pieces of a .tracez file are not read in the order of the file.
ContentHash TextSource::hash_of_read() const {
  return tracez_ ? hash_of_file().value_or(ContentHash()) : hasher_->hash();
}

std::size_t TextSource::decode(char* to, std::size_t most) {
  lzma_stream& stream = xz_->stream;
  stream.next_out = reinterpret_cast<std::uint8_t*>(to);
  stream.avail_out = most;
  while (!xz_->done && stream.avail_out == most) {
    if (stream.avail_in == 0 && !xz_->input_ended) {
      stream.next_in = xz_->input.data();
      stream.avail_in = read_file(xz_->input.data(), xz_->input.size());
      xz_->input_ended = stream.avail_in == 0;
    }
    const lzma_ret result = lzma_code(&stream, xz_->input_ended ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_STREAM_END)
      xz_->done = true;
    else if (result == LZMA_BUF_ERROR)
      fail("the xz data ends too early");
    else if (result == LZMA_MEMLIMIT_ERROR)
      fail(fmt::format("the xz data needs more than {} MiB to decode", kMostDecoderBytes >> 20U));
    else if (result == LZMA_FORMAT_ERROR)
      fail("not xz data");
    else if (result == LZMA_MEM_ERROR)
      fail("no memory for the xz decoder");
    else if (result != LZMA_OK)
      fail("the xz data is damaged");
  }
  return most - stream.avail_out;
}

bool TextSource::find(std::string_view& text) {
  for (std::uint64_t blanks = 0;; ++blanks) {
    const char* start = line();
    if (start == nullptr) return false;
    const char* end = static_cast<const char*>(std::memchr(start, '\n', whole_ - start));
    text = {start, static_cast<std::size_t>(end - start)};
    if (text.size() > kMostLine) fail(fmt::format("a line of more than {} bytes", kMostLine));
    if (!text.empty() && text.back() == '\r') fail("the line ends in CR LF; LF alone is wanted");
    if (text.find_first_not_of(' ') != std::string_view::npos) return true;
    if (blanks == kMostBlankLines) fail(fmt::format("more than {} blank lines", kMostBlankLines));
    step(end + 1);
  }
}

void TextSource::take() {
  step(static_cast<const char*>(std::memchr(cursor_, '\n', whole_ - cursor_)) + 1);
}

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

std::string quote(std::string_view text, std::size_t most) {
  std::string result = "'";
  for (const char c : text.substr(0, most)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > most ? "...'" : "'");
}

}  // namespace heddle
