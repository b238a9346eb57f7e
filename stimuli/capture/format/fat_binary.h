#pragma once
// The reader of the fat binaries that compilers put into CUDA programs, and of the PTX and the machine code
// in them. It needs no tool of NVIDIA's.
//
// A container starts with 16 bytes: magic 0xBA55ED50, version 1 (u16), bytes of this header (u16), bytes of
// all entries (u64). Entries follow each other, each a header and its payload; little-endian:
//
//   u16 kind          1: PTX, 2: machine code         at  0
//   u32 header bytes                                  at  4
//   u64 payload bytes, padding included               at  8
//   u32 compressed bytes, without padding             at 16
//   u32 architecture, 75 of compute_75                at 28
//   u64 flags         0x2000: LZ4, 0x8000: zstd       at 40
//   u64 bytes before compression                      at 56
//
// Verified against what nvcc 13.0 writes with --compress-mode none, speed and size.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::capture {

struct FatBinaryEntry {
  bool ptx = false;                // false: machine code, of which only the register counts are read
  std::uint32_t architecture = 0;  // 75: compute_75, sm_75
  std::string_view payload;        // as stored in the container, perhaps compressed
  std::uint64_t flags = 0;
  std::uint64_t text_bytes = 0;  // after decompression
};

constexpr std::uint32_t kFatBinaryMagic = 0xBA55ED50;
constexpr std::uint32_t kWrapperMagic = 0x466243B1;  // of the wrapper that __cudaRegisterFatBinary takes
constexpr std::size_t kFatBinaryHeaderBytes = 16;

// Returns the bytes of a container, header included, from its first kFatBinaryHeaderBytes. This function and
// the others here throw config::Error with a message that starts with `name`.
std::uint64_t fat_binary_bytes(std::string_view start, const std::string& name);

// Returns the entries of PTX and machine code of a container in their order. Entries of other kinds are left
// out.
std::vector<FatBinaryEntry> read_fat_binary(std::string_view container, const std::string& name);

// Returns the PTX that a GPU of a compute capability (35 is 3.5) executes. It is the first entry with the
// highest architecture not above the capability. If all are above, it is the lowest one, which may use
// features that the GPU lacks. Refuses a container that has only machine code, with a message that says how
// to compile.
const FatBinaryEntry& choose_ptx(const std::vector<FatBinaryEntry>& entries, std::uint32_t capability,
                                 const std::string& name);

// Returns the machine code by the rule of choose_ptx, or null if there is none.
const FatBinaryEntry* choose_machine_code(const std::vector<FatBinaryEntry>& entries,
                                          std::uint32_t capability);

// Returns the text of the PTX, decompressed, at most ptx::kMostText bytes.
std::string text_of(const FatBinaryEntry& entry, const std::string& name);

constexpr std::uint64_t kMostMachineCode = std::uint64_t{1} << 30U;  // bytes

// Returns the machine code, decompressed, at most kMostMachineCode bytes.
std::string machine_code_of(const FatBinaryEntry& entry, const std::string& name);

}  // namespace heddle::capture
