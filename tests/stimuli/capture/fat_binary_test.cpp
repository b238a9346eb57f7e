// PTX is extracted from the fat binaries of CUDA programs, whichever compression they use.

#include "stimuli/capture/format/fat_binary.h"

#include <gtest/gtest.h>

#include <functional>

#include "models/core/config/config.h"
#include "tests/support/capture/fat_binaries.h"

namespace heddle::capture {
namespace {

const std::string kText = ".version 6.0\n.target sm_35\n.address_size 64\n// " + std::string(500, 'x') + "\n";

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const config::Error& error) {
    return error.what();
  }
  return "no refusal";
}

class FatBinary : public testing::TestWithParam<Packing> {};

TEST_P(FatBinary, ThePtxComesOutAsItWentIn) {
  const std::string bytes = fat_binary(fat_entry(1, 35, kText, GetParam()));
  const auto entries = read_fat_binary(bytes, "program");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries[0].ptx);
  EXPECT_EQ(entries[0].architecture, 35u);
  EXPECT_EQ(text_of(entries[0], "program"), kText);
}

TEST_P(FatBinary, APaddedTextEndsWhereItEnds) {
  const std::string bytes = fat_binary(fat_entry(1, 35, kText + std::string(9, '\0'), GetParam()));
  EXPECT_EQ(text_of(read_fat_binary(bytes, "program")[0], "program"), kText);
}

TEST_P(FatBinary, EveryShorterOneIsRefused) {
  const std::string bytes = fat_binary(fat_entry(1, 35, kText, GetParam()));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read_fat_binary(std::string_view(bytes).substr(0, size), "program"), config::Error) << size;
}

INSTANTIATE_TEST_SUITE_P(Packings, FatBinary,
                         testing::Values(Packing::kPlain, Packing::kLz4, Packing::kZstd));

TEST(FatBinaryChoice, TheHighestNotAboveTheGpuIsTaken) {
  const std::string bytes =
      fat_binary(fat_entry(1, 50, kText, Packing::kPlain) + fat_entry(2, 35, "code", Packing::kPlain) +
                 fat_entry(1, 30, kText, Packing::kPlain) + fat_entry(1, 75, kText, Packing::kPlain));
  const auto entries = read_fat_binary(bytes, "program");
  EXPECT_EQ(entries.size(), 4u);
  EXPECT_EQ(choose_ptx(entries, 35, "program").architecture, 30u);
  EXPECT_EQ(choose_ptx(entries, 50, "program").architecture, 50u);
  EXPECT_EQ(choose_ptx(entries, 61, "program").architecture, 50u);
  EXPECT_EQ(choose_ptx(entries, 90, "program").architecture, 75u);
  EXPECT_EQ(choose_ptx(entries, 20, "program").architecture, 30u);
}

TEST(FatBinaryChoice, MachineCodeAloneIsRefusedWithTheFlagThatHelps) {
  const std::string bytes = fat_binary(fat_entry(2, 75, "code", Packing::kPlain));
  EXPECT_EQ(refusal([&] { choose_ptx(read_fat_binary(bytes, "program"), 75, "program"); }),
            "program: the program holds machine code for sm_75 and no PTX; compile it with -gencode "
            "arch=compute_75,code=compute_75");
  EXPECT_EQ(refusal([&] { choose_ptx({}, 75, "program"); }), "program: the fat binary is empty");
}

TEST(FatBinaryRefusals, NameWhatIsWrong) {
  std::string bytes = fat_binary(fat_entry(1, 35, kText, Packing::kZstd));
  std::string damaged = bytes;
  damaged[16 + 80] = static_cast<char>(damaged[16 + 80] ^ 0x55);  // the first byte of the frame
  EXPECT_EQ(refusal([&] { text_of(read_fat_binary(damaged, "program")[0], "program"); }),
            "program: the fat binary's PTX is damaged: zstd cannot decompress it");
  std::string large = bytes;
  put(large, 16 + 56, std::uint64_t{1} << 60U);
  EXPECT_EQ(refusal([&] { text_of(read_fat_binary(large, "program")[0], "program"); }),
            "program: 1152921504606846976 bytes of PTX; 67108864 at most");
  std::string reaching = bytes;
  put(reaching, 16 + 8, ~std::uint64_t{0});
  EXPECT_EQ(refusal([&] { read_fat_binary(reaching, "program"); }),
            "program: offset 16: an entry reaches behind the end of the fat binary");
  put(bytes, 0, std::uint32_t{0x464c457f});
  EXPECT_EQ(refusal([&] { fat_binary_bytes(bytes, "program"); }),
            "program: no fat binary: it starts with 0x464c457f, not 0xba55ed50");
}

}  // namespace
}  // namespace heddle::capture
