#include "stimuli/capture/format/elf_reader.h"

#include "models/core/config/config.h"

namespace heddle::capture {

bool ElfReader::accepts(std::string_view bytes) {
  constexpr char kIdentity[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
  return bytes.substr(0, sizeof kIdentity) == std::string_view(kIdentity, sizeof kIdentity);
}

Elf64_Shdr ElfReader::section(const Elf64_Ehdr& header, unsigned index) const {
  if (index >= header.e_shnum) fail();
  return at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
}

std::string_view ElfReader::content(const Elf64_Shdr& section) const {
  if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) fail();
  return bytes_.substr(section.sh_offset, section.sh_size);
}

std::string ElfReader::text(std::string_view table, std::uint64_t offset) const {
  if (offset >= table.size()) fail();
  const std::string_view rest = table.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void ElfReader::fail() const {
  throw config::Error({name_ + ": a damaged ELF file"});
}

}  // namespace heddle::capture
