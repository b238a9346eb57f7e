// Cases of the L2 slice between two AXI4 ports: reads and writes of a few lines, bursts that are not of one
// line, and errors of memory. Every handshake is held up at random. The bench keeps the contents of all lines
// as the requester and as memory see them, and the lines that are cached, in the order in which the unit
// takes the requester's bursts. A case answers with the number of its bursts and of violations; there are
// none.

#include <array>
#include <list>
#include <map>

#include "models/core/base/random.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::uint64_t kSets = 4;
constexpr std::uint64_t kWays = 2;
constexpr std::uint64_t kBeats = 4;
constexpr std::uint64_t kLineBytes = 32;  // beats of 64 bits
constexpr std::uint64_t kError = 2;

using Beats = std::array<std::uint64_t, kBeats>;

struct Burst {
  bool write = false;
  bool wrong = false;  // not of one line
  std::uint64_t id = 0;
  std::uint64_t address = 0;
  std::uint64_t len = kBeats - 1;
  std::uint64_t size = 3;
  std::uint64_t kind = 1;
  Beats data{};
  Beats strobes{};
};

std::uint64_t mask_of(std::uint64_t strobes) {
  std::uint64_t mask = 0;
  for (int i = 0; i < 8; ++i)
    if ((strobes >> i & 1) != 0) mask |= std::uint64_t{0xff} << 8 * i;
  return mask;
}

// The contents of a line that nobody has written.
Beats first_contents(std::uint64_t address) {
  Random random(address);
  Beats beats;
  for (std::uint64_t& beat : beats) beat = random.next();
  return beats;
}

// What lines hold, and which of them are cached: the reference for the unit.
class Lines {
 public:
  struct Command {
    bool write = false;
    std::uint64_t address = 0;
    Beats data{};
  };

  Beats& contents(std::uint64_t address) {
    return lines_.try_emplace(address, first_contents(address)).first->second;
  }

  // The commands to memory that the use of a line needs.
  std::vector<Command> use(std::uint64_t address, bool write) {
    std::list<Line>& set = sets_[address / kLineBytes % kSets];
    std::vector<Command> commands;
    auto at = set.begin();
    while (at != set.end() && at->address != address) ++at;
    if (at == set.end()) {
      if (set.size() == kWays) {
        if (set.back().dirty) commands.push_back({true, set.back().address, contents(set.back().address)});
        set.pop_back();
      }
      commands.push_back({false, address, {}});
      at = set.insert(set.begin(), {address, false});
      ++misses;
    } else {
      ++hits;
    }
    at->dirty = at->dirty || write;
    set.splice(set.begin(), set, at);
    if (commands.size() == 2) ++write_backs;
    return commands;
  }

  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t write_backs = 0;

 private:
  struct Line {
    std::uint64_t address = 0;
    bool dirty = false;
  };
  std::map<std::uint64_t, Beats> lines_;
  std::map<std::uint64_t, std::list<Line>> sets_;
};

// Drives the unit until all bursts are answered. Reads follow each other, and so do writes.
class Axi4Run {
 public:
  Axi4Run(RtlInstance& unit, const std::vector<Burst>& bursts, std::uint64_t seed)
      : unit_(unit), random_(seed), hurry_(random_.below(3)), patient_(random_.below(4) == 0) {
    for (const Burst& burst : bursts) channels_[burst.write ? 1 : 0].bursts.push_back(burst);
  }

  std::vector<std::uint64_t> choices() {
    const std::size_t all = channels_[0].bursts.size() + channels_[1].bursts.size();
    for (std::uint64_t ticks = 0; ticks < kMostTicks && channels_[0].done + channels_[1].done < all; ++ticks)
      run_tick();
    return {channels_[0].done + channels_[1].done, violations_ + commands_.size()};
  }
  const Lines& lines() const { return lines_; }

 private:
  static constexpr std::uint64_t kMostTicks = 20000;
  enum Output { kRead, kAnswer, kMemoryWrite, kMemoryData, kMemoryRead, kOutputs };
  using Outputs = std::array<std::vector<std::uint64_t>, kOutputs>;

  // The reads or the writes of the requester.
  struct Channel {
    std::vector<Burst> bursts;
    std::size_t done = 0;    // answered; the one after these is the present one
    bool offered = false;    // its address is offered
    bool taken = false;      // and has been taken
    std::uint64_t beat = 0;  // of its data
    bool data_offered = false;
    bool data_sent = false;
    Beats expected{};  // of a read
    bool failed = false;
    const Burst* present() const { return done < bursts.size() ? &bursts[done] : nullptr; }
  };

