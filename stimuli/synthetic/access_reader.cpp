#include "stimuli/synthetic/access_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config_names.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostRegionBytes = std::uint64_t{1} << 39;
constexpr std::uint64_t kMostAddresses = std::uint64_t{1} << 32;
constexpr std::uint64_t kBankRowBytes = 128;

const std::vector<std::string> kPatterns{"stream",    "strided", "random", "working_set",
                                         "per_block", "uniform", "scatter"};
const std::vector<std::string> kSharings{"warp", "block", "kernel"};

class AccessReader {
 public:
  AccessReader(const config::Section& section, VirtualSpace& space, SyntheticEntry& entry)
      : section_(section), space_(space), entry_(entry), access_(entry.access) {}

  void read(const std::string& verb, std::uint64_t live_shared) {
    if (!read_space(verb)) return accept_the_rest();
    const std::string bytes = section_.choice("bytes", {"1", "2", "4", "8", "16"}, "4");
    access_.bytes = bytes.empty() ? 4 : static_cast<std::uint32_t>(std::stoul(bytes));
    access_.stride = access_.bytes;
    if (entry_.space == MemorySpace::kShared) return read_shared(live_shared);
    if (entry_.space == MemorySpace::kLocal) return read_local();
    const std::string pattern = section_.choice("pattern", kPatterns);
    read_place();
    if (entry_.space == MemorySpace::kGlobal) entry_.bypass_l1 = section_.boolean("bypass_l1", false);
    if (pattern == "stream" || pattern == "strided") return read_stream(pattern == "strided");
    if (pattern == "random" || pattern == "working_set") return read_set(pattern == "random");
    if (pattern == "per_block") return read_tile();
    if (pattern == "scatter") return read_scatter();
    access_.pattern = Pattern::kUniform;
    if (pattern != "uniform") accept_the_rest();
  }

 private:
  bool read_space(const std::string& verb) {
    static const std::vector<std::pair<std::string, MemorySpace>> spaces{{"global", MemorySpace::kGlobal},
                                                                         {"shared", MemorySpace::kShared},
                                                                         {"local", MemorySpace::kLocal},
                                                                         {"constant", MemorySpace::kConstant},
                                                                         {"texture", MemorySpace::kTexture}};
    const std::size_t known = verb == "load" ? 5 : verb == "store" ? 3 : 2;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < known; ++i) names.push_back(spaces[i].first);
    const std::string name = section_.choice(verb, names);
    entry_.space = MemorySpace::kGlobal;
    for (const auto& [text, space] : spaces)
      if (text == name) entry_.space = space;
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Accepts all other keys of the entry. Without a valid space and pattern it is unknown which keys belong to
  // it.
  void accept_the_rest() {
    for (const std::string& key : section_.keys()) section_.has(key);
  }

  // Reads `buffer`, a buffer of the application, or `region`, a region of the entry's own.
  void read_place() {
    if (section_.has("buffer") == section_.has("region"))
      return section_.problem("it needs either a 'buffer' of the application or a 'region' of so many bytes");
    if (section_.has("region")) {
      access_.size = section_.bytes("region");
      if (access_.size > kMostRegionBytes)
        section_.value("region").problem("more than 512 GiB");
      else
        access_.base = space_.take(access_.size);
    } else {
      read_buffer(section_.value("buffer"));
    }
    if (access_.size < access_.bytes)
      section_.problem(fmt::format("{} bytes hold no element of {}", access_.size, access_.bytes));
  }

  void read_buffer(const config::Value& value) {
    const std::string name = value.text();
    std::vector<std::string> names;
    for (const ApiBuffer& buffer : space_.buffers()) names.push_back(buffer.name);
    const auto found = std::find(names.begin(), names.end(), name);
    access_.size = access_.bytes;
    if (found == names.end()) {
      return value.problem(fmt::format("no buffer '{}'{}", name, config::suggestion(name, names)));
    }
    const auto index = static_cast<std::uint32_t>(found - names.begin());
    entry_.buffer = index;
    access_.base = space_.base(index);
    access_.size = space_.buffers()[index].bytes;
  }

  void read_sharing(const std::string& fallback) {
    const std::string per = section_.choice("per", kSharings, fallback);
    access_.per = per == "warp" ? Sharing::kWarp : per == "block" ? Sharing::kBlock : Sharing::kKernel;
  }

  void read_stream(bool strided) {
    access_.pattern = Pattern::kStream;
    read_sharing("block");
    if (!strided) return;
    access_.stride = section_.bytes("stride");
    if (!section_.has("stride")) return;
    if (access_.stride == 0 || access_.stride % access_.bytes != 0)
      section_.value("stride").problem(
          fmt::format("a stride is a multiple of the {} bytes of an element", access_.bytes));
    access_.stride = std::max<std::uint64_t>(access_.stride, 1);
  }

