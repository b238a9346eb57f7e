#include "platforms/load/read_dram.h"

#include <gtest/gtest.h>

#include "platforms/load/platform_loader.h"
#include "tests/support/dram/gddr5.h"

namespace heddle::test {
namespace {

const char* const kSection = R"(dram:
  channels: 6
  channel_interleave: 256B
  map: RRRRRRRRRRRRRRBBGCCCCGCCSSSSSS
  burst: 64B
  bank_hash: {G0: [16, 20], B1: [17]}
  timing: {burst: 2, cl: 12, wl: 4, rcdrd: 12, rcdwr: 12, rp: 12, ras: 28, rc: 40, rrds: 6, rrdl: 6, ccds: 2,
           ccdl: 3, wtrs: 5, wtrl: 5, rtw: 12, wr: 12, rtp: 2, ppd: 1, faw: 23, aw32: 184, refi: 3604, rfc: 61}
  queue: 64
  write_high: 32
  write_low: 16
  latency: 132cycles
  return_queue: 116
  refresh: on
  refresh_postpone: 8
)";

DramSpec read(const std::vector<std::string>& sets = {}) {
  config::Document document = config::Document::parse(kSection, "test.yaml");
  for (const std::string& set : sets) document.set("dram." + set);
  DramSpec spec = read_dram(document.root().section("dram"));
  document.finish();
  return spec;
}

std::string problem(const std::string& set) {
  try {
    read({set});
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadDram, ReadsEveryValue) {
  const DramSpec spec = read();
  EXPECT_EQ(spec.map.channels, 6u);
  EXPECT_EQ(spec.map.interleave, 256u);
  EXPECT_EQ(spec.map.burst_bytes, 64u);
  ASSERT_EQ(spec.map.bank_hash.size(), 2u);
  EXPECT_EQ(spec.map.bank_hash[0].field, 'G');
  EXPECT_EQ(spec.map.bank_hash[0].address_bits, (std::vector<std::uint32_t>{16, 20}));
  EXPECT_EQ(spec.map.bank_hash[1].bit, 1u);
  const DramTiming expected = gddr5_spec().timing;
  EXPECT_EQ(spec.timing.distances().size(), expected.distances().size());
  for (std::size_t i = 0; i < expected.distances().size(); ++i)
    EXPECT_EQ(spec.timing.distances()[i].distance, expected.distances()[i].distance);
  EXPECT_EQ(spec.timing["cl"], 12u);
  EXPECT_EQ(spec.timing["faw"], 23u);
  EXPECT_EQ(spec.timing["aw32"], 184u);
  EXPECT_EQ(spec.timing["refi"], 3604u);
  EXPECT_EQ(spec.queue, 64u);
  EXPECT_EQ(spec.write_high, 32u);
  EXPECT_EQ(spec.write_low, 16u);
  EXPECT_EQ(spec.latency, 132u);
  EXPECT_EQ(spec.return_queue, 116u);
  EXPECT_TRUE(spec.refresh);
  EXPECT_EQ(spec.refresh_postpone, 8u);
  EXPECT_EQ(read({"channels=4", "channel_hash=[[10, 14]]"}).map.channel_hash.size(), 1u);
}

TEST(ReadDram, ReadsTheChannelsOfContexts) {
  using Lists = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(read({"channels_of=[[0, 1], [2, 3, 4, 5]]"}).map.channels_of, (Lists{{0, 1}, {2, 3, 4, 5}}));
  EXPECT_EQ(read().map.channels_of, Lists{});
  EXPECT_NE(problem("channels_of=[[0, 1], [1, 2]]").find("channel 1 is in two lists"), std::string::npos);
  EXPECT_NE(problem("channels_of=[[0, 6]]").find("there is no channel 6"), std::string::npos);
  EXPECT_NE(problem("channels_of=[0, 1]").find("channels_of"), std::string::npos);
}

std::string without(std::string text, const std::string& part) {
  return text.erase(text.find(part), part.size());
}

DramSpec read_text(const std::string& text) {
  config::Document document = config::Document::parse(text, "test.yaml");
  DramSpec spec = read_dram(document.root().section("dram"));
  document.finish();
  return spec;
}

TEST(ReadDram, TheStandardNamesTheTimingKeysAndTheirDefaults) {
  EXPECT_EQ(&read().timing.standard(), find_dram_standard("gddr5"));
  EXPECT_EQ(&read({"standard=gddr5"}).timing.standard(), find_dram_standard("gddr5"));
  EXPECT_EQ(read_text(without(kSection, "rc: 40, ")).timing["rc"], 28u + 12u) << "ras + rp";
  EXPECT_EQ(read_text(without(kSection, "rtw: 12, ")).timing["rtw"], 12u + 2u - 4u + 2u)
      << "cl + burst - wl + 2";
  EXPECT_THROW(read_text(without(kSection, "cl: 12, ")), config::Error);
}

TEST(ReadDram, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"map=RRXCCSSSSSS", "dram.map: letter 3 of the map is none of R, B, G, C, P, S"},
      {"burst=32B", "dram.map: a burst of 32 B needs 5 S in the map, which has 6"},
      {"channels=0", "dram.channels"},
      {"channel_interleave=100B", "dram.channels: channels interleave by a power of two"},
      {"channel_hash=[[10]]",
       "dram.channels: a channel's number is hashed with address bits 11 .. 63, not 10"},
      {"bank_hash.X1=[16]", "a hash is named after the bit it makes, such as G0 or B1"},
      {"bank_hash.G1=[14]", "G1 is hashed with address bit 14"},
      {"timing.cl=0", "dram.timing.cl"},
      {"timing.ccds=1", "dram.timing.ccds: must be at least burst, 2: bursts of two reads may not overlap"},
      {"timing.rtw=9", "dram.timing.rtw: must be at least cl + burst - wl, 10"},
      {"timing.ras=41", "dram.timing.rc: must be at least ras + rp - 1, 52"},
      {"timing.ras=11", "dram.timing.ras: must be at least rcdrd, 12: a row is read while it is open"},
      {"timing.rc=38", "dram.timing.rc: must be at least ras + rp - 1, 39"},
      {"timing.rrdl=5", "dram.timing.rrdl: must be at least rrds, 6"},
      {"timing.ccds=4", "dram.timing.ccdl: must be at least ccds, 4"},
      {"timing.wtrl=4", "dram.timing.wtrl: must be at least wtrs, 5"},
      {"timing.faw=5", "dram.timing.faw: must be at least rrds, 6"},
      {"timing.aw32=22", "dram.timing.aw32: must be at least faw, 23"},
      {"timing.refi=100", "dram.timing.refi: must be at least rfc + ras + rp"},
      {"timing.tcl=3", "unknown key"},
      {"standard=gddr4", "dram.standard: "},
      {"write_high=65", "dram.write_high: more writes than the queue holds"},
      {"write_low=32", "dram.write_low: must be less than write_high"},
      {"refresh_postpone=9", "dram.refresh_postpone"},
      {"refresh_policy=never", "dram.refresh_policy: "},
      {"write_drain=never", "dram.write_drain: "},
      {"latency=3ns", "dram.latency"},
      {"queue=0", "dram.queue"},
  };
  for (const auto& [set, message] : bad)
    EXPECT_NE(problem(set).find(message), std::string::npos) << set << ": " << problem(set);
}