  bool often() { return random_.below(4) < 1 + hurry_; }
  void require(bool good) {
    if (!good) ++violations_;
  }
  std::uint64_t at(const char* pin) const { return get(unit_, pin); }
  void put(const char* pin, std::uint64_t value) { set(unit_, pin, value); }

  // By channel: valid, and what stands beside it.
  Outputs outputs() const {
    return {{{at("s_rvalid_o"), at("s_rid_o"), at("s_rdata_o"), at("s_rresp_o"), at("s_rlast_o")},
             {at("s_bvalid_o"), at("s_bid_o"), at("s_bresp_o")},
             {at("m_awvalid_o"), at("m_awaddr_o"), at("m_awlen_o"), at("m_awsize_o"), at("m_awburst_o")},
             {at("m_wvalid_o"), at("m_wdata_o"), at("m_wstrb_o"), at("m_wlast_o")},
             {at("m_arvalid_o"), at("m_araddr_o"), at("m_arlen_o"), at("m_arsize_o"), at("m_arburst_o")}}};
  }

  void set_readies(const std::array<bool, kOutputs>& ready, bool flip) {
    static constexpr const char* kPins[] = {"s_rready_i", "s_bready_i", "m_awready_i", "m_wready_i",
                                            "m_arready_i"};
    for (std::size_t i = 0; i < kOutputs; ++i) put(kPins[i], ready[i] != flip ? 1 : 0);
    unit_.eval();
  }

  void run_tick() {
    drive_requester();
    drive_memory();
    std::array<bool, kOutputs> ready{};
    for (std::size_t i = 0; i < kOutputs; ++i) ready[i] = often() && (!patient_ || !waiting_[i].empty());
    set_readies(ready, true);
    const Outputs flipped = outputs();
    set_readies(ready, false);
    const Outputs now = outputs();
    require(now == flipped);  // no output depends on a ready
    for (std::size_t i = 0; i < kOutputs; ++i) require(waiting_[i].empty() || waiting_[i] == now[i]);
    std::array<bool, kOutputs> passes{};
    for (std::size_t i = 0; i < kOutputs; ++i) {
      passes[i] = now[i][0] != 0 && ready[i];
      waiting_[i] = now[i][0] != 0 && !ready[i] ? now[i] : std::vector<std::uint64_t>{};
    }
    if (passes[kRead]) take_beat(now[kRead]);
    if (passes[kAnswer]) take_answer(now[kAnswer]);
    if (passes[kMemoryWrite]) take_command(now[kMemoryWrite], true);
    if (passes[kMemoryData]) take_memory_data(now[kMemoryData]);
    if (passes[kMemoryRead]) take_command(now[kMemoryRead], false);
    finish_memory();
    finish_requests();
    tick(unit_);
  }

  // ---- the requester

  void drive_address(const std::string& port, Channel& channel) {
    const Burst* burst = channel.present();
    channel.offered = burst != nullptr && !channel.taken && (channel.offered || often());
    const Burst shown = channel.offered ? *burst : Burst{};
    put((port + "valid_i").c_str(), channel.offered ? 1 : 0);
    put((port + "id_i").c_str(), shown.id);
    put((port + "addr_i").c_str(), shown.address);
    put((port + "len_i").c_str(), shown.len);
    put((port + "size_i").c_str(), shown.size);
    put((port + "burst_i").c_str(), shown.kind);
  }

  // Stands at an input whose valid is low, where it does not count.
  std::uint64_t anything() { return random_.below(2); }

  // The data of a write may come before its address.
  void drive_requester() {
    drive_address("s_ar", channels_[0]);
    Channel& writes = channels_[1];
    drive_address("s_aw", writes);
    const Burst* burst = writes.present();
    writes.data_offered = burst != nullptr && !writes.data_sent && (writes.data_offered || often());
    const std::size_t beat = writes.beat % kBeats;
    put("s_wvalid_i", writes.data_offered ? 1 : 0);
    put("s_wdata_i", writes.data_offered ? burst->data[beat] : 1);
    put("s_wstrb_i", writes.data_offered ? burst->strobes[beat] : 0xff);
    put("s_wlast_i", writes.data_offered ? (writes.beat == burst->len ? 1 : 0) : anything());
  }

