#include "stimuli/traceg/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/core/base/launch_limits.h"
#include "stimuli/traceg/line_scanner.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 48U;
constexpr std::uint64_t kMostRegisters = 65536;
constexpr std::uint64_t kMostShared = std::uint64_t{1} << 30U;
constexpr std::string_view kEquals = " = ";
constexpr std::uint64_t kMostDimension = (std::uint64_t{1} << 32U) - 1;

class HeaderReader {
 public:
  explicit HeaderReader(TextSource& source) : source_(source) {}

  TraceHeader read() {
    for (std::string_view text; source_.find(text); source_.take()) {
      if (cut(text, "-")) {
        read_key(text);
      } else if (cut(text, "#traces format")) {
        require();
        source_.take();
        return header_;
      } else {
        source_.fail("expected '-key = value' or '#traces format', found " + quote(text));
      }
    }
    source_.fail("the file ends before '#traces format'");
  }

 private:
  struct Key {
    const char* name;
    bool required;
    void (HeaderReader::*read)(LineScanner& value);
  };
  static const Key kKeys[13];

  void read_key(std::string_view text) {
    const std::size_t equals = text.find(kEquals);
    if (equals == std::string_view::npos) source_.fail("expected '-key = value', found " + quote(text));
    const std::string_view name = text.substr(0, equals);
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const Key& known) { return known.name == name; });
    if (key == std::end(kKeys)) source_.fail("unknown key " + quote(name));
    bool& seen = seen_[key - kKeys];
    if (seen) source_.fail(fmt::format("'{}' is given twice", name));
    seen = true;
    LineScanner value(source_, text.data() + equals + kEquals.size());
    (this->*key->read)(value);
  }

  void require() {
    for (std::size_t i = 0; i < std::size(kKeys); ++i)
      if (kKeys[i].required && !seen_[i]) source_.fail(fmt::format("the header has no '{}'", kKeys[i].name));
    header_.blocks = product(header_.grid, kMostBlocks, "blocks in the grid");
    header_.shape.threads =
        static_cast<std::uint32_t>(product(block_, kMostThreadsOfBlock, "threads in a block"));
  }

  std::uint64_t product(const std::uint64_t (&dimensions)[3], std::uint64_t most, const char* what) {
    std::uint64_t result = 1;
    for (const std::uint64_t dimension : dimensions) {
      if (dimension > most / result) source_.fail(fmt::format("more than {} {}", most, what));
      result *= dimension;
    }
    return result;
  }

  // Reads "(x,y,z)". Each dimension is at least 1.
  void dimensions(LineScanner& value, std::uint64_t (&result)[3]) {
    const char* at = value.word("(x,y,z)").data();
    const char* start = at;
    for (int i = 0; i < 3; ++i) {
      if (*at++ != (i == 0 ? '(' : ',')) value.bad("(x,y,z)", start);
      result[i] = 0;
      for (; *at >= '0' && *at <= '9'; ++at) {
        result[i] = result[i] * 10 + static_cast<std::uint64_t>(*at - '0');
        if (result[i] > kMostDimension) value.bad("dimensions of at most 2^32 - 1", start);
      }
      if (result[i] == 0) value.bad("dimensions of at least 1", start);
    }
    if (*at != ')') value.bad("(x,y,z)", start);
    value.end();
  }

  std::uint64_t number(LineScanner& value, const char* what, std::uint64_t most) {
    const std::uint64_t result = value.decimal(what, most);
    value.end();
    return result;
  }

  void read_name(LineScanner& value) {
    const char* end = value.at();
    while (*end != '\n') ++end;
    header_.kernel_name.assign(value.at(), end);
    if (header_.kernel_name.find_first_not_of(' ') == std::string::npos)
      source_.fail("the kernel has no name");
  }
  void read_id(LineScanner& value) { number(value, "the kernel's number", ~std::uint64_t{0}); }
  void read_grid(LineScanner& value) { dimensions(value, header_.grid); }
  void read_block(LineScanner& value) { dimensions(value, block_); }
  void read_shared(LineScanner& value) {
    header_.shape.shared_bytes = static_cast<std::uint32_t>(number(value, "shared memory", kMostShared));
  }
  void read_registers(LineScanner& value) {
    header_.shape.registers_per_thread =
        static_cast<std::uint32_t>(number(value, "the number of registers", kMostRegisters));
  }
  void read_binary(LineScanner& value) {
    const std::uint64_t version = number(value, "the binary version", ~std::uint64_t{0});
    const auto generation = generation_of(version);
    if (!generation)
      source_.fail(fmt::format("binary version {}; known: {}", version, known_binary_versions()));
    header_.architecture = static_cast<std::uint32_t>(version);
    header_.generation = *generation;
  }
  void read_stream(LineScanner& value) { header_.stream = number(value, "the stream", ~std::uint64_t{0}); }
  void read_shared_base(LineScanner& value) {
    header_.shared_base = value.hexadecimal("an address");
    value.end();
  }
  void read_local_base(LineScanner& value) {
    header_.local_base = value.hexadecimal("an address");
    value.end();
  }
  void read_text(LineScanner&) {}
  void read_tracer(LineScanner& value) {
    header_.tracer = number(value, "the tracer version", ~std::uint64_t{0});
    if (header_.tracer < 1 || header_.tracer > 6)
      source_.fail(fmt::format("tracer version {}; known: 1 to 6", header_.tracer));
  }
  void read_line_numbers(LineScanner& value) {
    header_.line_numbers = number(value, "enable lineinfo", 1) == 1;
  }

  TextSource& source_;
  TraceHeader header_;
  std::uint64_t block_[3] = {};
  bool seen_[13] = {};
};

const HeaderReader::Key HeaderReader::kKeys[13] = {
    {"kernel name", true, &HeaderReader::read_name},
    {"kernel id", false, &HeaderReader::read_id},
    {"grid dim", true, &HeaderReader::read_grid},
    {"block dim", true, &HeaderReader::read_block},
    {"shmem", true, &HeaderReader::read_shared},
    {"nregs", true, &HeaderReader::read_registers},
    {"binary version", true, &HeaderReader::read_binary},
    {"cuda stream id", true, &HeaderReader::read_stream},
    {"shmem base_addr", false, &HeaderReader::read_shared_base},
    {"local mem base_addr", false, &HeaderReader::read_local_base},
    {"nvbit version", false, &HeaderReader::read_text},
    {"accelsim tracer version", true, &HeaderReader::read_tracer},
    {"enable lineinfo", false, &HeaderReader::read_line_numbers},
};

}  // namespace

TraceHeader read_trace_header(TextSource& source) {
  return HeaderReader(source).read();
}

}  // namespace heddle
