#include "platforms/channel/request_trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "models/core/config/input_file.h"

namespace heddle {

namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 10;
constexpr std::size_t kLongestLine = 64;
constexpr std::size_t kPrefix = 4;  // "R 0x"
constexpr std::size_t kMostDigits = 16;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

RequestTrace::RequestTrace(const std::string& file) : name_(file), buffer_(kBuffer) {
  config::check_file(file);
  file_.reset(std::fopen(file.c_str(), "rb"));
  if (file_ == nullptr) throw config::Error({fmt::format("{}: {}", name_, std::strerror(errno))});
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
}

std::optional<TraceRequest> RequestTrace::next() {
  while (read_line())
    if (!text_.empty()) return parse();
  return std::nullopt;
}

void RequestTrace::fail(const std::string& what) const {
  throw config::Error({fmt::format("{}:{}: {}", name_, line_, what)});
}

bool RequestTrace::refill() {
  at_ = 0;
  filled_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  if (filled_ == 0 && std::ferror(file_.get()) != 0)
    throw config::Error({fmt::format("{}: {}", name_, std::strerror(errno))});
  return filled_ != 0;
}

bool RequestTrace::read_line() {
  text_.clear();
  if (at_ == filled_ && !refill()) return false;
  ++line_;
  do {
    const char* begin = &buffer_[at_];
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
    const std::size_t length = end == nullptr ? filled_ - at_ : static_cast<std::size_t>(end - begin);
    if (text_.size() + length > kLongestLine) fail(fmt::format("a line of more than {} bytes", kLongestLine));
    text_.append(begin, length);
    at_ += length;
    if (end == nullptr) continue;
    ++at_;
    break;
  } while (refill());
  if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  return true;
}

TraceRequest RequestTrace::parse() const {
  const bool formed = text_.size() > kPrefix && text_.size() <= kPrefix + kMostDigits &&
                      (text_[0] == 'R' || text_[0] == 'W') && text_.compare(1, 3, " 0x") == 0;
  TraceRequest request{text_[0] == 'W', 0};
  for (std::size_t i = kPrefix; i < text_.size(); ++i) {
    const int digit = digit_of(text_[i]);
    if (!formed || digit < 0) break;
    request.address = request.address << 4 | static_cast<Address>(digit);
    if (i + 1 == text_.size()) return request;
  }
  fail(fmt::format("'{}' is no request such as 'R 0x1000' or 'W 0x40'", config::detail::shown(text_)));
}

}  // namespace heddle
