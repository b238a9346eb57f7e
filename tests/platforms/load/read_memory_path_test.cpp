#include "platforms/load/read_memory_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGood = R"(
crossbar:
  flit: 40B
  header: 8B
  input_buffer: 16
  output_buffer: 16
  latency: 4cycles
l2:
  slices_per_channel: 2
  slice_bit: 8
  slice_hash: [14, 15]
  sets: 64
  ways: 8
  hash: on
  mshrs: 256
  merges: 4
  fill: 64B
  request_latency: 120cycles
  hit_latency: 10cycles
  request_queue: 8
  reply_queue: 8
  dram_queue: 16
  return_queue: 116
  write_backs: 64
  atomic_cycles: 1cycle
  atomic_sectors: on
memory:
  page_size: 2MiB
)";

struct Path {
  NocSpec noc;
  L2Spec l2;
  std::uint64_t page = 0;
};

Path read(config::Document& document) {
  const config::Section root = document.root();
  Path path{read_crossbar(root.section("crossbar")), read_l2(root.section("l2")), 0};
  path.page = read_page_size(root.section("memory"), std::uint64_t{1536} << 20);
  document.finish();
  return path;
}

std::vector<std::string> problems(const std::string& change, const std::string& text = kGood) {
  config::Document document = config::Document::parse(text, "f.yaml");
  try {
    if (!change.empty()) document.set(change);
    read(document);
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

TEST(ReadMemoryPath, EveryKeyArrives) {
  config::Document document = config::Document::parse(kGood, "f.yaml");
  const Path path = read(document);
  EXPECT_EQ(path.noc.flit_bytes, 40u);
  EXPECT_EQ(path.noc.header_bytes, 8u);
  EXPECT_EQ(path.noc.input_flits, 16u);
  EXPECT_EQ(path.noc.output_flits, 16u);
  EXPECT_EQ(path.noc.latency, 4u);
  EXPECT_EQ(path.l2.slices_per_channel, 2u);
  EXPECT_EQ(path.l2.slice_bit, 8u);
  EXPECT_THAT(path.l2.slice_hash, ElementsAre(14u, 15u));
  EXPECT_EQ(path.l2.sets, 64u);
  EXPECT_EQ(path.l2.ways, 8u);
  EXPECT_TRUE(path.l2.hash);
  EXPECT_EQ(path.l2.mshrs, 256u);
  EXPECT_EQ(path.l2.merges, 4u);
  EXPECT_EQ(path.l2.fill_bytes, 64u);
  EXPECT_EQ(path.l2.request_latency, 120u);
  EXPECT_EQ(path.l2.hit_latency, 10u);
  EXPECT_EQ(path.l2.request_queue, 8u);
  EXPECT_EQ(path.l2.reply_queue, 8u);
  EXPECT_EQ(path.l2.dram_queue, 16u);
  EXPECT_EQ(path.l2.return_queue, 116u);
  EXPECT_EQ(path.l2.write_backs, 64u);
  EXPECT_EQ(path.l2.atomic_cycles, 1u);
  EXPECT_TRUE(path.l2.atomic_sectors);
  EXPECT_EQ(path.page, 2u << 20);
}

TEST(ReadMemoryPath, EachBadValueIsReportedAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"crossbar.input_buffer=3", "holds less than the longest packet, 4 flits"},
      {"crossbar.output_buffer=3", "holds less than the longest packet, 4 flits"},
      {"crossbar.flit=0B", "must lie in 1B .. 1KiB"},
      {"crossbar.latency=0cycles", "crossbar.latency"},
      {"l2.sets=48", "must be a power of two"},
      {"l2.slices_per_channel=3", "must be a power of two"},
      {"l2.slice_bit=6", "slice_bit"},
      {"l2.slice_hash=[8]", "a bit of the slice's own number would cancel itself"},
      {"l2.slice_hash=[14, 14]", "the bit is listed twice"},
      {"l2.fill=48B", "must be a power of two"},
      {"l2.fill=128B", "must lie in 32B .. 64B"},
      {"l2.hash=maybe", "l2.hash"},
      {"l2.mshrs=3", "mshrs"},
      {"l2.dram_queue=5", "dram_queue"},
      {"l2.write_backs=1", "write_backs"},
      {"memory.page_size=3MiB", "must be a power of two"},
      {"memory.page_size=2KiB", "must be at least 4KiB"},
      {"memory.page_size=2GiB", "larger than device_memory"},
  };
  for (const auto& [change, message] : bad)
    EXPECT_THAT(problems(change), ElementsAre(HasSubstr(message))) << change;
  EXPECT_THAT(problems(""), IsEmpty());
}

TEST(ReadMemoryPath, EachMissingKeyIsReportedOnce) {
  const std::string text = kGood;
  std::size_t keys = 0;
  for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  ", at + 1)) {
    const std::size_t end = text.find('\n', at + 1);
    const std::string key = text.substr(at + 3, text.find(':', at) - at - 3);
    if (key == "slice_hash") continue;  // an absent list is empty
    const std::string told = key == "page_size" ? "memory: needs a section" : key;
    EXPECT_THAT(problems("", text.substr(0, at) + text.substr(end)), ElementsAre(HasSubstr(told))) << key;
    ++keys;
  }
  EXPECT_EQ(keys, 23u);
}

TEST(ReadMemoryPath, EachCacheNamesItsReplacementPolicy) {
  const auto l2_with = [](const std::string& replacement) {
    config::Document document = config::Document::parse(kGood, "f.yaml");
    if (!replacement.empty()) document.set("l2." + replacement);
    return read(document).l2.replacement;
  };
  EXPECT_EQ(l2_with(""), (PolicyChoice{"lru", {}}));
  EXPECT_EQ(l2_with("replacement=fifo"), (PolicyChoice{"fifo", {}}));
  EXPECT_EQ(l2_with("replacement.name=srrip"), (PolicyChoice{"srrip", {}}));
  EXPECT_THAT(
      problems("l2.replacement=lru2"),
      ElementsAre(HasSubstr("l2.replacement: unknown replacement policy 'lru2'; did you mean 'lru'?")));
}

}  // namespace
}  // namespace heddle
