#include "stimuli/capture/format/machine_code_file.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "stimuli/capture/format/elf_reader.h"

namespace heddle::capture {

namespace {

constexpr std::uint8_t kSized = 4;  // format of a record with bytes behind it
constexpr std::uint8_t kRegisterCount = 0x2f;
constexpr std::uint64_t kRecordBytes = 4;
constexpr std::string_view kCode = ".text.";

// Returns the counts of a section .nv.info by symbol.
std::map<std::uint32_t, std::uint32_t> register_counts(const ElfReader& elf, const Elf64_Shdr& section) {
  std::map<std::uint32_t, std::uint32_t> counts;
  const std::uint64_t end = section.sh_offset + elf.content(section).size();
  for (std::uint64_t at = section.sh_offset; at + kRecordBytes <= end;) {
    const bool sized = elf.at<std::uint8_t>(at) == kSized;
    const auto bytes = sized ? elf.at<std::uint16_t>(at + 2) : std::uint16_t{0};
    if (sized && bytes == 8 && elf.at<std::uint8_t>(at + 1) == kRegisterCount)
      counts[elf.at<std::uint32_t>(at + 4)] = elf.at<std::uint32_t>(at + 8);
    at += kRecordBytes + (bytes + 3U) / 4 * 4;
  }
  return counts;
}

}  // namespace

std::map<std::string, std::uint32_t> registers_of_machine_code(std::string_view bytes,
                                                               const std::string& name) {
  if (!ElfReader::accepts(bytes)) throw config::Error({name + ": machine code that is no 64-bit ELF file"});
  const ElfReader elf(bytes, name);
  const Elf64_Ehdr header = elf.header();
  std::map<std::string, std::uint32_t> registers;
  if (header.e_type == ET_REL || header.e_shnum == 0) return registers;
  const std::string_view names = elf.content(elf.section(header, header.e_shstrndx));
  std::map<std::string, std::uint32_t> by_symbol;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr info = elf.section(header, i);
    if (elf.text(names, info.sh_name) != ".nv.info") continue;
    const Elf64_Shdr symbols = elf.section(header, info.sh_link);
    const std::string_view texts = elf.content(elf.section(header, symbols.sh_link));
    for (const auto& [symbol, count] : register_counts(elf, info)) {
      if (symbol >= elf.content(symbols).size() / sizeof(Elf64_Sym))
        throw config::Error(
            {fmt::format("{}: a register count for symbol {}, which does not exist", name, symbol)});
      const auto entry = elf.at<Elf64_Sym>(symbols.sh_offset + symbol * sizeof(Elf64_Sym));
      by_symbol[elf.text(texts, entry.st_name)] = count;
    }
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr code = elf.section(header, i);
    const std::string section = elf.text(names, code.sh_name);
    if (section.compare(0, kCode.size(), kCode) != 0) continue;
    const std::string kernel = section.substr(kCode.size());
    const auto found = by_symbol.find(kernel);
    const std::uint32_t count = found != by_symbol.end() ? found->second : 0;
    registers[kernel] = count != 0 ? count : code.sh_info >> 24U;
    if (registers[kernel] == 0)
      throw config::Error({fmt::format("{}: the machine code of '{}' has no register count", name, kernel)});
  }
  return registers;
}

}  // namespace heddle::capture
