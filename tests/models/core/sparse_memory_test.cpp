#include "models/core/memory/sparse_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes read(const SparseMemory& memory, Address address, std::size_t bytes) {
  Bytes data(bytes, 0xee);
  memory.read(address, data.data(), bytes);
  return data;
}

TEST(SparseMemory, ReadsZeroWhereNothingWasWritten) {
  const SparseMemory memory;
  EXPECT_EQ(read(memory, 0x123456789abc, 5000), Bytes(5000, 0));
  EXPECT_EQ(memory.pages(), 0u);
}

TEST(SparseMemory, AcrossPages) {
  SparseMemory memory;
  Bytes data(10'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<unsigned char>(i * 7 + 1);
  memory.write(4000, data.data(), data.size());
  EXPECT_EQ(memory.pages(), 4u);  // 4000 .. 13999
  EXPECT_EQ(read(memory, 4000, data.size()), data);
  EXPECT_EQ(read(memory, 3999, 1), Bytes{0});
  EXPECT_EQ(read(memory, 14'000, 1), Bytes{0});
}

TEST(SparseMemory, ZerosCostNothingAndStillErase) {
  SparseMemory memory;
  const Bytes zeros(3 * 4096, 0);
  memory.write(0, zeros.data(), zeros.size());
  EXPECT_EQ(memory.pages(), 0u);
  const unsigned char one = 1;
  memory.write(4096, &one, 1);
  memory.write(0, zeros.data(), zeros.size());
  EXPECT_EQ(memory.pages(), 1u);
  EXPECT_EQ(read(memory, 4096, 1), Bytes{0});
}

TEST(SparseMemory, TheLastBytesOfTheAddressSpace) {
  SparseMemory memory;
  const Bytes data{1, 2, 3, 4};
  memory.write(~Address{0} - 3, data.data(), data.size());
  EXPECT_EQ(read(memory, ~Address{0} - 3, 4), data);
}

TEST(SparseMemory, AgreesWithAMapOfBytes) {
  Random random(5);
  SparseMemory memory;
  std::map<Address, unsigned char> model;
  for (int step = 0; step < 400; ++step) {
    const Address address = random.below(5 * 4096);
    Bytes data(random.below(6000));
    const bool zeros = random.below(3) == 0;
    for (unsigned char& byte : data) byte = zeros ? 0 : static_cast<unsigned char>(random.next());
    memory.write(address, data.data(), data.size());
    for (std::size_t i = 0; i < data.size(); ++i) model[address + i] = data[i];
  }
  const Bytes all = read(memory, 0, 7 * 4096);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto known = model.find(i);
    ASSERT_EQ(all[i], known == model.end() ? 0 : known->second) << i;
  }
}

}  // namespace
}  // namespace heddle
