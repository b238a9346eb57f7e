#include "stimuli/capture/format/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "models/core/config/config.h"
#include "stimuli/ptx/analysis/module_loader.h"

namespace heddle::capture {

namespace {

constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kMachineCode = 2;
constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
constexpr std::size_t kEntryHeaderBytes = 64;  // minimum

[[noreturn]] void fail(const std::string& name, const std::string& message) {
  throw config::Error({name + ": " + message});
}

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Returns the entry at `offset`, and moves `offset` to its end.
FatBinaryEntry read_entry(std::string_view container, std::size_t& offset, std::uint16_t& kind,
                          const std::string& name) {
  const std::string_view rest = container.substr(offset);
  if (rest.size() < kEntryHeaderBytes)
    fail(name, fmt::format("offset {}: the fat binary ends within an entry's header", offset));
  kind = number_at<std::uint16_t>(rest, 0);
  const auto header = number_at<std::uint32_t>(rest, 4);
  const auto payload = number_at<std::uint64_t>(rest, 8);
  const auto compressed = number_at<std::uint32_t>(rest, 16);
  if (header < kEntryHeaderBytes || header > rest.size() || payload > rest.size() - header)
    fail(name, fmt::format("offset {}: an entry reaches behind the end of the fat binary", offset));
  FatBinaryEntry entry;
  entry.ptx = kind == kPtx;
  entry.architecture = number_at<std::uint32_t>(rest, 28);
  entry.flags = number_at<std::uint64_t>(rest, 40);
  entry.payload = rest.substr(header, payload);
  entry.text_bytes = payload;
  if ((entry.flags & (kLz4 | kZstd)) != 0) {
    if (compressed > payload)
      fail(name,
           fmt::format("offset {}: {} compressed bytes in an entry of {}", offset, compressed, payload));
    entry.payload = entry.payload.substr(0, compressed);
    entry.text_bytes = number_at<std::uint64_t>(rest, 56);
  }
  offset += header + payload;
  return entry;
}

// Returns the entry of PTX or of machine code with the highest architecture not above the capability, else
// the one with the lowest; null: there is none.
const FatBinaryEntry* choose(const std::vector<FatBinaryEntry>& entries, bool ptx, std::uint32_t capability) {
  const FatBinaryEntry* below = nullptr;
  const FatBinaryEntry* above = nullptr;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.ptx != ptx) continue;
    if (entry.architecture <= capability && (below == nullptr || entry.architecture > below->architecture))
      below = &entry;
    else if (entry.architecture > capability &&
             (above == nullptr || entry.architecture < above->architecture))
      above = &entry;
  }
  return below != nullptr ? below : above;
}

std::string decompressed(const FatBinaryEntry& entry, const std::string& name, const char* what,
                         std::uint64_t most) {
  if (entry.text_bytes > most)
    fail(name, fmt::format("{} bytes of {}; {} at most", entry.text_bytes, what, most));
  std::string text(entry.text_bytes, '\0');
  if ((entry.flags & kLz4) != 0) {
    const int got =
        LZ4_decompress_safe(entry.payload.data(), text.data(), static_cast<int>(entry.payload.size()),
                            static_cast<int>(text.size()));
    if (got < 0 || static_cast<std::size_t>(got) != text.size())
      fail(name, fmt::format("the fat binary's {} is damaged: LZ4 cannot decompress it", what));
  } else if ((entry.flags & kZstd) != 0) {
    const std::size_t got =
        ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
    if (ZSTD_isError(got) != 0 || got != text.size())
      fail(name, fmt::format("the fat binary's {} is damaged: zstd cannot decompress it", what));
  } else {
    text.assign(entry.payload);
  }
  return text;
}

}  // namespace

std::uint64_t fat_binary_bytes(std::string_view start, const std::string& name) {
  if (start.size() < kFatBinaryHeaderBytes) fail(name, "the fat binary ends within its header");
  if (number_at<std::uint32_t>(start, 0) != kFatBinaryMagic)
    fail(name, fmt::format("no fat binary: it starts with {:#x}, not {:#x}",
                           number_at<std::uint32_t>(start, 0), kFatBinaryMagic));
  if (number_at<std::uint16_t>(start, 4) != 1 || number_at<std::uint16_t>(start, 6) != kFatBinaryHeaderBytes)
    fail(name, fmt::format("a fat binary of version {} with a header of {} bytes is not known",
                           number_at<std::uint16_t>(start, 4), number_at<std::uint16_t>(start, 6)));
  const auto bytes = number_at<std::uint64_t>(start, 8);
  if (bytes > std::uint64_t{1} << 40U) fail(name, fmt::format("a fat binary of {} bytes", bytes));
  return kFatBinaryHeaderBytes + bytes;
}

std::vector<FatBinaryEntry> read_fat_binary(std::string_view container, const std::string& name) {
  const std::uint64_t bytes = fat_binary_bytes(container, name);
  if (bytes > container.size())
    fail(name, fmt::format("the fat binary has {} of its {} bytes", container.size(), bytes));
  std::vector<FatBinaryEntry> entries;
  for (std::size_t offset = kFatBinaryHeaderBytes; offset < bytes;) {
    std::uint16_t kind = 0;
    const FatBinaryEntry entry = read_entry(container.substr(0, bytes), offset, kind, name);
    if (kind == kPtx || kind == kMachineCode) entries.push_back(entry);
  }
  return entries;
}

const FatBinaryEntry& choose_ptx(const std::vector<FatBinaryEntry>& entries, std::uint32_t capability,
                                 const std::string& name) {
  if (const FatBinaryEntry* chosen = choose(entries, true, capability); chosen != nullptr) return *chosen;
  if (entries.empty()) fail(name, "the fat binary is empty");
  std::uint32_t lowest = ~std::uint32_t{0};
  for (const FatBinaryEntry& entry : entries) lowest = std::min(lowest, entry.architecture);
  fail(name, fmt::format("the program holds machine code for sm_{} and no PTX; compile it with "
                         "-gencode arch=compute_{},code=compute_{}",
                         lowest, lowest, lowest));
}

const FatBinaryEntry* choose_machine_code(const std::vector<FatBinaryEntry>& entries,
                                          std::uint32_t capability) {
  return choose(entries, false, capability);
}

std::string text_of(const FatBinaryEntry& entry, const std::string& name) {
  std::string text = decompressed(entry, name, "PTX", ptx::kMostText);
  text.resize(std::strlen(text.c_str()));  // removes the padding of zeros
  return text;
}

std::string machine_code_of(const FatBinaryEntry& entry, const std::string& name) {
  return decompressed(entry, name, "machine code", kMostMachineCode);
}

}  // namespace heddle::capture
