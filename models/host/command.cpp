#include "models/host/command.h"

#include <algorithm>

namespace heddle {

namespace {

using registers::QueueError;

constexpr std::uint32_t kMostJitter = 1000;  // permille
constexpr std::uint64_t kMostBlockCycles = std::uint64_t{1} << 48;
constexpr std::uint32_t kProductLoadBit = 49;  // of the word that begins with the residence

std::uint64_t load(const unsigned char* bytes, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

std::uint32_t load_u32(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(load(bytes, 4));
}

void store(unsigned char* bytes, int width, std::uint64_t value) {
  for (int i = 0; i < width; ++i, value >>= 8) bytes[i] = static_cast<unsigned char>(value);
}

bool all_zero(const unsigned char* from, const unsigned char* to) {
  return std::all_of(from, to, [](unsigned char byte) { return byte == 0; });
}

QueueError check(const Command& command, const unsigned char* bytes, const QueueSpec& queues,
                 std::uint32_t contexts) {
  const bool copy = is_transfer(command.kind);
  const bool event = command.kind == Command::Kind::kRecord || command.kind == Command::Kind::kWait;
  const bool launch = command.kind == Command::Kind::kLaunch;
  if (!launch && !all_zero(bytes + 56, bytes + kDescriptorBytes)) return QueueError::kOpcode;
  if (!copy && !all_zero(bytes + 24, bytes + 40)) return QueueError::kOpcode;
  if (command.context.value >= contexts) return QueueError::kContext;
  if (command.stream.value >= queues.streams) return QueueError::kStream;
  if (event && command.event >= queues.events) return QueueError::kEvent;
  if (!event && command.event != 0) return QueueError::kOpcode;
  if (copy && command.bytes == 0) return QueueError::kCopy;
  if (command.kind == Command::Kind::kFill && load_u64(bytes + 16) > 0xff) return QueueError::kCopy;
  return QueueError::kNone;
}

// Returns the field at offset 16 of a command descriptor.
std::uint64_t argument_of(const Command& command, Address kernel_address) {
  switch (command.kind) {
    case Command::Kind::kLaunch:
      return kernel_address;
    case Command::Kind::kCopyUp:
    case Command::Kind::kCopyDown:
      return command.system_address;
    case Command::Kind::kRecord:
    case Command::Kind::kWait:
      return command.event_value;
    case Command::Kind::kCopyAcross:
      return command.source_address;
    case Command::Kind::kFill:
      return command.value;
  }
  return 0;
}

}  // namespace

std::uint64_t load_u64(const unsigned char* bytes) {
  return load(bytes, 8);
}
void store_u64(unsigned char* bytes, std::uint64_t value) {
  store(bytes, 8, value);
}

Descriptor encode_command(const Command& command, Address kernel_address) {
  Descriptor bytes{};
  store(&bytes[0], 4, static_cast<std::uint64_t>(command.kind) + 1);
  store(&bytes[4], 4, command.context.value);
  store(&bytes[8], 4, command.stream.value);
  store(&bytes[12], 4, command.event);
  store(&bytes[16], 8, argument_of(command, kernel_address));
  store(&bytes[24], 8, command.device_address);
  store(&bytes[32], 8, command.bytes);
  store(&bytes[40], 8, command.fence_address);
  store(&bytes[48], 8, command.fence_value);
  if (command.kind == Command::Kind::kLaunch) {
    store(&bytes[56], 4, static_cast<std::uint32_t>(command.launch.priority));
    store(&bytes[60], 4, command.launch.sm_set);
  }
  return bytes;
}

Descriptor encode_kernel(const KernelLaunch& launch) {
  Descriptor bytes{};
  store(&bytes[0], 8, launch.blocks);
  store(&bytes[8], 4, launch.shape.threads);
  store(&bytes[12], 2, launch.shape.registers_per_thread);
  store(&bytes[14], 1, (launch.shape.cluster - 1) * 16 + (launch.restartable ? 1 : 0));
  store(&bytes[15], 1, static_cast<std::uint64_t>(launch.shape.carve_out - BlockShape::kAnyCarveOut));
  store(&bytes[16], 4, launch.shape.shared_bytes);
  store(&bytes[20], 4, launch.tag);
  store(&bytes[24], 8, launch.block_cycles | std::uint64_t{launch.product_load} << kProductLoadBit);
  store(&bytes[32], 2, launch.jitter_permille);
  store(&bytes[34], 2, launch.port_load);
  if (launch.cut != 0) store(&bytes[36], 4, launch.cut * 2 + (launch.is_last ? 1 : 0));
  store(&bytes[40], 8, launch.seed);
  if (launch.block_cycles == 0) {
    store(&bytes[48], 8, launch.arguments);
  } else {
    store(&bytes[48], 4, launch.dram_sectors);
    store(&bytes[52], 4, launch.l2_sectors);
  }
  store(&bytes[56], 8, launch.first_block);
  return bytes;
}

DecodedCommand decode_command(const unsigned char* bytes, const QueueSpec& queues, std::uint32_t contexts) {
  DecodedCommand decoded;
  const std::uint32_t opcode = load_u32(bytes);
  if (opcode < 1 || opcode > static_cast<std::uint32_t>(Command::Kind::kFill) + 1) {
    decoded.error = QueueError::kOpcode;
    return decoded;
  }
  Command& command = decoded.command;
  command.kind = static_cast<Command::Kind>(opcode - 1);
  command.context = ContextId{load_u32(bytes + 4)};
  command.stream = StreamId{load_u32(bytes + 8)};
  command.event = load_u32(bytes + 12);
  const std::uint64_t argument = load_u64(bytes + 16);
  command.system_address = decoded.kernel_address = command.event_value = command.source_address = argument;
  command.value = static_cast<std::uint8_t>(argument);
  command.device_address = load_u64(bytes + 24);
  command.bytes = load_u64(bytes + 32);
  command.fence_address = load_u64(bytes + 40);
  command.fence_value = load_u64(bytes + 48);
  command.launch.priority = static_cast<std::int32_t>(load_u32(bytes + 56));
  command.launch.sm_set = load_u32(bytes + 60);
  decoded.error = check(command, bytes, queues, contexts);
  return decoded;
}

DecodedKernel decode_kernel(const unsigned char* bytes, const SmLimits& limits, bool timed) {
  DecodedKernel decoded;
  KernelLaunch& launch = decoded.launch;
  launch.blocks = load_u64(bytes);
  const std::int32_t carve_out = BlockShape::kAnyCarveOut + bytes[15];
  const std::uint32_t cluster = bytes[14] / 16U + 1;
  launch.shape = {load_u32(bytes + 8), load_u32(bytes + 12) & 0xffffU, load_u32(bytes + 16), carve_out,
                  cluster};
  launch.restartable = bytes[14] % 16 == 1;
  launch.tag = load_u32(bytes + 20);
  const std::uint64_t residence = load_u64(bytes + 24);
  launch.block_cycles = residence & ((std::uint64_t{1} << kProductLoadBit) - 1);
  launch.product_load = static_cast<std::uint16_t>(residence >> kProductLoadBit);
  launch.jitter_permille = load_u32(bytes + 32) & 0xffffU;
  launch.port_load = static_cast<std::uint16_t>(load_u32(bytes + 32) >> 16U);
  launch.seed = load_u64(bytes + 40);
  if (launch.block_cycles == 0) {
    launch.arguments = load_u64(bytes + 48);
  } else {
    launch.dram_sectors = load_u32(bytes + 48);
    launch.l2_sectors = load_u32(bytes + 52);
  }
  launch.first_block = load_u64(bytes + 56);
  const std::uint32_t piece = load_u32(bytes + 36);
  launch.cut = piece / 2;
  launch.is_last = launch.cut == 0 || piece % 2 != 0;
  const bool is_grid = launch.first_block == 0 && piece == 0;
  const bool is_piece = launch.cut != 0 && launch.first_block + launch.blocks >= launch.first_block;
  if ((!is_grid && !is_piece) || bytes[14] % 16 > 1 || carve_out > 100 || launch.blocks == 0 ||
      (launch.block_cycles == 0 && (timed || launch.product_load != 0)) ||
      launch.block_cycles > kMostBlockCycles || launch.jitter_permille > kMostJitter ||
      !can_reside(launch.shape, limits) || launch.blocks % cluster != 0 || launch.first_block % cluster != 0)
    decoded.error = QueueError::kKernel;
  return decoded;
}

}  // namespace heddle
