#include "models/dram/address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace heddle {

namespace {

constexpr std::string_view kLetters = "GBRCP";  // in the order of LocalMap::Field
constexpr std::size_t kMostBits = 48;
constexpr std::uint32_t kMostRowBits = 31;

bool power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

std::uint32_t log2_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(__builtin_ctzll(value));
}

template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw std::invalid_argument(fmt::format(text, std::forward<Arguments>(arguments)...));
}

}  // namespace

LocalMap::LocalMap(const DramMapSpec& spec) {
  if (!power_of_two(spec.burst_bytes)) refuse("a burst of {} B is no power of two", spec.burst_bytes);
  read_letters(spec);
  check_sizes();
  for (const BankHash& hash : spec.bank_hash) add_hash(spec, hash);
}

void LocalMap::read_letters(const DramMapSpec& spec) {
  const std::string& letters = spec.bits;
  if (letters.empty() || letters.size() > kMostBits)
    refuse("a map has 1 .. {} letters, this one {}", kMostBits, letters.size());
  bits_ = static_cast<std::uint32_t>(letters.size());
  std::uint32_t inside = 0;
  for (std::uint32_t bit = 0; bit < bits_; ++bit) {
    const char letter = letters[bits_ - 1 - bit];
    if (letter == 'S') {
      if (inside++ != bit) refuse("the S of a map are its last letters");
      continue;
    }
    const std::size_t which = kLetters.find(letter);
    if (which == std::string_view::npos)
      refuse("letter {} of the map is none of R, B, G, C, P, S", bits_ - bit);
    std::vector<Run>& runs = runs_[which];
    std::uint32_t& width = widths_[which];
    if (!runs.empty() && letters[bits_ - bit] == letter)
      runs.back().mask = runs.back().mask << 1 | 1;
    else
      runs.push_back({bit, width, 1});
    ++width;
  }
  if (inside != log2_of(spec.burst_bytes))
    refuse("a burst of {} B needs {} S in the map, which has {}", spec.burst_bytes, log2_of(spec.burst_bytes),
           inside);
}

void LocalMap::check_sizes() const {
  if (width(kRow) == 0 || width(kColumn) == 0) refuse("a map needs at least one R and one C");
  if (width(kRow) > kMostRowBits || width(kColumn) > kMostRowBits)
    refuse("a map has at most {} R and {} C", kMostRowBits, kMostRowBits);
  if (width(kPseudoChannel) > 1) refuse("a map has at most one P, two pseudo-channels");
  if (width(kGroup) + width(kBank) > log2_of(kMostBanks))
    refuse("a map has at most {} G and B together, {} banks", log2_of(kMostBanks), kMostBanks);
}

// Only bits of rows and columns can be inputs of the hash, so that no two addresses map to one place.
void LocalMap::add_hash(const DramMapSpec& spec, const BankHash& hash) {
  const Field field = hash.field == 'G' ? kGroup : hash.field == 'B' ? kBank : kPseudoChannel;
  if (field == kPseudoChannel && hash.field != 'P') refuse("a hash is of G, B or P, not {}", hash.field);
  if (hash.bit >= width(field)) refuse("the map has no {}{} to hash", hash.field, hash.bit);
  Address mask = 0;
  for (const std::uint32_t bit : hash.address_bits) {
    const char letter = bit < bits_ ? spec.bits[bits_ - 1 - bit] : '-';
    if (letter != 'R' && letter != 'C')
      refuse("{}{} is hashed with address bit {}, which is no R or C of the map", hash.field, hash.bit, bit);
    mask ^= Address{1} << bit;
  }
  if (field == kPseudoChannel)
    pseudo_channel_hash_ ^= mask;
  else
    hashes_.push_back({field, hash.bit, mask});
}

