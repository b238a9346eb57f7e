// The registers of kernels are read from the machine code that a program holds.

#include "stimuli/capture/format/machine_code_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "models/core/config/config.h"
#include "tests/support/fat_binaries.h"

namespace heddle::capture {
namespace {

struct Kernel {
  std::string name;
  std::uint32_t counted = 0;    // registers in .nv.info; 0: no record
  std::uint32_t in_header = 0;  // registers in sh_info
};

// Returns a cubin of kernels, as ptxas lays one out.
std::string cubin(const std::vector<Kernel>& kernels, std::uint16_t type = ET_EXEC) {
  std::string names(1, '\0');
  std::string body(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(1);
  const auto add = [&](const std::string& name, std::uint32_t kind, const std::string& content,
                       std::uint32_t link, std::uint32_t info) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    names += name + '\0';
    section.sh_type = kind;
    section.sh_offset = body.size();
    section.sh_size = content.size();
    section.sh_link = link;
    section.sh_info = info;
    body += content;
    sections.push_back(section);
  };
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
  add(".strtab", SHT_STRTAB, texts, 0, 0);
  add(".symtab", SHT_SYMTAB, symbols, 1, 0);
  add(".nv.info", 0x70000000, info, 2, 0);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    add(".text." + kernels[i].name, SHT_PROGBITS, "code", 2,
        kernels[i].in_header << 24U | static_cast<std::uint32_t>(i + 1));
  names += std::string(".shstrtab") + '\0';
  add("", SHT_STRTAB, names, 0, 0);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident,
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  header.e_type = type;
  header.e_shoff = body.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::memcpy(body.data(), &header, sizeof header);
  for (const Elf64_Shdr& section : sections)
    body.append(reinterpret_cast<const char*>(&section), sizeof section);
  return body;
}

using Counts = std::map<std::string, std::uint32_t>;

TEST(MachineCodeFile, TheRecordOfAKernelCountsBeforeItsSection) {
  EXPECT_EQ(
      registers_of_machine_code(cubin({{"first", 37, 37}, {"second", 90, 0}, {"third", 0, 21}}), "program"),
      (Counts{{"first", 37}, {"second", 90}, {"third", 21}}));
}

TEST(MachineCodeFile, ARelocatableFileHasNoCounts) {
  EXPECT_EQ(registers_of_machine_code(cubin({{"first", 6, 6}}, ET_REL), "program"), Counts{});
}

TEST(MachineCodeFile, AKernelWithoutACountIsRefused) {
  try {
    registers_of_machine_code(cubin({{"first", 0, 0}}), "program");
    ADD_FAILURE();
  } catch (const config::Error& error) {
    EXPECT_STREQ(error.what(), "program: machine code of 'first' without its register count");
  }
}

TEST(MachineCodeFile, EveryShorterOneIsRefused) {
  const std::string whole = cubin({{"first", 37, 37}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(registers_of_machine_code(std::string_view(whole).substr(0, size), "program"), config::Error)
        << size;
}

TEST(MachineCodeFile, AChangedByteIsReadOrRefused) {
  const std::string whole = cubin({{"first", 37, 37}, {"second", 0, 21}});
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ bits);
      try {
        registers_of_machine_code(changed, "program");
      } catch (const config::Error&) {
      }
    }
}

}  // namespace
}  // namespace heddle::capture
