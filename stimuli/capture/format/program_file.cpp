#include "stimuli/capture/format/program_file.h"

#include <elf.h>

#include <cstring>

#include "models/core/config/config.h"

namespace heddle::capture {

namespace {

class ElfReader {
 public:
  ElfReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ProgramFile read() {
    ProgramFile program;
    program.elf = true;
    const auto header = at<Elf64_Ehdr>(0);
    if (header.e_shnum == 0) return program;
    const std::string_view names = content(section(header, header.e_shstrndx));
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const Elf64_Shdr shown = section(header, i);
      const std::string name = text(names, shown.sh_name);
      program.device_code = program.device_code || name == ".nv_fatbin" || name == "__nv_relfatbin";
      if (shown.sh_type == SHT_DYNAMIC) read_needed(shown, content(section(header, shown.sh_link)), program);
    }
    return program;
  }

 private:
  [[noreturn]] void fail() const { throw config::Error({name_ + ": a damaged ELF file"}); }

  template <typename T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) fail();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  Elf64_Shdr section(const Elf64_Ehdr& header, unsigned index) const {
    if (index >= header.e_shnum) fail();
    return at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) fail();
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  std::string text(std::string_view table, std::uint64_t offset) const {
    if (offset >= table.size()) fail();
    const std::string_view rest = table.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  void read_needed(const Elf64_Shdr& section, std::string_view names, ProgramFile& program) const {
    for (std::uint64_t i = 0; i < content(section).size() / sizeof(Elf64_Dyn); ++i) {
      const auto entry = at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) program.needed.push_back(text(names, entry.d_un.d_val));
    }
  }

  const std::string_view bytes_;
  const std::string& name_;
};

}  // namespace

ProgramFile read_program_file(std::string_view bytes, const std::string& name) {
  constexpr char kIdentity[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
  if (bytes.substr(0, sizeof kIdentity) != std::string_view(kIdentity, sizeof kIdentity)) return {};
  return ElfReader(bytes, name).read();
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