ChannelMap::ChannelMap(const DramMapSpec& spec)
    : channels_(spec.channels),
      power_of_two_(power_of_two(spec.channels)),
      hashed_(!spec.channel_hash.empty()) {
  if (channels_ == 0) refuse("no channel");
  if (!power_of_two(spec.interleave) || spec.interleave < spec.burst_bytes)
    refuse("channels interleave by a power of two of at least a burst, not {} B", spec.interleave);
  interleave_bits_ = log2_of(spec.interleave);
  interleave_mask_ = spec.interleave - 1;
  while ((std::uint64_t{1} << channel_bits_) < channels_) ++channel_bits_;
  make_sets(spec);
  if (spec.channel_hash.empty()) return;
  if (spec.channel_hash.size() > channel_bits_)
    refuse("{} hashes for the {} bits of a channel's number", spec.channel_hash.size(), channel_bits_);
  for (const std::vector<std::uint32_t>& bits : spec.channel_hash) {
    Address mask = 0;
    for (const std::uint32_t bit : bits) {
      if (bit < interleave_bits_ + channel_bits_ || bit >= 64)
        refuse("a channel's number is hashed with address bits {} .. 63, not {}",
               interleave_bits_ + channel_bits_, bit);
      mask ^= Address{1} << bit;
    }
    hashes_.push_back(mask);
  }
}

void ChannelMap::make_sets(const DramMapSpec& spec) {
  constexpr std::uint32_t kNoSet = ~std::uint32_t{0};
  std::vector<std::uint32_t> set_of(channels_, kNoSet);  // by channel
  Address first = 0;
  for (std::vector<std::uint32_t> channels : spec.channels_of) {
    std::sort(channels.begin(), channels.end());
    if (channels.empty()) refuse("a context without a channel");
    if (channels.back() >= channels_)
      refuse("there is no channel {}; there are {}, from 0 on", channels.back(), channels_);
    if (std::adjacent_find(channels.begin(), channels.end()) != channels.end())
      refuse("a context has a channel twice");
    const auto same = std::find_if(sets_.begin(), sets_.end(),
                                   [&](const ChannelSet& set) { return set.channels == channels; });
    sets_of_.push_back(static_cast<std::uint32_t>(same - sets_.begin()));
    if (same != sets_.end()) continue;
    for (const std::uint32_t channel : channels) {
      if (set_of[channel] != kNoSet)
        refuse("channel {} is in two lists that are not the same; lists share all channels or none", channel);
      set_of[channel] = static_cast<std::uint32_t>(sets_.size());
    }
    const auto count = static_cast<std::uint32_t>(channels.size());
    const AddressRange range{first, count * spec.channel_bytes};
    first += range.bytes;
    sets_.push_back({std::move(channels), range, ChannelMap(spec.narrowed(count))});
  }
}

std::vector<AddressRange> ChannelMap::ranges() const {
  std::vector<AddressRange> ranges;
  for (const std::uint32_t set : sets_of_) ranges.push_back(sets_[set].range);
  return ranges;
}

// The address belongs to the last set whose range begins at or before it.
ChannelPlace ChannelMap::place_in_set(Address physical) const {
  auto set =
      std::upper_bound(sets_.begin(), sets_.end(), physical,
                       [](Address address, const ChannelSet& one) { return address < one.range.first; });
  --set;
  const ChannelPlace place = set->map.place(physical - set->range.first);
  return {set->channels[place.channel], place.local};
}

// A hash takes bits above those of the channel's number, which are the same in the channel-local address.
Address ChannelMap::physical(const ChannelPlace& place) const {
  for (const ChannelSet& set : sets_) {
    const auto at = std::find(set.channels.begin(), set.channels.end(), place.channel);
    if (at == set.channels.end()) continue;
    const auto channel = static_cast<std::uint32_t>(at - set.channels.begin());
    return set.range.first + set.map.physical({channel, place.local});
  }
  const Address offset = place.local & interleave_mask_;
  const Address row = place.local >> interleave_bits_;
  const std::uint32_t hash = hash_of(row);
  const Address channel =
      power_of_two_ ? place.channel ^ hash : (place.channel + channels_ - hash % channels_) % channels_;
  return (row * channels_ + channel) << interleave_bits_ | offset;
}

}  // namespace heddle
