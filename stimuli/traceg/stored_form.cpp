#include "stimuli/traceg/stored_form.h"

#include <zstd.h>

#include <cstring>
#include <new>

namespace heddle {

namespace {

// Another version is another form, or another rule by which text becomes entries and addresses.
constexpr std::array<char, 8> kMagic{'H', 'D', 'D', 'L', 'T', 'R', 'C', '3'};
constexpr int kLevel = 1;  // of compression: it takes a small part of the time in which text is parsed

}  // namespace

ContentHash stored_trace_key(const ContentHash& content, const std::vector<std::uint32_t>& first_pcs) {
  ContentHasher hasher;
  hasher.add(kMagic.data(), kMagic.size());
  hasher.add(&content, sizeof content);
  hasher.add(first_pcs.data(), first_pcs.size() * sizeof first_pcs.front());
  return hasher.hash();
}

std::string stored_trace_file(const std::string& folder, const ContentHash& key) {
  return folder + "/traces/" + key.text() + ".blocks";
}

StoredHeader make_stored_header(const ContentHash& key, std::uint64_t blocks) {
  StoredHeader header;
  header.magic = kMagic;
  header.key = key;
  header.blocks = blocks;
  return header;
}

ContentHash header_hash_of(const StoredHeader& header) {
  return hash_of_bytes(&header, offsetof(StoredHeader, header_hash));
}

bool is_header_of(const StoredHeader& header, const ContentHash& key) {
  return header.magic == kMagic && header.key == key && header.header_hash == header_hash_of(header);
}

void to_differences(std::uint32_t* words, std::size_t count, std::size_t distance) {
  if (distance == 0) return;
  for (std::size_t i = count; i > distance; --i) words[i - 1] -= words[i - 1 - distance];
}

void from_differences(std::uint32_t* words, std::size_t count, std::size_t distance) {
  if (distance == 0) return;
  for (std::size_t i = distance; i < count; ++i) words[i] += words[i - distance];
}

struct Packer::Context {
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  ~Context() { ZSTD_freeCCtx(zstd); }
};

Packer::Packer() : context_(std::make_unique<Context>()) {
  if (context_->zstd == nullptr) throw std::bad_alloc();
}

Packer::~Packer() = default;

void Packer::pack(const void* bytes, std::size_t count, std::vector<char>& packed) {
  packed.resize(ZSTD_compressBound(count));
  const std::size_t done =
      ZSTD_compressCCtx(context_->zstd, packed.data(), packed.size(), bytes, count, kLevel);
  const auto* from = static_cast<const char*>(bytes);
  if (ZSTD_isError(done) == 0 && done < count)
    packed.resize(done);
  else
    packed.assign(from, from + count);
}

struct Unpacker::Context {
  ZSTD_DCtx* zstd = ZSTD_createDCtx();
  ~Context() { ZSTD_freeDCtx(zstd); }
};

Unpacker::Unpacker() : context_(std::make_unique<Context>()) {
  if (context_->zstd == nullptr) throw std::bad_alloc();
}

Unpacker::~Unpacker() = default;

bool Unpacker::unpack(const StoredPiece& piece, const char* packed, void* bytes) {
  if (piece.packed == piece.bytes) {
    std::memcpy(bytes, packed, piece.bytes);
    return true;
  }
  return ZSTD_decompressDCtx(context_->zstd, bytes, piece.bytes, packed, piece.packed) == piece.bytes;
}

}  // namespace heddle
