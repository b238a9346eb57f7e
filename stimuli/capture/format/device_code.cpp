#include "stimuli/capture/format/device_code.h"

#include "stimuli/capture/format/elf_reader.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/format/program_file.h"

namespace heddle::capture {

namespace {

constexpr std::size_t kAlignment = 8;  // of a container in its section

// Containers follow each other, with zeros between them.
void add_containers(std::string_view section, const std::string& name,
                    std::vector<std::string_view>& containers) {
  while (true) {
    const std::size_t start = section.find_first_not_of('\0');
    if (start == std::string_view::npos) return;
    section.remove_prefix(start / kAlignment * kAlignment);
    const std::uint64_t bytes = fat_binary_bytes(section, name);
    containers.push_back(section.substr(0, bytes));  // read_fat_binary() refuses one that is cut off
    section.remove_prefix(containers.back().size());
  }
}

}  // namespace

DeviceCode device_code_of(std::string_view program, const std::string& name) {
  DeviceCode code;
  if (!ElfReader::accepts(program)) return code;
  const ElfReader elf(program, name);
  const Elf64_Ehdr header = elf.header();
  if (header.e_shnum == 0) return code;
  const std::string_view names = elf.content(elf.section(header, header.e_shstrndx));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = elf.section(header, i);
    const std::string kind = elf.text(names, section.sh_name);
    if (section.sh_type != SHT_NOBITS && is_device_code(kind))
      add_containers(elf.content(section), name, kind == kRelocatable ? code.parts : code.containers);
  }
  return code;
}

}  // namespace heddle::capture
