#include "models/host/command.h"

#include <gtest/gtest.h>

#include "tests/support/k20.h"

namespace heddle {
namespace {

using registers::QueueError;

constexpr std::uint32_t kContexts = 4;
const QueueSpec kQueues{2, 16, 8, 5};

Command command(Command::Kind kind) {
  Command made;
  made.kind = kind;
  made.context = ContextId{3};
  made.stream = StreamId{7};
  made.fence_address = 0x1122334455667788;
  made.fence_value = 0x99aabbccddeeff01;
  if (kind == Command::Kind::kCopyUp || kind == Command::Kind::kCopyDown)
    made.system_address = 0x0102030405060708;
  if (kind == Command::Kind::kCopyAcross) made.source_address = 0x5152535455565758;
  if (kind == Command::Kind::kFill) made.value = 0xa5;
  if (is_transfer(kind)) {
    made.device_address = 0x1112131415161718;
    made.bytes = 0x2122232425262728;
  }
  if (kind == Command::Kind::kRecord || kind == Command::Kind::kWait) {
    made.event = 4;
    made.event_value = 0x3132333435363738;
  }
  return made;
}

KernelLaunch kernel() {
  KernelLaunch launch;
  launch.blocks = 0x100000001;
  launch.shape = {256, 32, 4096, 100};
  launch.tag = 0xdeadbeef;
  launch.block_cycles = 0x123456789a;
  launch.jitter_permille = 1000;
  launch.seed = 0xfedcba9876543210;
  launch.restartable = true;
  launch.dram_sectors = 0xfedcba98;
  launch.l2_sectors = 0x89abcdef;
  launch.port_load = 0xabcd;
  launch.product_load = 0x5bcd;
  return launch;
}

QueueError error_of(const Descriptor& bytes) {
  return decode_command(bytes.data(), kQueues, kContexts).error;
}
QueueError error_of(const KernelLaunch& launch) {
  return decode_kernel(encode_kernel(launch).data(), test::k20_limits()).error;
}

constexpr Command::Kind kKinds[] = {
    Command::Kind::kLaunch, Command::Kind::kCopyUp,     Command::Kind::kCopyDown, Command::Kind::kRecord,
    Command::Kind::kWait,   Command::Kind::kCopyAcross, Command::Kind::kFill};

std::uint64_t argument_of(const Command& command, Address kernel_address) {
  switch (command.kind) {
    case Command::Kind::kLaunch:
      return kernel_address;
    case Command::Kind::kCopyAcross:
      return command.source_address;
    case Command::Kind::kFill:
      return command.value;
    default:
      return command.bytes != 0 ? command.system_address : command.event_value;
  }
}

TEST(Command, EveryKindComesBackAsItWas) {
  for (const Command::Kind kind : kKinds) {
    const Command sent = command(kind);
    const Descriptor bytes = encode_command(sent, 0x4142434445464748);
    const DecodedCommand decoded = decode_command(bytes.data(), kQueues, kContexts);
    ASSERT_EQ(decoded.error, QueueError::kNone);
    EXPECT_EQ(decoded.command.kind, kind);
    EXPECT_EQ(decoded.command.context, sent.context);
    EXPECT_EQ(decoded.command.stream, sent.stream);
    EXPECT_EQ(decoded.command.event, sent.event);
    EXPECT_EQ(decoded.command.fence_address, sent.fence_address);
    EXPECT_EQ(decoded.command.fence_value, sent.fence_value);
    EXPECT_EQ(decoded.command.bytes, sent.bytes);
    EXPECT_EQ(decoded.command.device_address, sent.device_address);
    EXPECT_EQ(argument_of(decoded.command, decoded.kernel_address), argument_of(sent, 0x4142434445464748));
  }
}

TEST(Command, LiesInMemoryAsTheHeaderSays) {
  const Descriptor bytes = encode_command(command(Command::Kind::kCopyDown), 0);
  EXPECT_EQ(bytes[0], 3);  // kind + 1, little-endian
  EXPECT_EQ(bytes[1], 0);
  EXPECT_EQ(bytes[4], 3);
  EXPECT_EQ(bytes[8], 7);
  EXPECT_EQ(load_u64(&bytes[16]), 0x0102030405060708u);
  EXPECT_EQ(bytes[16], 0x08);
  EXPECT_EQ(load_u64(&bytes[24]), 0x1112131415161718u);
  EXPECT_EQ(load_u64(&bytes[32]), 0x2122232425262728u);
  EXPECT_EQ(load_u64(&bytes[40]), 0x1122334455667788u);
  EXPECT_EQ(load_u64(&bytes[48]), 0x99aabbccddeeff01u);
  EXPECT_EQ(load_u64(&bytes[56]), 0u);
}

TEST(Command, AKernelOfACycleSmHasArgumentsInPlaceOfBytes) {
  KernelLaunch sent = kernel();
  sent.block_cycles = 0;
  EXPECT_EQ(decode_kernel(encode_kernel(sent).data(), test::k20_limits(), false).error, QueueError::kKernel);
  sent.product_load = 0;  // that of a residence
  sent.arguments = 0x0123456789abcdef;
  const DecodedKernel decoded = decode_kernel(encode_kernel(sent).data(), test::k20_limits(), false);
  ASSERT_EQ(decoded.error, QueueError::kNone);
  EXPECT_EQ(decoded.launch.arguments, sent.arguments);
  EXPECT_EQ(decoded.launch.dram_sectors, 0u);
  EXPECT_EQ(decoded.launch.l2_sectors, 0u);
}

TEST(Command, APieceOfALaunchComesBackAsItWas) {
  KernelLaunch sent = kernel();
  sent.first_block = 0x200000003;
  sent.cut = 0x7fffffff;
  for (const bool is_last : {false, true}) {
    sent.is_last = is_last;
    const Descriptor bytes = encode_kernel(sent);
    EXPECT_EQ(load_u64(&bytes[56]), 0x200000003U);
    EXPECT_EQ(bytes[36], is_last ? 0xff : 0xfe);
    const DecodedKernel decoded = decode_kernel(bytes.data(), test::k20_limits());
    ASSERT_EQ(decoded.error, QueueError::kNone);
    EXPECT_EQ(decoded.launch.first_block, sent.first_block);
    EXPECT_EQ(decoded.launch.cut, sent.cut);
    EXPECT_EQ(decoded.launch.is_last, is_last);
    EXPECT_EQ(decoded.launch.blocks, sent.blocks);
  }
}

TEST(Command, AFirstBlockNeedsTheNumberOfACutLaunch) {
  KernelLaunch whole = kernel();
  EXPECT_EQ(error_of(whole), QueueError::kNone);
  EXPECT_EQ(encode_kernel(whole)[36], 0);
  Descriptor odd = encode_kernel(whole);
  odd[36] = 1;  // the last piece of no launch
  EXPECT_EQ(decode_kernel(odd.data(), test::k20_limits()).error, QueueError::kKernel);
  whole.first_block = 1;
  EXPECT_EQ(error_of(whole), QueueError::kKernel);
  whole.cut = 1;
  EXPECT_EQ(error_of(whole), QueueError::kNone);
  whole.first_block = ~std::uint64_t{0};  // the piece reaches beyond the largest grid
  EXPECT_EQ(error_of(whole), QueueError::kKernel);
}

TEST(Command, ALaunchHasAPriorityOfEitherSign) {
  for (const std::int32_t priority : {0, 5, -5, -1000000}) {
    Command sent = command(Command::Kind::kLaunch);
    sent.launch.priority = priority;
    const Descriptor bytes = encode_command(sent, 0x40);
    ASSERT_EQ(error_of(bytes), QueueError::kNone);
    EXPECT_EQ(decode_command(bytes.data(), kQueues, kContexts).command.launch.priority, priority);
  }
}

TEST(Command, KernelDescriptorComesBackAsItWas) {
  const KernelLaunch sent = kernel();
  const DecodedKernel decoded = decode_kernel(encode_kernel(sent).data(), test::k20_limits());
  ASSERT_EQ(decoded.error, QueueError::kNone);
  EXPECT_EQ(decoded.launch.blocks, sent.blocks);
  EXPECT_EQ(decoded.launch.shape.threads, sent.shape.threads);
  EXPECT_EQ(decoded.launch.shape.registers_per_thread, sent.shape.registers_per_thread);
  EXPECT_EQ(decoded.launch.shape.shared_bytes, sent.shape.shared_bytes);
  EXPECT_EQ(decoded.launch.shape.carve_out, sent.shape.carve_out);
  EXPECT_EQ(decoded.launch.tag, sent.tag);
  EXPECT_EQ(decoded.launch.block_cycles, sent.block_cycles);
  EXPECT_EQ(decoded.launch.jitter_permille, sent.jitter_permille);
  EXPECT_EQ(decoded.launch.seed, sent.seed);
  EXPECT_EQ(decoded.launch.restartable, sent.restartable);
  EXPECT_EQ(decoded.launch.arguments, 0u);
  EXPECT_EQ(decoded.launch.dram_sectors, sent.dram_sectors);
  EXPECT_EQ(decoded.launch.l2_sectors, sent.l2_sectors);
  EXPECT_EQ(decoded.launch.port_load, sent.port_load);
  EXPECT_EQ(decoded.launch.product_load, sent.product_load);
  EXPECT_EQ(load_u64(&encode_kernel(sent)[48]), 0x89abcdeffedcba98u);
}

TEST(Command, UnknownOpcodes) {
  for (const unsigned opcode : {0u, 8u, 0x7fu, 0xffu}) {
    Descriptor bytes = encode_command(command(Command::Kind::kLaunch), 0);
    bytes[0] = static_cast<unsigned char>(opcode);
    EXPECT_EQ(error_of(bytes), QueueError::kOpcode) << opcode;
  }
  Descriptor bytes = encode_command(command(Command::Kind::kLaunch), 0);
  bytes[3] = 1;  // the opcode is four bytes wide
  EXPECT_EQ(error_of(bytes), QueueError::kOpcode);
}

TEST(Command, ContextStreamAndEventOutOfRange) {
  for (const Command::Kind kind : kKinds) {
    Command bad = command(kind);
    bad.context = ContextId{kContexts};
    EXPECT_EQ(error_of(encode_command(bad, 0)), QueueError::kContext);
    bad = command(kind);
    bad.stream = StreamId{kQueues.streams};
    EXPECT_EQ(error_of(encode_command(bad, 0)), QueueError::kStream);
  }
  for (const Command::Kind kind : {Command::Kind::kRecord, Command::Kind::kWait}) {
    Command bad = command(kind);
    bad.event = kQueues.events;
    EXPECT_EQ(error_of(encode_command(bad, 0)), QueueError::kEvent);
  }
}

TEST(Command, CopiesOfNothing) {
  for (const Command::Kind kind : kKinds) {
    if (!is_transfer(kind)) continue;
    Command bad = command(kind);
    bad.bytes = 0;
    EXPECT_EQ(error_of(encode_command(bad, 0)), QueueError::kCopy);
  }
}

TEST(Command, AFillWithMoreThanAByte) {
  Descriptor bytes = encode_command(command(Command::Kind::kFill), 0);
  bytes[16] = 0xff;
  EXPECT_EQ(error_of(bytes), QueueError::kNone);
  for (const std::size_t byte : {17u, 23u}) {
    Descriptor bad = bytes;
    bad[byte] = 1;
    EXPECT_EQ(error_of(bad), QueueError::kCopy) << byte;
  }
}

// All bits that are unused by a kind of command must be zero.
TEST(Command, ReservedBits) {
  for (const Command::Kind kind : kKinds) {
    const bool copy = is_transfer(kind);
    const bool event = kind == Command::Kind::kRecord || kind == Command::Kind::kWait;
    for (std::size_t byte = 0; byte < kDescriptorBytes; ++byte) {
      const bool reserved = byte >= (kind == Command::Kind::kLaunch ? 64 : 56) ||
                            (!copy && byte >= 24 && byte < 40) || (!event && byte >= 12 && byte < 16);
      if (!reserved) continue;
      for (int bit = 0; bit < 8; ++bit) {
        Descriptor bytes = encode_command(command(kind), 0);
        bytes[byte] = static_cast<unsigned char>(bytes[byte] ^ 1u << bit);
        EXPECT_EQ(error_of(bytes), QueueError::kOpcode)
            << "kind " << static_cast<int>(kind) << " byte " << byte;
      }
    }
  }
}

TEST(Command, KernelsThatCannotRun) {
  EXPECT_EQ(error_of(kernel()), QueueError::kNone);
  const auto changed = [](auto change) {
    KernelLaunch launch = kernel();
    change(launch);
    return error_of(launch);
  };
  EXPECT_EQ(changed([](KernelLaunch& k) { k.blocks = 0; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.block_cycles = 0; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.block_cycles = std::uint64_t{1} << 48; }), QueueError::kNone);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.block_cycles = (std::uint64_t{1} << 48) + 1; }),
            QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.block_cycles = ~std::uint64_t{0}; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.jitter_permille = 1001; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.threads = 0; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.threads = 1025; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.registers_per_thread = 256; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.shared_bytes = 49153; }), QueueError::kKernel);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.carve_out = BlockShape::kAnyCarveOut; }),
            QueueError::kNone);
  EXPECT_EQ(changed([](KernelLaunch& k) { k.shape.carve_out = 101; }), QueueError::kKernel);
  for (const std::size_t byte : {14u, 15u, 56u, 63u}) {
    Descriptor bytes = encode_kernel(kernel());
    bytes[byte] = 0x80;
    EXPECT_EQ(decode_kernel(bytes.data(), test::k20_limits()).error, QueueError::kKernel) << byte;
  }
}

}  // namespace
}  // namespace heddle
