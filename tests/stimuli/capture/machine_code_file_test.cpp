// The registers of kernels are read from the machine code that a program holds.

#include "stimuli/capture/format/machine_code_file.h"

#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "tests/support/capture/elf_files.h"

namespace heddle::capture {
namespace {

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
    EXPECT_STREQ(error.what(), "program: the machine code of 'first' has no register count");
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
