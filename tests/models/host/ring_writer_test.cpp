// What the rings of the hardware queues hold, and in which order it is written.

#include "models/host/ring_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace heddle {
namespace {

using namespace registers;

// System memory in bytes, and the accesses in their order.
struct NotingBus : HostBus {
  void read(Address address, void* to, std::uint64_t bytes) override {
    for (std::uint64_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = memory[address + i];
  }
  void write(Address address, const void* from, std::uint64_t bytes) override {
    for (std::uint64_t i = 0; i < bytes; ++i)
      memory[address + i] = static_cast<const unsigned char*>(from)[i];
    written.push_back(address);
  }
  void write_register(Address address, std::uint64_t value) override {
    registers[address] = value;
    written.push_back(address);
  }

  std::map<Address, unsigned char> memory;
  std::map<Address, std::uint64_t> registers;
  std::vector<Address> written;
};

struct Rig {
  QueueSpec queues{2, 4, 16, 16};
  std::vector<DeviceMemory> none;  // no context
  HostDriver driver{queues, 1000, none};
  NotingBus bus;
  RingWriter writer{driver, bus};

  DecodedCommand entry(std::uint64_t number) {
    Descriptor bytes;
    bus.read(driver.ring(1) + number * kDescriptorBytes, bytes.data(), bytes.size());
    return decode_command(bytes.data(), queues, 16);
  }
};

TEST(RingWriter, ProgramsARingOnce) {
  Rig rig;
  rig.writer.program(1);
  EXPECT_EQ(rig.bus.registers[queue(1, kBase)], rig.driver.ring(1));
  EXPECT_EQ(rig.bus.registers[queue(1, kEntries)], 4u);
  EXPECT_EQ(rig.bus.registers[queue(1, kWriteback)], rig.driver.head_word(1));
  rig.bus.written.clear();
  rig.writer.program(1);
  RingWriter(rig.driver, rig.bus).program(1);  // another process
  EXPECT_TRUE(rig.bus.written.empty());
  rig.writer.program(0);
  EXPECT_EQ(rig.bus.written.size(), 3u);
}

TEST(RingWriter, WritesDescriptorsBeforeTheDoorbell) {
  Rig rig;
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.context = ContextId{3};
  command.stream = StreamId{2};
  command.fence_value = 77;
  command.fence_address = 0x4000;
  command.launch.blocks = 9;
  command.launch.shape.threads = 32;
  command.launch.block_cycles = 100;
  rig.writer.write(1, command);
  EXPECT_THAT(rig.bus.written,
              testing::ElementsAre(rig.driver.kernel_slot(1, 0), rig.driver.ring(1), queue(1, kTail)));
  EXPECT_EQ(rig.bus.registers[queue(1, kTail)], 1u);
  const DecodedCommand decoded = rig.entry(0);
  EXPECT_EQ(decoded.error, QueueError::kNone);
  EXPECT_EQ(decoded.command.context.value, 3u);
  EXPECT_EQ(decoded.command.fence_value, 77u);
  EXPECT_EQ(decoded.kernel_address, rig.driver.kernel_slot(1, 0));
  Descriptor kernel;
  rig.bus.read(decoded.kernel_address, kernel.data(), kernel.size());
  EXPECT_EQ(decode_kernel(kernel.data(), SmLimits{}).launch.blocks, 9u);
}

TEST(RingWriter, EntriesWrap) {
  Rig rig;
  Command command;
  command.kind = Command::Kind::kRecord;
  for (std::uint32_t i = 0; i < 5; ++i) {
    command.event = i;
    rig.writer.write(1, command);
  }
  EXPECT_EQ(rig.bus.registers[queue(1, kTail)], 5u);
  EXPECT_EQ(rig.entry(0).command.event, 4u);
  EXPECT_EQ(rig.entry(1).command.event, 1u);
}

TEST(RingWriter, ARingHasRoomForItsEntries) {
  Rig rig;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(rig.writer.has_room(1)) << i;
    rig.writer.write(1, Command{});
  }
  EXPECT_FALSE(rig.writer.has_room(1));
  rig.bus.store(rig.driver.head_word(1), 1);
  EXPECT_EQ(rig.writer.head(1), 1u);
  EXPECT_TRUE(rig.writer.has_room(1));
}

TEST(RingWriter, AHaltedQueueIsAnError) {
  Rig rig;
  rig.bus.store(rig.driver.head_word(1), kHalted);
  EXPECT_THAT([&] { rig.writer.head(1); },
              testing::ThrowsMessage<std::runtime_error>("the GPU halted queue 1"));
  EXPECT_THROW(static_cast<void>(rig.writer.has_room(1)), std::runtime_error);
  EXPECT_TRUE(rig.writer.has_room(0));
}

}  // namespace
}  // namespace heddle
