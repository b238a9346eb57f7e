#include "models/dram/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tests/support/dram/gddr5.h"

namespace heddle::test {
namespace {

DramMapSpec map_spec(const std::string& bits) {
  return gddr5_spec(bits).map;
}

std::string refusal(const DramMapSpec& spec) {
  try {
    const LocalMap local(spec);
    const ChannelMap channels(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LocalMap, ReadsTheGtx480sMapBitByBit) {
  const LocalMap map(map_spec(kGtx480Map));
  EXPECT_EQ(map.bytes(), 1u << 30);
  EXPECT_EQ(map.groups(), 4u);
  EXPECT_EQ(map.banks_per_group(), 4u);
  EXPECT_EQ(map.rows(), 16384u);
  EXPECT_EQ(map.columns(), 64u);
  // Address bits from 0: S 0-5, C 6-7, G 8, C 9-12, G 13, B 14-15, R 16-29.
  const auto fields = [&](std::uint32_t bit) {
    const DramLocation at = map.locate(Address{1} << bit);
    return std::make_tuple(at.row, at.bank, at.group, at.column);
  };
  for (std::uint32_t bit = 0; bit < 6; ++bit) EXPECT_EQ(fields(bit), std::make_tuple(0u, 0u, 0u, 0u));
  EXPECT_EQ(fields(6), std::make_tuple(0u, 0u, 0u, 1u));
  EXPECT_EQ(fields(7), std::make_tuple(0u, 0u, 0u, 2u));
  EXPECT_EQ(fields(8), std::make_tuple(0u, 0u, 1u, 0u));
  EXPECT_EQ(fields(9), std::make_tuple(0u, 0u, 0u, 4u));
  EXPECT_EQ(fields(12), std::make_tuple(0u, 0u, 0u, 32u));
  EXPECT_EQ(fields(13), std::make_tuple(0u, 0u, 2u, 0u));
  EXPECT_EQ(fields(14), std::make_tuple(0u, 1u, 0u, 0u));
  EXPECT_EQ(fields(15), std::make_tuple(0u, 2u, 0u, 0u));
  EXPECT_EQ(fields(16), std::make_tuple(1u, 0u, 0u, 0u));
  EXPECT_EQ(fields(29), std::make_tuple(8192u, 0u, 0u, 0u));
}

TEST(LocalMap, NoTwoBurstsFallTogetherWhateverTheHash) {
  DramMapSpec spec = map_spec("RRRRBBGCCGCCSSSSSS");
  for (const bool hashed : {false, true}) {
    if (hashed) spec.bank_hash = {{'G', 0, {14, 16}}, {'G', 1, {15, 6}}, {'B', 1, {17}}};
    const LocalMap map(spec);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (Address address = 0; address < map.bytes(); address += 64) {
      const DramLocation at = map.locate(address);
      EXPECT_LT(at.group, map.groups());
      EXPECT_LT(at.bank, map.banks_per_group());
      EXPECT_LT(at.row, map.rows());
      EXPECT_LT(at.column, map.columns());
      seen.insert({at.group, at.bank, at.row, at.column});
    }
    EXPECT_EQ(seen.size(), map.bytes() / 64);
  }
}

TEST(LocalMap, AHashIsTheParityOfItsBits) {
  DramMapSpec spec = map_spec(kGtx480Map);
  spec.bank_hash = {{'G', 1, {16, 18}}, {'B', 0, {17}}};
  const LocalMap map(spec);
  EXPECT_EQ(map.locate(1 << 16).group, 2u);
  EXPECT_EQ(map.locate(1 << 18).group, 2u);
  EXPECT_EQ(map.locate(1 << 16 | 1 << 18).group, 0u);
  EXPECT_EQ(map.locate(1 << 16 | 1 << 13).group, 0u);
  EXPECT_EQ(map.locate(1 << 17).bank, 1u);
}

TEST(LocalMap, RefusesWhatIsNoMap) {
  EXPECT_EQ(refusal(map_spec(kGtx480Map)), "");
  EXPECT_EQ(refusal(map_spec("RCSSSSSS")), "") << "one bank";
  EXPECT_EQ(refusal(map_spec("")), "a map has 1 .. 48 letters, this one 0");
  EXPECT_EQ(refusal(map_spec(std::string(49, 'R'))), "a map has 1 .. 48 letters, this one 49");
  EXPECT_EQ(refusal(map_spec("RRBXCCSSSSSS")), "letter 4 of the map is none of R, B, G, C, P, S");
  EXPECT_EQ(refusal(map_spec("RRSCCSSSSSS")), "the S of a map are its last letters");
  EXPECT_EQ(refusal(map_spec("RRBCCSSSSS")), "a burst of 64 B needs 6 S in the map, which has 5");
  EXPECT_EQ(refusal(map_spec("BGCCSSSSSS")), "a map needs at least one R and one C");
  EXPECT_EQ(refusal(map_spec("RBGSSSSSS")), "a map needs at least one R and one C");
  EXPECT_EQ(refusal(map_spec("RBBBBGGGCSSSSSS")), "a map has at most 6 G and B together, 64 banks");
  DramMapSpec spec = map_spec(kGtx480Map);
  spec.burst_bytes = 48;
  EXPECT_EQ(refusal(spec), "a burst of 48 B is no power of two");
  spec = map_spec(kGtx480Map);
  spec.bank_hash = {{'G', 2, {16}}};
  EXPECT_EQ(refusal(spec), "the map has no G2 to hash");
  spec.bank_hash = {{'B', 0, {14}}};
  EXPECT_EQ(refusal(spec), "B0 is hashed with address bit 14, which is no R or C of the map");
  spec.bank_hash = {{'B', 0, {63}}};
  EXPECT_EQ(refusal(spec), "B0 is hashed with address bit 63, which is no R or C of the map");
}

TEST(ChannelMap, GivesEachChannelItsShareInTurn) {
  const ChannelMap map(map_spec(kGtx480Map));  // six channels, 256 B
  for (Address address = 0; address < 100'000; address += 32) {
    const ChannelPlace place = map.place(address);
    EXPECT_EQ(place.channel, address / 256 % 6);
    EXPECT_EQ(place.local, address / 1536 * 256 + address % 256);
  }
}

TEST(ChannelMap, AHashMovesNoTwoAddressesTogether) {
  DramMapSpec spec = map_spec(kGtx480Map);
  spec.channels = 8;
  spec.channel_hash = {{11, 14}, {}, {12, 13}};
  const ChannelMap map(spec);
  std::set<std::pair<std::uint32_t, Address>> seen;
  for (Address address = 0; address < 1 << 17; address += 256) {
    const ChannelPlace place = map.place(address);
    EXPECT_LT(place.channel, 8u);
    EXPECT_EQ(place.local, address / 2048 * 256);
    seen.insert({place.channel, place.local});
  }
  EXPECT_EQ(seen.size(), (1u << 17) / 256);
  EXPECT_EQ(map.place(0).channel, 0u);
  EXPECT_EQ(map.place(1 << 11).channel, 1u);
  EXPECT_EQ(map.place(1 << 12).channel, 4u);
}

// Counts that are no power of two are hashed as well. A stride of a power of two uses all channels alike.
TEST(ChannelMap, AHashSpreadsStridesOverAnyNumberOfChannels) {
  for (const std::uint32_t channels : {5u, 6u, 32u, 40u, 48u}) {
    DramMapSpec spec = map_spec(kGtx480Map);
    spec.channels = channels;
    const auto reach = [&](const ChannelMap& map, std::uint32_t stride) {
      std::vector<std::uint32_t> requests(channels);
      for (Address i = 0; i < 4096; ++i) ++requests[map.place(i << stride).channel];
      return *std::max_element(requests.begin(), requests.end()) * channels / 4096.0;
    };
    EXPECT_GE(reach(ChannelMap(spec), 13), channels % 2 == 0 ? 2 : 1) << channels << " without a hash";
    for (Address bit = 0; bit < 3; ++bit)
      spec.channel_hash.push_back({static_cast<std::uint32_t>(14 + bit), static_cast<std::uint32_t>(17 + bit),
                                   static_cast<std::uint32_t>(20 + bit),
                                   static_cast<std::uint32_t>(23 + bit)});
    if (channels > 8)
      for (Address bit = 0; bit < 2; ++bit)
        spec.channel_hash.push_back({static_cast<std::uint32_t>(15 + bit),
                                     static_cast<std::uint32_t>(18 + bit),
                                     static_cast<std::uint32_t>(22 + bit)});
    const ChannelMap map(spec);
    for (std::uint32_t stride = 8; stride <= 15; ++stride)
      EXPECT_LE(reach(map, stride), 1.6) << channels << " channels, strides of " << (1u << stride);
    Random random(channels);
    std::set<std::pair<std::uint32_t, Address>> seen;
    for (Address chunk = 0; chunk < Address{channels} * 512; ++chunk) {
      const Address address = chunk * 256 + random.below(256);
      const ChannelPlace place = map.place(address);
      ASSERT_LT(place.channel, channels);
      ASSERT_EQ(map.physical(place), address);
      seen.insert({place.channel, place.local / 256});
    }
    EXPECT_EQ(seen.size(), channels * 512u);
  }
}

TEST(ChannelMap, RefusesWhatCannotBe) {
  DramMapSpec spec = map_spec(kGtx480Map);
  spec.channel_hash = {{12}};
  EXPECT_EQ(refusal(spec), "");
  spec.channel_hash = {{10}};
  EXPECT_EQ(refusal(spec), "a channel's number is hashed with address bits 11 .. 63, not 10");
  spec.channels = 4;
  spec.channel_hash = {{9}};
  EXPECT_EQ(refusal(spec), "a channel's number is hashed with address bits 10 .. 63, not 9");
  spec.channel_hash = {{12}, {13}, {14}};
  EXPECT_EQ(refusal(spec), "3 hashes for the 2 bits of a channel's number");
  spec = map_spec(kGtx480Map);
  spec.interleave = 32;
  EXPECT_EQ(refusal(spec), "channels interleave by a power of two of at least a burst, not 32 B");
  spec.interleave = 192;
  EXPECT_EQ(refusal(spec), "channels interleave by a power of two of at least a burst, not 192 B");
  spec = map_spec(kGtx480Map);
  spec.channels = 0;
  EXPECT_EQ(refusal(spec), "no channel");
}

// Returns a memory of so many channels of 1 MiB each, in which contexts have channels of their own.
DramMapSpec sets_of(std::uint32_t channels, std::vector<std::vector<std::uint32_t>> channels_of) {
  DramMapSpec spec = map_spec(kGtx480Map);
  spec.channels = channels;
  spec.channels_of = std::move(channels_of);
  spec.channel_bytes = 1 << 20;
  return spec;
}

TEST(ChannelSets, EachContextHasItsChannelsAndEachOfThemAsMuchOfIt) {
  for (const bool hashed : {false, true}) {
    DramMapSpec spec = sets_of(6, {{0, 3}, {5, 1, 2}, {4}, {3, 0}});
    if (hashed) spec.channel_hash = {{13, 15}, {14}, {16}};
    const ChannelMap map(spec);
    const std::vector<AddressRange> ranges = map.ranges();
    ASSERT_EQ(ranges.size(), 4u);
    EXPECT_EQ(ranges[3].first, ranges[0].first) << "the lists are the same";
    std::set<std::pair<std::uint32_t, Address>> places;
    for (std::size_t context = 0; context < 3; ++context) {
      const AddressRange& range = ranges[context];
      EXPECT_EQ(range.bytes, spec.channels_of[context].size() << 20);
      std::map<std::uint32_t, std::uint64_t> lines;
      for (Address address = range.first; address < range.first + range.bytes; address += 128) {
        const ChannelPlace place = map.place(address);
        ASSERT_EQ(map.physical(place), address);
        ASSERT_LT(place.local, spec.channel_bytes);
        ASSERT_TRUE(places.emplace(place.channel, place.local).second) << "two lines fall together";
        ++lines[place.channel];
      }
      EXPECT_EQ(lines.size(), spec.channels_of[context].size());
      for (const std::uint32_t channel : spec.channels_of[context]) EXPECT_EQ(lines[channel], 8192u);
    }
  }
}

TEST(ChannelSets, ChannelsInterleaveAsThoseOfASmallerMemory) {
  const ChannelMap map(sets_of(6, {{4, 2}}));
  for (Address address = 0; address < 2048; address += 256)
    EXPECT_EQ(map.place(address + 77).channel, address / 256 % 2 == 0 ? 2u : 4u);
  EXPECT_EQ(map.place(5 * 256 + 77).local, 2 * 256 + 77u);
}

TEST(ChannelSets, RefusesListsThatDoNotDivideTheChannels) {
  EXPECT_EQ(refusal(sets_of(6, {{0, 1}, {2}})), "");
  EXPECT_EQ(refusal(sets_of(6, {{0, 1}, {}})), "a context without a channel");
  EXPECT_EQ(refusal(sets_of(6, {{0, 6}})), "there is no channel 6; there are 6, from 0 on");
  EXPECT_EQ(refusal(sets_of(6, {{1, 1}})), "a context has a channel twice");
  EXPECT_EQ(refusal(sets_of(6, {{0, 1}, {1, 2}})),
            "channel 1 is in two lists that are not the same; lists share all channels or none");
}

}  // namespace
}  // namespace heddle::test
