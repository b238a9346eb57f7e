#include "platforms/import/arrivals/text_input.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle::imported {

namespace {

constexpr std::size_t kChunkBytes = 1U << 16;

}  // namespace

void TextInput::Close::operator()(gzFile_s* file) const {
  gzclose_r(file);
}

TextInput::TextInput(const std::string& file) : file_(file), chunk_(kChunkBytes) {
  config::check_file(file);
  errno = 0;
  in_.reset(gzopen(file.c_str(), "rb"));
  if (!in_)
    throw config::Error(
        {fmt::format("{}: cannot be read: {}", file, std::generic_category().message(errno))});
  constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";
  if (fill() && end_ >= 3 && std::memcmp(chunk_.data(), kByteOrderMark, 3) == 0) at_ = 3;
}

void TextInput::fail(const std::string& problem) const {
  throw config::Error({place() + ": " + problem});
}

std::string TextInput::place() const {
  return fmt::format("{}:{}", file_, line_);
}

bool TextInput::fill() {
  if (at_ < end_) return true;
  at_ = end_ = 0;
  errno = 0;
  const int count = gzread(in_.get(), chunk_.data(), kChunkBytes);
  if (count > 0) {
    end_ = static_cast<std::size_t>(count);
    return true;
  }
  int code = Z_OK;
  const char* const message = gzerror(in_.get(), &code);
  if (count == 0 && code == Z_OK) return false;
  begin_line();
  if (code == Z_ERRNO) fail(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  if (code == Z_BUF_ERROR) fail("the packed data end early: the file is not whole");
  fail(fmt::format("the packed data are damaged: {}", message));
}

void TextInput::begin_line() {
  if (is_line_over_) ++line_;
  is_line_over_ = false;
}

int TextInput::peek() {
  return fill() ? static_cast<unsigned char>(chunk_[at_]) : kEnd;
}

int TextInput::take() {
  if (!fill()) return kEnd;
  begin_line();
  const auto next = static_cast<unsigned char>(chunk_[at_++]);
  is_line_over_ = next == '\n';
  return next;
}

bool TextInput::next_line(std::string& line) {
  line.clear();
  if (!fill()) return false;
  begin_line();
  while (fill()) {
    const char* const start = chunk_.data() + at_;
    const void* const found = std::memchr(start, '\n', end_ - at_);
    const char* const stop = found != nullptr ? static_cast<const char*>(found) : chunk_.data() + end_;
    line.append(start, stop);
    at_ = static_cast<std::size_t>(stop - chunk_.data()) + (found != nullptr ? 1 : 0);
    if (line.size() > kMostBytes) fail(fmt::format("the line has more than {} bytes", kMostBytes));
    if (found == nullptr) continue;
    is_line_over_ = true;
    break;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

}  // namespace heddle::imported
