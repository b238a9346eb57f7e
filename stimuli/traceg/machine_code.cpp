#include "stimuli/traceg/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/core/config/config.h"
#include "stimuli/capture/format/elf_reader.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCode = ".text.";
constexpr std::uint32_t kFirstArchitecture = 70;
constexpr std::uint8_t kLaterAbi = 8;  // since which the flags have the architecture in bits 8 to 15
constexpr unsigned kControlShift = 41;

// Of the opcode: the operation, and the forms in which operations of units have an operand in constant
// memory.
constexpr std::uint32_t kOperationBits = 0x1ff;
constexpr std::uint32_t kFirstOtherOperation = 0x118;  // from NOP on: control, memory
constexpr std::uint32_t kConstantLoad = 0x0b9;         // ULDC
constexpr std::uint32_t kThirdInConstants = 3;
constexpr std::uint32_t kSecondInConstants = 5;

std::uint32_t architecture_of(const Elf64_Ehdr& header) {
  return header.e_ident[EI_ABIVERSION] >= kLaterAbi ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff;
}

std::string contents(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw config::Error({file + ": cannot be read"});
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

ControlBits SassInstruction::control(const Instruction& code) const {
  std::uint64_t left = high >> kControlShift;
  const auto take = [&left](unsigned bits) {
    const std::uint64_t value = left & ((std::uint64_t{1} << bits) - 1);
    left >>= bits;
    return static_cast<std::uint8_t>(value);
  };
  ControlBits control;
  control.is_known = true;
  control.stall = take(4) & 15U;
  control.yields = take(1) == 0;
  control.write_counter = take(3) & 7U;
  control.read_counter = take(3) & 7U;
  control.awaited = take(6) & 63U;
  const std::uint8_t reuse = take(4);
  const std::uint64_t operands[] = {low >> 24 & 0xff, low >> 32 & 0xff, high & 0xff};
  const std::vector<RegisterId>& sources = code.sources();
  for (std::size_t slot = 0; slot < std::size(operands); ++slot) {
    const auto found = std::find(sources.begin(), sources.end(), operands[slot]);
    if ((reuse >> slot & 1) == 0 || found == sources.end() || found - sources.begin() > 3) continue;
    control.reuse = (control.reuse | 1U << (found - sources.begin())) & 15U;
  }
  return control;
}

std::optional<ConstantAddress> SassInstruction::constant() const {
  const auto operation = static_cast<std::uint32_t>(low) & kOperationBits;
  const auto form = static_cast<std::uint32_t>(low) >> 9 & 7U;
  if (operation >= kFirstOtherOperation || operation == kConstantLoad) return std::nullopt;
  if (form != kThirdInConstants && form != kSecondInConstants) return std::nullopt;
  const auto bank = static_cast<std::uint32_t>(low >> 54 & 0x1f);
  const auto word = static_cast<std::uint32_t>(low >> 40 & 0x3fff);
  return bank << 16 | word * 4;
}

MachineCode::MachineCode(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code missing;  // the reader of kernelslist.g reports a missing folder
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, missing))
    if (entry.path().extension() == ".cubin") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) read(file);
}

const SassKernel* MachineCode::find(const std::string& kernel, std::uint32_t architecture) const {
  const auto found = kernels_.find({kernel, architecture});
  return found == kernels_.end() ? nullptr : &found->second;
}

void MachineCode::read(const std::string& file) {
  const std::string bytes = contents(file);
  if (!capture::ElfReader::accepts(bytes)) throw config::Error({file + ": is no cubin"});
  const capture::ElfReader elf(bytes, file);
  const Elf64_Ehdr header = elf.header();
  const std::uint32_t architecture = architecture_of(header);
  if (architecture < kFirstArchitecture || header.e_shnum == 0) return;
  const std::string_view names = elf.content(elf.section(header, header.e_shstrndx));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = elf.section(header, i);
    const std::string name = elf.text(names, section.sh_name);
    if (name.compare(0, kCode.size(), kCode) != 0) continue;
    const std::size_t end = section.sh_offset + elf.content(section).size();
    SassKernel kernel{file, {}};
    for (std::size_t at = section.sh_offset; at + kBytes <= end; at += kBytes)
      kernel.instructions.push_back({elf.at<std::uint64_t>(at), elf.at<std::uint64_t>(at + 8)});
    const auto [place, is_new] = kernels_.emplace(std::pair(name.substr(kCode.size()), architecture), kernel);
    if (!is_new)
      throw config::Error({fmt::format("{}: kernel '{}' for sm_{} is in {}, too", file, place->first.first,
                                       architecture, place->second.file)});
  }
}

}  // namespace heddle
