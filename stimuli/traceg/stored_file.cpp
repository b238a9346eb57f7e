#include "stimuli/traceg/stored_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace heddle {

namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 10U;

}  // namespace

std::unique_ptr<StoredFile> StoredFile::open(const std::string& path, const ContentHash& key,
                                             std::uint64_t blocks) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<StoredFile> file(new StoredFile(path, descriptor));
  return file->is_undamaged(key, blocks) ? std::move(file) : nullptr;
}

StoredFile::~StoredFile() {
  ::close(descriptor_);
}

bool StoredFile::is_undamaged(const ContentHash& key, std::uint64_t blocks) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (!read_some(&header_, sizeof header_, 0) || !is_header_of(header_, key)) return false;
  const std::uint64_t pieces = sizeof header_ + sizeof(StoredPiece) * blocks;
  return header_.blocks == blocks && header_.file_bytes == static_cast<std::uint64_t>(status.st_size) &&
         has_hash(sizeof header_, pieces, header_.index_hash) &&
         has_hash(pieces, header_.file_bytes, header_.pieces_hash);
}

bool StoredFile::has_hash(std::uint64_t begin, std::uint64_t end, const ContentHash& hash) const {
  ContentHasher hasher;
  std::vector<char> bytes(std::min(kBatchBytes, end - begin));
  while (begin < end) {
    const auto count = static_cast<std::size_t>(std::min(kBatchBytes, end - begin));
    if (!read_some(bytes.data(), count, begin)) return false;
    hasher.add(bytes.data(), count);
    begin += count;
  }
  return hasher.hash() == hash;
}

bool StoredFile::read_some(void* to, std::size_t bytes, std::uint64_t offset) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        pread(descriptor_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

void StoredFile::read(void* to, std::size_t bytes, std::uint64_t offset) const {
  if (!read_some(to, bytes, offset))
    throw std::runtime_error(fmt::format("{}: this file of the cache cannot be read any more", path_));
}

StoredPiece StoredFile::record(std::uint64_t block) {
  if (block < first_record_ || block >= first_record_ + records_.size()) {
    records_.resize(std::min<std::uint64_t>(kBatchRecords, header_.blocks - block));
    first_record_ = block;
    read(records_.data(), records_.size() * sizeof(StoredPiece),
         sizeof header_ + block * sizeof(StoredPiece));
  }
  return records_[block - first_record_];
}

void StoredFile::unpack_to(const StoredPiece& piece, void* bytes) {
  packed_.resize(piece.packed);
  read(packed_.data(), packed_.size(), piece.offset);
  if (!unpacker_.unpack(piece, packed_.data(), bytes))
    throw std::runtime_error(fmt::format("{}: this file of the cache has changed while it was read", path_));
}

void StoredFile::fetch(const StoredPiece& piece, Words& words) {
  words.resize(piece.bytes / sizeof(std::uint32_t));
  unpack_to(piece, words.data());
}

std::string StoredFile::code() {
  std::string code(header_.code.bytes, '\0');
  unpack_to(header_.code, code.data());
  return code;
}

}  // namespace heddle
