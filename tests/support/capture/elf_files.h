#pragma once
// ELF files: the machine code of kernels as ptxas lays it out, and programs that hold device code.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace heddle {

class ElfFile {
 public:
  // Adds a section and returns its number. The first one has number 1.
  std::uint32_t add(const std::string& name, std::uint32_t kind, const std::string& content,
                    std::uint32_t link = 0, std::uint32_t info = 0) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    names_ += name + '\0';
    section.sh_type = kind;
    section.sh_offset = body_.size();
    section.sh_size = content.size();
    section.sh_link = link;
    section.sh_info = info;
    body_ += content;
    sections_.push_back(section);
    return static_cast<std::uint32_t>(sections_.size() - 1);
  }

  // Returns the file of all sections, after which the object is of no use.
  std::string bytes(std::uint16_t type) {
    names_ += std::string(".shstrtab") + '\0';
    add("", SHT_STRTAB, names_);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident,
                "\x7f"
                "ELF\x02\x01\x01",
                7);
    header.e_type = type;
    header.e_shoff = body_.size();
    header.e_shnum = static_cast<Elf64_Half>(sections_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
    std::memcpy(body_.data(), &header, sizeof header);
    for (const Elf64_Shdr& section : sections_)
      body_.append(reinterpret_cast<const char*>(&section), sizeof section);
    return body_;
  }

 private:
  std::string names_ = std::string(1, '\0');
  std::string body_ = std::string(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections_ = std::vector<Elf64_Shdr>(1);
};

struct MachineKernel {
  std::string name;
  std::uint32_t counted = 0;    // registers in .nv.info; 0: no record
  std::uint32_t in_header = 0;  // registers in sh_info
};

// Returns a cubin of kernels.
inline std::string cubin(const std::vector<MachineKernel>& kernels, std::uint16_t type = ET_EXEC) {
  std::string texts(1, '\0');
  std::string symbols(sizeof(Elf64_Sym), '\0');
  std::string info{"\x01\x55\x00\x00", 4};  // a record without bytes behind it
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(texts.size());
    texts += kernels[i].name + '\0';
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    const std::uint32_t words[] = {0x00080000U | 0x2f04U, static_cast<std::uint32_t>(i + 1),
                                   kernels[i].counted};
    const std::uint32_t frame[] = {0x00080000U | 0x1104U, static_cast<std::uint32_t>(i + 1), 96};
    info.append(reinterpret_cast<const char*>(frame), sizeof frame);
    if (kernels[i].counted != 0) info.append(reinterpret_cast<const char*>(words), sizeof words);
  }
  ElfFile file;
  file.add(".strtab", SHT_STRTAB, texts);
  file.add(".symtab", SHT_SYMTAB, symbols, 1);
  file.add(".nv.info", 0x70000000, info, 2);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    file.add(".text." + kernels[i].name, SHT_PROGBITS, "code", 2,
             kernels[i].in_header << 24U | static_cast<std::uint32_t>(i + 1));
  return file.bytes(type);
}

// Returns a program that needs these libraries and functions and holds these containers of device code, in
// `section`.
inline std::string program_file(const std::vector<std::string>& libraries,
                                const std::vector<std::string>& functions,
                                const std::vector<std::string>& containers,
                                const std::string& section = ".nv_fatbin") {
  std::string texts(1, '\0');
  std::string symbols(sizeof(Elf64_Sym), '\0');
  std::string needed;
  for (const std::string& function : functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(texts.size());
    texts += function + '\0';
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  for (const std::string& library : libraries) {
    Elf64_Dyn entry{};
    entry.d_tag = DT_NEEDED;
    entry.d_un.d_val = texts.size();
    texts += library + '\0';
    needed.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  std::string code;
  for (const std::string& container : containers) {
    code += container;
    code.append((8 - code.size() % 8) % 8, '\0');
  }
  ElfFile file;
  file.add(".dynstr", SHT_STRTAB, texts);
  file.add(".dynsym", SHT_DYNSYM, symbols, 1);
  file.add(".dynamic", SHT_DYNAMIC, needed, 1);
  file.add(section, SHT_PROGBITS, code);
  return file.bytes(ET_DYN);
}

}  // namespace heddle
