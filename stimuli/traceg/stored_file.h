#pragma once
// A file with the stored form of a trace, open for reading.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/traceg/stored_form.h"

namespace heddle {

class StoredFile {
 public:
  // Returns null if there is no file, or if it is not the whole and undamaged form of this key and of this
  // many blocks. All of the file is read once, in pieces, and compared with its hashes.
  static std::unique_ptr<StoredFile> open(const std::string& path, const ContentHash& key,
                                          std::uint64_t blocks);
  ~StoredFile();
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  // Each of these throws std::runtime_error if the file cannot be read any more.
  StoredPiece record(std::uint64_t block);  // that of a block
  void fetch(const StoredPiece& piece, Words& words);
  std::string code();

 private:
  static constexpr std::size_t kBatchRecords = 256;

  StoredFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  bool is_undamaged(const ContentHash& key, std::uint64_t blocks);
  bool has_hash(std::uint64_t begin, std::uint64_t end, const ContentHash& hash) const;
  bool read_some(void* to, std::size_t bytes, std::uint64_t offset) const;  // all of them, or false
  void read(void* to, std::size_t bytes, std::uint64_t offset) const;
  void unpack_to(const StoredPiece& piece, void* bytes);

  std::string path_;
  int descriptor_;
  StoredHeader header_;
  std::vector<StoredPiece> records_;  // a part of the index
  std::uint64_t first_record_ = 0;    // the block of the first of them
  Unpacker unpacker_;
  std::vector<char> packed_;
};

}  // namespace heddle
