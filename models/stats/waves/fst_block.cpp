#include "models/stats/waves/fst_block.h"

#include <lz4.h>

#include <algorithm>
#include <utility>

#include "models/stats/waves/fst_bytes.h"

namespace heddle {

namespace {

constexpr char kPackedByLz4 = '4';
constexpr std::size_t kLeastChanges = 65536;  // in a block
constexpr std::size_t kChangesOfAVariable = 128;
constexpr std::size_t kShort = 32;  // bytes of a chain that is not worth to be compressed

}  // namespace

FstBlock::FstBlock(std::vector<unsigned> widths)
    : widths_(std::move(widths)),
      most_changes_(std::max(kLeastChanges, kChangesOfAVariable * widths_.size())) {
  changes_.reserve(most_changes_ + widths_.size());  // a block is written between two times
}

void FstBlock::begin(std::uint64_t ps, std::string frame) {
  frame_ = std::move(frame);
  changes_.clear();
  times_.assign(1, ps);
}

void FstBlock::advance(std::uint64_t ps) {
  if (ps != times_.back()) times_.push_back(ps);
}

void FstBlock::change(std::uint32_t variable, std::uint64_t value) {
  changes_.push_back({value, variable, static_cast<std::uint32_t>(times_.size() - 1)});
}

const std::string& FstBlock::bytes() {
  sort_changes();
  append_chains();
  append_times();

  std::string& block = bytes_;
  block.clear();
  append_u64(block, times_.front());
  append_u64(block, times_.back());
  append_u64(block, memory_);
  append_varint(block, frame_.size());
  append_varint(block, frame_.size());
  append_varint(block, widths_.size());
  block += frame_;
  append_varint(block, widths_.size());
  block += chains_;
  block += places_;
  append_u64(block, places_.size());
  block += time_deltas_;
  append_u64(block, time_deltas_.size());
  append_u64(block, time_deltas_.size());
  append_u64(block, times_.size());
  return block;
}

// Counts the changes of each variable, and puts them one after the other.
void FstBlock::sort_changes() {
  firsts_.assign(widths_.size() + 1, 0);
  for (const Change& change : changes_) ++firsts_[change.variable + 1];
  for (std::size_t i = 1; i < firsts_.size(); ++i) firsts_[i] += firsts_[i - 1];
  order_.resize(changes_.size());
  for (std::uint32_t i = 0; i < changes_.size(); ++i) order_[firsts_[changes_[i].variable]++] = i;
  // Each entry is now the end of its variable, which is the begin of the next one.
  for (std::size_t i = firsts_.size() - 1; i > 0; --i) firsts_[i] = firsts_[i - 1];
  firsts_[0] = 0;
}

// A place is counted from the byte that states the kind of compression. Variables without changes are counted
// in runs.
void FstBlock::append_chains() {
  chains_.assign(1, kPackedByLz4);
  places_.clear();
  memory_ = 0;
  std::uint64_t without_changes = 0;
  std::size_t last_place = 0;
  const auto end_run = [&] {
    if (without_changes != 0) append_varint(places_, without_changes << 1);
    without_changes = 0;
  };
  for (std::uint32_t variable = 0; variable < widths_.size(); ++variable) {
    if (firsts_[variable] == firsts_[variable + 1]) {
      ++without_changes;
      continue;
    }
    end_run();
    const auto further =
        static_cast<std::int64_t>(chains_.size() - std::exchange(last_place, chains_.size()));
    append_signed_varint(places_, further << 1 | 1);
    make_chain(variable, firsts_[variable], firsts_[variable + 1]);
    append_chain();
  }
  end_run();
}

void FstBlock::make_chain(std::uint32_t variable, std::uint32_t first, std::uint32_t last) {
  chain_.clear();
  std::uint32_t time = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const Change& change = changes_[order_[i]];
    append_value(widths_[variable], change.time - time, change.value);
    time = change.time;
  }
  memory_ += chain_.size();
}

// `passed` is the number of times since the last change of the variable.
void FstBlock::append_value(unsigned width, std::uint32_t passed, std::uint64_t value) {
  const std::uint64_t times = passed;
  if (width == 0) {
    append_varint(chain_, times << 1 | 1);
    chain_.append(reinterpret_cast<const char*>(&value), sizeof value);  // in the byte order of this machine
  } else if (width == 1) {
    append_varint(chain_, times << 2 | value << 1);
  } else {
    append_varint(chain_, times << 1);
    const std::uint64_t left_aligned = value << (64 - width);
    for (unsigned bit = 0; bit < width; bit += 8) chain_ += static_cast<char>(left_aligned >> (56 - bit));
  }
}

// A chain begins with its length before compression, or with 0 if it is not compressed.
void FstBlock::append_chain() {
  if (chain_.size() > kShort) {
    const auto length = static_cast<int>(chain_.size());
    packed_.resize(static_cast<std::size_t>(LZ4_compressBound(length)));
    const int packed =
        LZ4_compress_default(chain_.data(), packed_.data(), length, static_cast<int>(packed_.size()));
    if (packed < length) {
      append_varint(chains_, chain_.size());
      chains_.append(packed_, 0, static_cast<std::size_t>(packed));
      return;
    }
  }
  append_varint(chains_, 0);
  chains_ += chain_;
}

void FstBlock::append_times() {
  time_deltas_.clear();
  std::uint64_t last = 0;
  for (const std::uint64_t time : times_) append_varint(time_deltas_, time - std::exchange(last, time));
}

}  // namespace heddle
