#pragma once
// Address maps give the place of an address in memory. A physical address gives a channel and a channel-local
// address. The channel-local address gives a pseudo-channel, bank group, bank, row and column. Both maps are
// pure functions of shifts and masks.

#include <array>
#include <cstdint>
#include <vector>

#include "models/dram/dram_spec.h"

namespace heddle {

struct DramLocation {
  std::uint32_t group = 0;  // within the pseudo-channel
  std::uint32_t bank = 0;   // number within its group
  std::uint32_t row = 0;
  std::uint32_t column = 0;  // number of a burst within the row
};

// The map of a channel is a string with one letter for each address bit, most significant first: R row, B
// bank within its group, G group, C column, P pseudo-channel, S byte of the burst. The bits of a field need
// not be neighbours. The map of the GTX 480 is RRRRRRRRRRRRRRBBGCCCCGCCSSSSSS.
class LocalMap {
 public:
  static constexpr std::uint32_t kMostBanks = 64;

  // Throws std::invalid_argument with a description of the error in the map.
  explicit LocalMap(const DramMapSpec& spec);

  // Returns the place of a channel-local address, which is below bytes().
  DramLocation locate(Address local) const {
    DramLocation location{field(kGroup, local), field(kBank, local), field(kRow, local),
                          field(kColumn, local)};
    for (const Hash& hash : hashes_) {
      const auto parity = static_cast<std::uint32_t>(__builtin_parityll(local & hash.mask));
      (hash.field == kGroup ? location.group : location.bank) ^= parity << hash.bit;
    }
    return location;
  }
  // Returns the number of the pseudo-channel of a channel-local address.
  std::uint32_t pseudo_channel(Address local) const {
    const auto hash = static_cast<std::uint32_t>(__builtin_parityll(local & pseudo_channel_hash_));
    return field(kPseudoChannel, local) ^ hash;
  }

  std::uint64_t bytes() const { return std::uint64_t{1} << bits_; }
  std::uint32_t pseudo_channels() const { return 1u << width(kPseudoChannel); }
  // These are of one pseudo-channel.
  std::uint32_t groups() const { return 1u << width(kGroup); }
  std::uint32_t banks_per_group() const { return 1u << width(kBank); }
  std::uint32_t banks() const { return groups() * banks_per_group(); }
  std::uint64_t rows() const { return std::uint64_t{1} << width(kRow); }
  std::uint64_t columns() const { return std::uint64_t{1} << width(kColumn); }

 private:
  enum Field : std::size_t { kGroup, kBank, kRow, kColumn, kPseudoChannel, kFields };
  struct Run {  // adjacent bits of one field
    std::uint32_t from;
    std::uint32_t to;
    std::uint64_t mask;
  };
  struct Hash {
    Field field;
    std::uint32_t bit;
    Address mask;
  };

  std::uint32_t width(Field field) const { return widths_[field]; }
  std::uint32_t field(Field which, Address local) const {
    std::uint64_t value = 0;
    for (const Run& run : runs_[which]) value |= (local >> run.from & run.mask) << run.to;
    return static_cast<std::uint32_t>(value);
  }
  void read_letters(const DramMapSpec& spec);
  void check_sizes() const;
  void add_hash(const DramMapSpec& spec, const BankHash& hash);

  std::uint32_t bits_ = 0;
  std::array<std::uint32_t, kFields> widths_{};
  std::array<std::vector<Run>, kFields> runs_;
  std::vector<Hash> hashes_;  // of bank groups and banks
  Address pseudo_channel_hash_ = 0;
};

// A range of physical addresses that begins at `first`.
struct AddressRange {
  Address first = 0;
  std::uint64_t bytes = 0;
};

struct ChannelPlace {
  std::uint32_t channel = 0;
  Address local = 0;
};

struct ChannelSet;

// A ChannelMap interleaves physical addresses over the channels: each channel has `interleave` adjacent bytes
// in turn. The channel's number can be hashed, so that strides of a power of two use all channels. The hash
// is a number made of address bits above those of the channel's number: it is XORed onto the number of a
// channel if there are a power of two of them, and is added to it modulo the number of channels otherwise. In
// the latter case the bits are those that the address would have if the channel's number had the bits of the
// next power of two. place() needs no division for a power of two.
// With DramMapSpec::channels_of the memory of a context lies in some of the channels alone. Each such set of
// channels has a range of physical addresses. The range is interleaved over the channels of the set, as the
// addresses of a GPU that has no other channels would be.
class ChannelMap {
 public:
  // Throws std::invalid_argument with a description of the error in the map.
  explicit ChannelMap(const DramMapSpec& spec);

  ChannelPlace place(Address physical) const {
    if (!sets_of_.empty()) return place_in_set(physical);
    const Address chunk = physical >> interleave_bits_;
    const Address offset = physical & interleave_mask_;
    if (power_of_two_) {
      const auto channel = static_cast<std::uint32_t>(chunk & (channels_ - 1));
      const Address row = chunk >> channel_bits_;
      return {channel ^ hash_of(row), row << interleave_bits_ | offset};
    }
    const bool narrow = chunk >> 32 == 0;  // the usual case; the host divides 32-bit numbers faster
    const Address row = narrow ? static_cast<std::uint32_t>(chunk) / channels_ : chunk / channels_;
    auto channel = static_cast<std::uint32_t>(chunk - row * channels_);
    if (hashed_) channel = (channel + hash_of(row)) % channels_;
    return {channel, row << interleave_bits_ | offset};
  }
  Address physical(const ChannelPlace& place) const;  // the reverse of place()
  std::uint32_t channels() const { return channels_; }
  // Returns the range of physical addresses of each context in DramMapSpec::channels_of, in its order.
  std::vector<AddressRange> ranges() const;

 private:
  void make_sets(const DramMapSpec& spec);
  ChannelPlace place_in_set(Address physical) const;
  // Returns the hash of the addresses with these bits above those of the channel's number.
  std::uint32_t hash_of(Address row) const {
    const Address above = row << (interleave_bits_ + channel_bits_);
    std::uint32_t hash = 0;
    for (std::size_t bit = 0; bit < hashes_.size(); ++bit)
      hash |= static_cast<std::uint32_t>(__builtin_parityll(above & hashes_[bit])) << bit;
    return hash;
  }

  std::uint32_t channels_;
  bool power_of_two_;
  bool hashed_;
  std::uint32_t channel_bits_ = 0;  // of the number of a channel, of the next power of two
  std::uint32_t interleave_bits_ = 0;
  Address interleave_mask_ = 0;
  std::vector<Address> hashes_;         // by bit of the channel's number
  std::vector<ChannelSet> sets_;        // in ascending order of their addresses
  std::vector<std::uint32_t> sets_of_;  // by element of channels_of: the number of its set
};

// A ChannelSet has the channels of some contexts, and maps addresses onto them.
struct ChannelSet {
  std::vector<std::uint32_t> channels;
  AddressRange range;
  ChannelMap map;  // maps offsets within `range`; its channel i is channels[i]
};

}  // namespace heddle