  // Reads the number of lines that a warp touches. The default is the least number that holds 32 elements.
  void read_lines() {
    const std::int64_t fewest = std::max<std::int64_t>(kLanes * access_.bytes / kLineBytes, 1);
    access_.lines = std::max(1u, static_cast<std::uint32_t>(section_.integer("lines", {1, kLanes}, fewest)));
  }

  void check_set(const std::string& key) {
    const std::uint64_t least = std::uint64_t{access_.lines} * kLineBytes;
    const auto complain = [&](const std::string& message) {
      if (section_.has(key))
        section_.value(key).problem(message);
      else
        section_.problem(message);
    };
    if (access_.set > access_.size)
      complain(fmt::format("a set of {} bytes in {}", access_.set, access_.size));
    else if (access_.set % kLineBytes != 0)
      complain(fmt::format("a set is whole lines of {} bytes", kLineBytes));
    else if (access_.set < least)
      complain(fmt::format("a set of {} bytes; a warp's {} lines are {}", access_.set, access_.lines, least));
  }

  void read_set(bool random) {
    access_.pattern = random ? Pattern::kRandom : Pattern::kWorkingSet;
    read_sharing("kernel");
    read_lines();
    access_.set = section_.bytes("set", access_.size / kLineBytes * kLineBytes);
    check_set("set");
  }

  void read_tile() {
    access_.pattern = Pattern::kPerBlock;
    read_lines();
    access_.set = section_.bytes("tile");
    access_.times = static_cast<std::uint64_t>(section_.integer("times", {1, 1 << 30}, 1));
    if (!section_.has("tile")) return;
    check_set("tile");
    if (access_.set % kLineBytes == 0 && access_.set % (access_.lines * kLineBytes) != 0)
      section_.value("tile").problem(
          fmt::format("a tile is a multiple of the {} lines a warp reads at once", access_.lines));
  }

  void read_scatter() {
    access_.pattern = Pattern::kScatter;
    const std::uint64_t elements = std::clamp<std::uint64_t>(access_.size / access_.bytes, 1, kMostAddresses);
    access_.addresses = static_cast<std::uint64_t>(section_.integer(
        "addresses", {1, static_cast<std::int64_t>(kMostAddresses)}, static_cast<std::int64_t>(elements)));
    if (access_.addresses > elements)
      section_.value("addresses")
          .problem(fmt::format("{} addresses; {} bytes hold {} elements", access_.addresses, access_.size,
                               elements));
  }

  void read_shared(std::uint64_t live_shared) {
    access_.pattern = Pattern::kShared;
    access_.size = live_shared;
    access_.conflicts =
        std::max(1u, static_cast<std::uint32_t>(section_.integer("conflicts", {1, kLanes}, 1)));
    if (access_.conflicts > 1 && access_.bytes != 4)
      section_.value("conflicts").problem("conflicts are between words of 4 bytes");
    const std::uint64_t rows = std::max<std::uint64_t>(
        access_.conflicts, (kLanes * access_.bytes + kBankRowBytes - 1) / kBankRowBytes);
    if (live_shared < rows * kBankRowBytes)
      section_.problem(fmt::format("it spreads over {} bytes of shared memory; {} are live here",
                                   rows * kBankRowBytes, live_shared));
  }

  void read_local() {
    access_.pattern = Pattern::kLocal;
    access_.set = section_.bytes("set", access_.bytes);
    access_.size = access_.set;
    if (access_.set == 0 || access_.set % access_.bytes != 0 || access_.set > kMostRegionBytes)
      section_.value("set").problem(fmt::format("local memory is a multiple of {} bytes", access_.bytes));
  }

  const config::Section& section_;
  VirtualSpace& space_;
  SyntheticEntry& entry_;
  AccessPattern& access_;
};

}  // namespace

VirtualSpace::VirtualSpace(const std::vector<ApiBuffer>& buffers) : buffers_(buffers) {
  for (const ApiBuffer& buffer : buffers) bases_.push_back(take(buffer.bytes));
}

Address VirtualSpace::take(std::uint64_t bytes) {
  const Address base = next_;
  next_ += (std::max<std::uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  return base;
}

void read_access(const config::Section& section, const std::string& verb, VirtualSpace& space,
                 std::uint64_t live_shared, SyntheticEntry& entry) {
  AccessReader(section, space, entry).read(verb, live_shared);
}

}  // namespace heddle