  void finish_requests() {
    const bool waits = channels_[0].offered && channels_[1].offered;
    const std::array<bool, 2> ready{at("s_arready_o") != 0, at("s_awready_o") != 0};
    for (std::size_t i = 0; i < 2; ++i) {
      if (!channels_[i].offered || !ready[i]) continue;
      require(!waits || !other_waited_ || i != last_taken_);  // the one that has waited goes first
      other_waited_ = waits;
      last_taken_ = i;
      take_request(channels_[i]);
    }
    Channel& writes = channels_[1];
    if (!writes.data_offered || at("s_wready_o") == 0) return;
    require(writes.taken);
    writes.data_sent = writes.beat == writes.present()->len;
    writes.data_offered = false;
    ++writes.beat;
  }

  void take_request(Channel& channel) {
    const Burst& burst = *channel.present();
    require(commands_.empty());  // memory has seen all that was needed before
    channel.taken = true;
    channel.offered = channel.failed = false;
    serving_ = &channel;
    if (burst.wrong) return;
    const std::vector<Lines::Command> needed = lines_.use(burst.address, burst.write);
    commands_.assign(needed.begin(), needed.end());
    Beats& contents = lines_.contents(burst.address);
    channel.expected = contents;
    for (std::size_t i = 0; burst.write && i < kBeats; ++i) {
      const std::uint64_t mask = mask_of(burst.strobes[i]);
      contents[i] = (contents[i] & ~mask) | (burst.data[i] & mask);
    }
  }

  void take_beat(const std::vector<std::uint64_t>& said) {
    Channel& reads = channels_[0];
    const Burst* burst = reads.present();
    require(reads.taken);
    if (burst == nullptr || !reads.taken) return;
    require(said[1] == burst->id && said[4] == (reads.beat == burst->len ? 1 : 0));
    require(said[3] == (burst->wrong || reads.failed ? kError : 0));
    require(burst->wrong || said[2] == reads.expected[reads.beat % kBeats]);
    if (reads.beat++ == burst->len) finish(reads);
  }

  void take_answer(const std::vector<std::uint64_t>& said) {
    Channel& writes = channels_[1];
    const Burst* burst = writes.present();
    require(writes.taken && writes.data_sent);
    if (burst == nullptr || !writes.taken) return;
    require(said[1] == burst->id && said[2] == (burst->wrong || writes.failed ? kError : 0));
    finish(writes);
  }

  static void finish(Channel& channel) {
    ++channel.done;
    channel.beat = 0;
    channel.taken = channel.data_sent = channel.failed = false;
  }

  // ---- memory

  void drive_memory() {
    answers_write_ = written_ && (answers_write_ || often());
    if (written_ && !memory_resp_drawn_) memory_resp_ = random_.below(16) == 0 ? kError : 0;
    memory_resp_drawn_ = written_;
    put("m_bvalid_i", answers_write_ ? 1 : 0);
    put("m_bresp_i", answers_write_ ? memory_resp_ : kError * anything());
    sends_beat_ = reading_ && (sends_beat_ || often());
    put("m_rvalid_i", sends_beat_ ? 1 : 0);
    put("m_rdata_i", sends_beat_ ? memory_line()[memory_beat_] : 0);
    put("m_rresp_i", sends_beat_ ? (fails_read_ ? kError : 0) : kError * anything());
    put("m_rlast_i", sends_beat_ ? (memory_beat_ + 1 == kBeats ? 1 : 0) : anything());
  }

  Beats& memory_line() {
    return memory_.try_emplace(memory_address_, first_contents(memory_address_)).first->second;
  }

  void take_command(const std::vector<std::uint64_t>& said, bool write) {
    require(!commands_.empty() && commands_.front().write == write && commands_.front().address == said[1]);
    require(said[2] == kBeats - 1 && said[3] == 3 && said[4] == 1);
    require(!serves_);
    serves_ = true;
    memory_address_ = said[1];
    memory_beat_ = 0;
    if (write) return;
    reading_ = true;
    fails_read_ = random_.below(16) == 0;
  }

  void take_memory_data(const std::vector<std::uint64_t>& said) {
    require(!commands_.empty() && commands_.front().data[memory_beat_ % kBeats] == said[1]);
    require(said[2] == 0xff && said[3] == (memory_beat_ + 1 == kBeats ? 1 : 0));
    memory_line()[memory_beat_ % kBeats] = said[1];
    written_ = ++memory_beat_ == kBeats;
  }

