#include "stimuli/traceg/kernels_list.h"

#include <filesystem>
#include <limits>
#include <string_view>

#include "models/core/config/config.h"
#include "stimuli/traceg/line_scanner.h"
#include "stimuli/traceg/text_source.h"

namespace heddle {

namespace {

constexpr std::size_t kMostCommands = std::size_t{1} << 20U;

TraceCommand read_copy(const TextSource& source, TraceCommand::Kind kind, std::string_view rest) {
  TraceCommand command;
  command.kind = kind;
  const std::size_t comma = rest.find(',');
  const std::string_view address = rest.substr(0, comma);
  if (comma == std::string_view::npos || address.size() < 3 || address.size() > 18 ||
      address.substr(0, 2) != "0x")
    source.fail("expected Memcpy...,0x<address>,<bytes>");
  for (const char digit : address.substr(2)) {
    if (!LineScanner::is_hex_digit(digit))
      source.fail("expected a hexadecimal address, found " + quote(address));
    command.address = command.address << 4U | static_cast<Address>(LineScanner::hex_digit(digit));
  }
  LineScanner bytes(source, rest.data() + comma + 1);
  command.bytes = bytes.decimal("the bytes of the copy", std::numeric_limits<std::uint64_t>::max());
  bytes.end();
  if (command.bytes == 0) source.fail("a copy of 0 bytes");
  return command;
}

TraceCommand read_kernel(const TextSource& source, std::string_view name) {
  namespace fs = std::filesystem;
  if (name.find('\0') != std::string_view::npos) source.fail("a file name with a zero byte");
  fs::path path = fs::path(source.file()).parent_path() / fs::path(name);
  std::error_code error;
  if (!fs::exists(path, error) && ends_in(name, ".traceg") && fs::exists(path.string() + ".xz", error))
    path += ".xz";
  if (!fs::exists(path, error)) source.fail("no file " + quote(path.string(), 1000));
  TraceCommand command;
  command.file = path.string();
  return command;
}

TraceCommand read_command(const TextSource& source, std::string_view text) {
  if (cut(text, "MemcpyHtoD,")) return read_copy(source, TraceCommand::Kind::kCopyUp, text);
  if (cut(text, "MemcpyDtoH,")) return read_copy(source, TraceCommand::Kind::kCopyDown, text);
  for (const char* end : {".traceg", ".traceg.xz", ".tracez"})
    if (ends_in(text, end)) return read_kernel(source, text);
  source.fail("expected MemcpyHtoD, MemcpyDtoH or the name of a .traceg or .tracez file, found " +
              quote(text));
}

}  // namespace

std::vector<TraceCommand> read_kernels_list(const std::string& file) {
  TextSource source(file);
  std::vector<TraceCommand> commands;
  for (std::string_view text; source.find(text); source.take()) {
    if (commands.size() == kMostCommands) source.fail("more than 2^20 commands");
    text.remove_suffix(text.size() - 1 - text.find_last_not_of(' '));
    commands.push_back(read_command(source, text));
    commands.back().line = source.line_number();
  }
  if (commands.empty()) source.fail("the list has no commands");
  return commands;
}

}  // namespace heddle