TEST(ReadDram, RefreshesAndWriteDrainsHavePoliciesOfTheirOwn) {
  EXPECT_EQ(read().refresh_policy.name, "defer-until-empty");
  EXPECT_EQ(read().write_drain.name, "watermarks");
  const DramSpec named = read_text(
      std::string(kSection) + "  refresh_policy: {name: defer-until-empty}\n  write_drain: watermarks\n");
  EXPECT_EQ(named.refresh_policy.name, "defer-until-empty");
  EXPECT_EQ(named.write_drain.name, "watermarks");
  EXPECT_THROW(read_text(std::string(kSection) + "  write_drain: {name: watermarks, high: 3}\n"),
               config::Error);
}

TEST(ReadDram, RcMayBeAClockShortOfRasAndRp) {
  EXPECT_EQ(problem("timing.rc=39"), "");
}

const char* const kHbm2Section = R"(dram:
  standard: hbm2
  channels: 40
  channel_interleave: 256B
  map: RRRRRRRRRRRRRRGBBGGCCCCCPSSSSS
  burst: 32B
  stack_ids: 2
  bank_hash: {P0: [17, 20], G2: [18]}
  channel_hash: [[20, 24], [21, 25]]
  timing: {burst: 2, cl: 15, wl: 7, rcdrd: 11, rcdwr: 6, rp: 13, ras: 25, rrds: 4, rrdl: 6, ccds: 2, ccdl: 3, rtw: 16,
           wtrs: 4, wtrl: 8, wr: 13, rtp: 5, faw: 16, refi: 3420, rfc: 229, refisb: 213, rfcsb: 141, rrefd: 8}
  queue: 64
  write_high: 32
  write_low: 16
  latency: 100cycles
  return_queue: 256
  refresh: bank
  refresh_postpone: 2
)";

DramSpec read_hbm2(const std::string& set = "") {
  config::Document document = config::Document::parse(kHbm2Section, "test.yaml");
  if (!set.empty()) document.set("dram." + set);
  DramSpec spec = read_dram(document.root().section("dram"));
  document.finish();
  return spec;
}

