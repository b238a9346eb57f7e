#include "stimuli/capture/format/runtime_calls.h"

#include <algorithm>
#include <cctype>

#include "models/core/config/config.h"
#include "stimuli/capture/format/elf_reader.h"

namespace heddle::capture {

namespace {

// The runtime's functions start with "cuda", and the driver's with "cu" and a capital letter.
bool is_call(const std::string& function) {
  if (function.rfind("cu", 0) != 0 || function.size() < 3) return false;
  return function.rfind("cuda", 0) == 0 || std::isupper(static_cast<unsigned char>(function[2])) != 0;
}

// Passes the dynamic symbols of the runtime and the driver, each with its name.
template <typename Take>
void for_each_call(std::string_view file, const std::string& name, const Take& take) {
  if (!ElfReader::accepts(file)) throw config::Error({name + ": no ELF file of 64 bits"});
  const ElfReader elf(file, name);
  const Elf64_Ehdr header = elf.header();
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = elf.section(header, i);
    if (section.sh_type != SHT_DYNSYM) continue;
    const std::string_view names = elf.content(elf.section(header, section.sh_link));
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = elf.at<Elf64_Sym>(section.sh_offset + at);
      const std::string function = elf.text(names, symbol.st_name);
      if (is_call(function)) take(symbol, function);
    }
  }
}

}  // namespace

std::vector<std::string> calls_of_program(std::string_view program, const std::string& name) {
  std::vector<std::string> calls;
  for_each_call(program, name, [&](const Elf64_Sym& symbol, const std::string& function) {
    if (symbol.st_shndx == SHN_UNDEF) calls.push_back(function);
  });
  std::sort(calls.begin(), calls.end());
  return calls;
}

RuntimeCalls runtime_calls(std::string_view library, const std::string& name) {
  RuntimeCalls calls;
  for_each_call(library, name, [&](const Elf64_Sym& symbol, const std::string& function) {
    if (symbol.st_shndx == SHN_UNDEF) return;
    const bool weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
    if (function.rfind("cuda", 0) == 0)
      (weak ? calls.refused : calls.performed).push_back(function);
    else
      (weak ? calls.driver_refused : calls.driver_performed).push_back(function);
  });
  for (auto* names : {&calls.performed, &calls.refused, &calls.driver_performed, &calls.driver_refused})
    std::sort(names->begin(), names->end());
  return calls;
}

}  // namespace heddle::capture