  void finish_memory() {
    if (answers_write_ && at("m_bready_o") != 0) {
      written_ = answers_write_ = false;
      finish_command(memory_resp_ != 0);
    }
    if (sends_beat_ && at("m_rready_o") != 0) {
      sends_beat_ = false;
      if (++memory_beat_ < kBeats) return;
      reading_ = false;
      finish_command(fails_read_);
    }
  }

  void finish_command(bool failed) {
    serves_ = false;
    if (commands_.empty() || serving_ == nullptr) return;
    commands_.erase(commands_.begin());
    serving_->failed = serving_->failed || failed;
  }

  RtlInstance& unit_;
  Random random_;
  const std::uint64_t hurry_;  // how seldom a handshake is held up
  const bool patient_;         // no ready before its valid
  std::uint64_t violations_ = 0;
  Lines lines_;
  std::array<Channel, 2> channels_;
  Channel* serving_ = nullptr;
  std::size_t last_taken_ = 0;
  bool other_waited_ = false;             // a read and a write waited when the last one was taken
  std::vector<Lines::Command> commands_;  // that memory must see for the present burst
  std::array<std::vector<std::uint64_t>, kOutputs> waiting_;

  std::map<std::uint64_t, Beats> memory_;
  bool serves_ = false;  // a command
  std::uint64_t memory_address_ = 0;
  std::uint64_t memory_beat_ = 0;
  std::uint64_t memory_resp_ = 0;
  bool memory_resp_drawn_ = false;
  bool written_ = false;  // all beats of a write have come
  bool answers_write_ = false;
  bool reading_ = false;
  bool sends_beat_ = false;
  bool fails_read_ = false;
};

class Axi4Bench final : public UnitBench {
 public:
  explicit Axi4Bench(std::uint64_t seed) : random_(seed) {}

  void draw() override {
    bursts_.resize(1 + random_.below(40));
    for (Burst& burst : bursts_) burst = draw_burst();
    seed_ = random_.next();
    expected_.choices = {bursts_.size(), 0};
  }

  const Answer& oracle() const override { return expected_; }
  const std::vector<std::uint64_t>& model() const override { return expected_.choices; }
  std::uint64_t model_choices() const override { return 0; }  // the model has no such block

  // Each case begins with a reset. The counters follow the order of the bursts, so they are compared here.
  Answer ask(RtlInstance& unit) const override {
    for (const char* pin : {"s_arvalid_i", "s_awvalid_i", "s_wvalid_i", "m_bvalid_i", "m_rvalid_i"})
      set(unit, pin, 0);
    reset(unit);
    Axi4Run run(unit, bursts_, seed_);
    Answer answer;
    answer.choices = run.choices();
    const bool counts = get(unit, "hits_o") == run.lines().hits &&
                        get(unit, "misses_o") == run.lines().misses &&
                        get(unit, "write_backs_o") == run.lines().write_backs;
    if (!counts) ++answer.choices[1];
    return answer;
  }

 private:
  // One burst in eight is not of one line.
  Burst draw_burst() {
    Burst burst;
    burst.write = random_.below(2) == 0;
    burst.id = random_.below(256);
    burst.address = (random_.below(4) * kSets + random_.below(kSets) + (random_.below(2) << 30)) * kLineBytes;
    for (std::uint64_t& beat : burst.data) beat = random_.next();
    for (std::uint64_t& strobes : burst.strobes) strobes = random_.below(3) == 0 ? random_.below(256) : 0xff;
    burst.wrong = random_.below(8) == 0;
    if (!burst.wrong) return burst;
    switch (random_.below(4)) {
      case 0:
        burst.len = random_.below(2) == 0 ? random_.below(kBeats - 1) : kBeats + random_.below(6);
        break;
      case 1:
        burst.size = random_.below(3);
        break;
      case 2:
        burst.kind = 2 * random_.below(2);
        break;
      default:
        burst.address += 8 * (1 + random_.below(kBeats - 1));
    }
    return burst;
  }

  Random random_;
  std::uint64_t seed_ = 0;
  std::vector<Burst> bursts_;
  Answer expected_;
};

}  // namespace

std::vector<Unit> axi4_units() {
  return {{{"l2_tags_axi4",
            {"l2_tags.sv", "l2_tags_axi4.sv"},
            {{"DATA_BITS", "64"}, {"LINE_BYTES", "32"}, {"SETS", "4"}, {"WAYS", "2"}}},
           2000,
           0,
           [](std::uint64_t seed) { return std::make_unique<Axi4Bench>(seed); }}};
}

}  // namespace heddle::test