TEST(ReadDram, ReadsPseudoChannelsStackIdsAndRefreshesOfBanks) {
  const DramSpec spec = read_hbm2();
  EXPECT_EQ(spec.map.pseudo_channels(), 2u);
  EXPECT_EQ(spec.pseudo_channels(), 80u);
  EXPECT_EQ(spec.map.stack_ids, 2u);
  EXPECT_EQ(spec.map.bank_hash[0].field, 'P');
  EXPECT_EQ(spec.map.channel_hash.size(), 2u);
  EXPECT_EQ(spec.timing["rc"], 25u + 13u) << "ras + rp";
  EXPECT_EQ(spec.timing["ccdr"], 2u) << "ccds";
  EXPECT_EQ(spec.timing.bank_refresh_interval(), 213u);
  EXPECT_EQ(spec.timing.bank_refresh_time(), 141u);
  EXPECT_TRUE(spec.refresh && spec.refresh_by_bank);
  for (const char* all : {"refresh=all", "refresh=on"}) {
    EXPECT_TRUE(read_hbm2(all).refresh);
    EXPECT_FALSE(read_hbm2(all).refresh_by_bank);
  }
  EXPECT_FALSE(read_hbm2("refresh=off").refresh);
}

TEST(ReadDram, SaysWhatHbm2CannotBe) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"timing.rc=37", "dram.timing.rc: must be at least ras + rp, 38: a bank is precharged"},
      {"timing.ccdr=1", "dram.timing.ccdr: must be at least ccds, 2"},
      {"timing.faw=3", "dram.timing.faw: must be at least rrds, 4"},
      {"timing.rfcsb=7", "dram.timing.rfcsb: must be at least rrefd, 8"},
      {"timing.rfc=140", "dram.timing.rfc: must be at least rfcsb, 141"},
      {"timing.refisb=50", "dram.timing.refisb: must be at least rrefd + rc"},
      {"timing.ppd=1", "dram.timing.ppd: unknown key"},
      {"stack_ids=3", "dram.stack_ids: must be 1, 2 or 4"},
      {"stack_ids=0", "dram.stack_ids"},
      {"stack_ids=8", "dram.stack_ids"},
      {"stack_ids=1", "dram.map: 8 bank groups; hbm2 has 4 in each of 1 stack ids"},
      {"stack_ids=4", "dram.map: 8 bank groups; hbm2 has 4 in each of 4 stack ids"},
      {"map=RRRRRRRRRRRRRRGBGGCCCCCPSSSSS", "dram.map: 2 banks a group; hbm2 has 4"},
      {"map=RRRRRRRRRRRRRRGBBGGCCCCPPSSSSS", "dram.map: a map has at most one P"},
      {"refresh=rank", "dram.refresh"},
      {"bank_hash.P1=[17]", "the map has no P1 to hash"},
      {"channel_hash=[[13]]",
       "dram.channels: a channel's number is hashed with address bits 14 .. 63, not 13"},
  };
  const auto message_of = [](const std::string& set) -> std::string {
    try {
      read_hbm2(set);
    } catch (const config::Error& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& [set, message] : bad) {
    EXPECT_NE(message_of(set).find(message), std::string::npos) << set << ": " << message_of(set);
    EXPECT_NE(message_of(set).find("dram."), std::string::npos) << set;
  }
}

TEST(ReadDram, OtherStandardsHaveNoneOfIt) {
  EXPECT_NE(problem("map=PRRRRRRRRRRRRRRBBGCCCCGCCSSSSSS").find("dram.map: gddr5 has no pseudo-channels"),
            std::string::npos);
  EXPECT_NE(problem("stack_ids=2").find("dram.stack_ids: gddr5 has no stack ids"), std::string::npos);
  EXPECT_NE(problem("refresh=bank").find("dram.refresh: gddr5 has no refresh of single banks"),
            std::string::npos);
}

TEST(ReadDram, TheGtx480sSectionIsWhatTheTestsUse) {
  const GpuSpec gpu = load_platform("gtx480");
  ASSERT_TRUE(gpu.memory);
  const DramSpec& dram = gpu.memory->dram;
  EXPECT_EQ(gpu.memory->dram_hz, 924e6);
  EXPECT_EQ(dram.map.bits, kGtx480Map);
  const DramSpec expected = gddr5_spec();
  for (std::size_t i = 0; i < expected.timing.distances().size(); ++i)
    EXPECT_EQ(dram.timing.distances()[i].distance, expected.timing.distances()[i].distance);
  EXPECT_EQ(dram.timing["cl"], expected.timing["cl"]);
  EXPECT_EQ(dram.timing["refi"], expected.timing["refi"]);
  EXPECT_EQ(dram.queue, expected.queue);
  EXPECT_EQ(dram.latency, 148u);
  EXPECT_TRUE(dram.refresh);
}

TEST(ReadDram, DramPoliciesGoWithADramSection) {
  GpuSpec spec = load_platform("gtx480");
  EXPECT_FALSE(misfit(spec, spec.policies));
  spec.memory.reset();
  const std::map<std::string, PolicyChoice> policies{{"page_policy", {"open", {}}}};
  const auto found = misfit(spec, policies);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->decision, "page_policy");
  EXPECT_EQ(found->message, "page_policy open needs a dram section");
}

}  // namespace
}  // namespace heddle::test
