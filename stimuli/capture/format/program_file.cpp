#include "stimuli/capture/format/program_file.h"

#include "models/core/config/config.h"
#include "stimuli/capture/format/elf_reader.h"

namespace heddle::capture {

namespace {

void read_needed(const ElfReader& elf, const Elf64_Shdr& section, std::string_view names,
                 ProgramFile& program) {
  for (std::uint64_t i = 0; i < elf.content(section).size() / sizeof(Elf64_Dyn); ++i) {
    const auto entry = elf.at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) program.needed.push_back(elf.text(names, entry.d_un.d_val));
  }
}

}  // namespace

ProgramFile read_program_file(std::string_view bytes, const std::string& name) {
  ProgramFile program;
  if (!ElfReader::accepts(bytes)) return program;
  program.elf = true;
  const ElfReader elf(bytes, name);
  const Elf64_Ehdr header = elf.header();
  if (header.e_shnum == 0) return program;
  const std::string_view names = elf.content(elf.section(header, header.e_shstrndx));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr shown = elf.section(header, i);
    const std::string section = elf.text(names, shown.sh_name);
    program.device_code = program.device_code || is_device_code(section);
    if (shown.sh_type == SHT_DYNAMIC)
      read_needed(elf, shown, elf.content(elf.section(header, shown.sh_link)), program);
  }
  return program;
}

bool is_device_code(std::string_view section) {
  return section == ".nv_fatbin" || section == kRelocatable;
}

std::string runtime_of(const ProgramFile& program, const std::string& name) {
  constexpr std::string_view kStart = "libcudart.so.";
  for (const std::string& needed : program.needed)
    if (needed.compare(0, kStart.size(), kStart) == 0) return needed;
  if (program.device_code)
    throw config::Error({name +
                         ": the CUDA runtime is linked into the program, where no call of it can be seen; "
                         "link it with nvcc -cudart shared"});
  return "";
}

}  // namespace heddle::capture
