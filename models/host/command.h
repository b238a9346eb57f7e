#pragma once
// This file has the layout of command and kernel descriptors in system memory. They are little-endian. Fields
// without a name are reserved and must be zero.
//
//   command descriptor, 64 bytes             kernel descriptor, 64 bytes
//    0  u32 opcode (Command::Kind + 1)        0  u64 blocks in the grid, or in the piece of it
//    4  u32 context                           8  u32 threads per block
//    8  u32 stream                           12  u16 registers per thread
//   12  u32 event         record, wait       14  u8  16 times the blocks of a cluster less one, 0 .. 15,
//                                                    and 1 more if its blocks may start over
//                                            15  u8  0: it has no preferred carve-out; else 1 more than its
//                                                    percentage, 0 .. 100
//                                            16  u32 shared memory per block, bytes
//   16  u64 launch: kernel descriptor        20  u32 tag, the driver's own number
//           copy up, down: system address    24  u64 timed SM: residence of a block, core cycles, 1 .. 2^48,
//           copy across: device address              and from bit 49 on KernelLaunch::product_load; else 0
//           that is read                     32  u16 timed SM: half width of its spread, permille
//           fill: the byte, 0 .. 255         34  u16 timed SM: KernelLaunch::port_load
//                                            36  u32 0: the whole grid; else a piece of it: twice the number
//           record, wait: event value                of the launch, 1 .. 2^31 - 1, and 1 more if it is last
//   24  u64 copy, fill: device address       40  u64 timed SM: seed of the spread
//   32  u64 copy, fill: bytes, 1 or more     48  u64 cycle SM: arguments, as the driver and the kernel's code
//   40  u64 fence address, 0 for none                know them
//   48  u64 fence value, written there       48  u32 timed SM: what a block moves to and from DRAM, and
//           when the command is complete     52  u32 to and from L2, in sectors of 32 bytes; 0: not stated
//   56  i32 launch: its priority, which      56  u64 number of the first block in the grid
//           is added to that of the context
//   60  u32 launch: its set of SMs; 0: all

#include <array>
#include <cstdint>

#include "models/core/kernel/messages.h"
#include "models/host/host_spec.h"
#include "models/host/register_map.h"

namespace heddle {

constexpr std::size_t kDescriptorBytes = 64;
using Descriptor = std::array<unsigned char, kDescriptorBytes>;

// For launch commands `kernel_address` is the address of the kernel descriptor.
Descriptor encode_command(const Command& command, Address kernel_address);
Descriptor encode_kernel(const KernelLaunch& launch);

struct DecodedCommand {
  registers::QueueError error = registers::QueueError::kNone;
  Command command;  // without command.queue; of command.launch only the priority and the set of SMs
  Address kernel_address = 0;  // launch: the address of its kernel descriptor
};
DecodedCommand decode_command(const unsigned char* bytes, const QueueSpec& queues, std::uint32_t contexts);

struct DecodedKernel {
  registers::QueueError error = registers::QueueError::kNone;
  KernelLaunch launch;
};
// `timed` says whether the SMs are timed ones, whose blocks need a residence.
DecodedKernel decode_kernel(const unsigned char* bytes, const SmLimits& limits, bool timed = true);

std::uint64_t load_u64(const unsigned char* bytes);
void store_u64(unsigned char* bytes, std::uint64_t value);

}  // namespace heddle
