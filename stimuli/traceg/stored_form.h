#pragma once
// The stored form of a trace is a file in the user's cache that has what the reader of the text makes of the
// blocks of a trace. Numbers are little-endian. The file has
//
//   a StoredHeader
//   for each block, in the order of the trace, the StoredPiece of its record
//   the pieces: records of blocks, sequences of warps, segments of warps, and the code of the kernel
//
// A piece is packed by Zstandard, except where packing makes it no smaller. Unpacked it is a number of words
// of 32 bits, or the code (stored_code.h):
//
//   record    a StoredRecord, a StoredWarp for each warp, the StoredPieces of all segments in the order of
//             the warps, and the addresses of all warps
//   sequence  the TraceEntries of a warp. Warps that share a sequence name the same piece.
//   segment   the number of entries and of bytes of addresses, 32 bits each, the TraceEntries and the
//             addresses. The segments of a warp follow its sequence.
//
// Most words of addresses and of sequences repeat the step between words before them. They are therefore
// stored as differences, which are mostly equal, so that they can be packed well.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "stimuli/traceg/content_hash.h"

namespace heddle {

struct StoredPiece {
  std::uint64_t offset = 0;  // in the file
  std::uint32_t packed = 0;  // bytes in the file
  std::uint32_t bytes = 0;   // bytes when unpacked; as many as packed: the piece is not packed
};

struct StoredHeader {
  std::array<char, 8> magic{};
  ContentHash key;
  std::uint64_t blocks = 0;
  StoredPiece code;
  std::uint64_t file_bytes = 0;
  ContentHash index_hash;   // of the pieces of the records
  ContentHash pieces_hash;  // of all that follows them
  ContentHash header_hash;  // of the members before this one
};

struct StoredRecord {
  std::uint32_t segments = 0;  // of all warps
  std::uint32_t distance = 0;  // of the words whose differences the addresses are; 0: they are the addresses
};

struct StoredWarp {
  StoredPiece sequence;  // of no bytes if all entries are in segments
  std::uint32_t address_bytes = 0;
  std::uint32_t segments = 0;
};

// The form has these structures as they lie in memory.
static_assert(sizeof(StoredPiece) == 16 && sizeof(StoredWarp) == 24 && sizeof(StoredRecord) == 8);
static_assert(sizeof(StoredHeader) == 8 + 16 + 8 + 16 + 8 + 3 * 16);
static_assert(std::has_unique_object_representations_v<StoredHeader>);

// Whether this host can read and write the form.
constexpr bool kHasStoredForm = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
constexpr std::uint64_t kMostStoredBlocks = std::uint64_t{1} << 26U;  // a trace of more has no stored form
constexpr std::uint64_t kMostPieceBytes = std::uint64_t{1} << 30U;    // and so has one with a larger piece
constexpr std::uint32_t kSequenceDistance = 2;                        // an entry has two words

using Words = std::vector<std::uint32_t>;

// The key of a stored form. `first_pcs` are those of the phases with which the trace is read.
ContentHash stored_trace_key(const ContentHash& content, const std::vector<std::uint32_t>& first_pcs);
// The file of the key below `folder`, the user's cache.
std::string stored_trace_file(const std::string& folder, const ContentHash& key);

StoredHeader make_stored_header(const ContentHash& key, std::uint64_t blocks);
ContentHash header_hash_of(const StoredHeader& header);
// Returns whether the header is whole and is that of this key and this version of the form.
bool is_header_of(const StoredHeader& header, const ContentHash& key);

// Replaces each of the words by its difference from the one `distance` places before it, and back. The words
// before the first such word stay as they are. No effect if `distance` is 0.
void to_differences(std::uint32_t* words, std::size_t count, std::size_t distance);
void from_differences(std::uint32_t* words, std::size_t count, std::size_t distance);

class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Packs bytes into `packed`, which is a copy of them if they cannot be packed.
  void pack(const void* bytes, std::size_t count, std::vector<char>& packed);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Unpacks the bytes of a piece. Returns false if they are no such piece.
  bool unpack(const StoredPiece& piece, const char* packed, void* bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace heddle
