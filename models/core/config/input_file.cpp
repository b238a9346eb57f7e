#include "models/core/config/input_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "models/core/config/config.h"
#include "models/core/config/noted_inputs.h"

namespace heddle::config {

namespace {

namespace fs = std::filesystem;

const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a directory";
    case fs::file_type::character:
    case fs::file_type::block:
      return "a device";
    case fs::file_type::fifo:
      return "a FIFO";
    default:
      return "no regular file";
  }
}

// Returns whether the name is that of a pipe that this process has open, such as /dev/fd/3: a shell gives it
// to a command as <(another command).
bool is_open_pipe(const std::string& file) {
  std::error_code ignored;
  return fs::read_symlink(file, ignored).string().rfind("pipe:", 0) == 0;
}

[[noreturn]] void fail_to_read(const std::string& file, const std::string& reason) {
  throw Error({fmt::format("{}: cannot be read: {}", file, reason)});
}

}  // namespace

void check_file(const std::string& file) {
  note_input(file);
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status) || is_open_pipe(file)) return;
  fail_to_read(file, fmt::format("it is {}", kind_of(status.type())));
}

std::string read_file(const std::string& file, std::size_t most) {
  check_file(file);
  errno = 0;
  std::ifstream input(file, std::ios::binary);
  if (!input) fail_to_read(file, std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> chunk;
  while (input && text.size() <= most) {
    input.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (input.bad()) fail_to_read(file, "an error while reading");
  return text;
}

}  // namespace heddle::config
