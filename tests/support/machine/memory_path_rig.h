#pragma once
// A memory path: one source per SM, a crossbar, L2 slices and one MemorySink behind each slice, in four clock
// domains. If `checkers` is set, every link has a checker of the base protocol.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/time/watchdog.h"
#include "models/l2/l2_slice.h"
#include "models/noc/crossbar.h"
#include "tests/support/machine/crossbar_arbiters.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/machine/protocol_checker.h"

namespace heddle::test {

struct MemoryPathOptions {
  std::uint32_t sms = 5;
  std::uint32_t slices = 4;
  double core_hz = 701e6;
  double icnt_hz = 643e6;
  double l2_hz = 577e6;
  double dram_hz = 924e6;
  NocSpec noc;
  std::string arbiter = "round-robin";
  L2Spec l2;
  MemorySink::Options dram;
  std::uint64_t page_bytes = 64 << 10;
  std::uint64_t memory_bytes = 256 << 20;
  bool checkers = true;
  bool reversed = false;
};

class MemoryPathRig {
 public:
  static constexpr std::uint64_t kInterleave = 256;  // bytes per slice before the next slice follows

  // Builds everything but the sources, which finish() adds.
  explicit MemoryPathRig(const MemoryPathOptions& rig_options)
      : options(rig_options), pages(options.page_bytes, options.memory_bytes, 4) {
    steps_.emplace_back([this] { core = std::make_unique<ClockDomain>("core", options.core_hz); });
    steps_.emplace_back([this] { icnt = std::make_unique<ClockDomain>("icnt", options.icnt_hz); });
    steps_.emplace_back([this] { l2 = std::make_unique<ClockDomain>("l2", options.l2_hz); });
    steps_.emplace_back([this] { dram = std::make_unique<ClockDomain>("dram", options.dram_hz); });
    build();
    slices.resize(options.slices);
    sinks.resize(options.slices);
    steps_.emplace_back([this] { make_crossbar(); });
    for (std::uint32_t i = 0; i < options.slices; ++i) {
      steps_.emplace_back([this, i] { make_slice(i); });
      steps_.emplace_back([this, i] { make_sink(i); });
    }
  }

  // Makes the sources and binds all sockets. `make_source(i)` makes the source that stands for SM i;
  // `socket(i)` returns its socket.
  void finish(const std::function<void(std::uint32_t)>& make_source,
              const std::function<tlm::tlm_initiator_socket<>&(std::uint32_t)>& socket) {
    for (std::uint32_t i = 0; i < options.sms; ++i) steps_.emplace_back([=] { make_source(i); });
    build();
    for (std::uint32_t i = 0; i < options.sms; ++i) link(socket(i), crossbar->sm(i), "sm_link");
    for (std::uint32_t i = 0; i < options.slices; ++i) {
      link(crossbar->slice(i), slices[i]->crossbar(), "slice_link");
      link(slices[i]->dram(), sinks[i]->socket(), "dram_link");
    }
  }

  void watch(Watchdog& watchdog) {
    watchdog.watch(
        {"crossbar", {}, [this] { return crossbar->idle(); }, [this] { return crossbar->waiting_for(); }});
    for (const auto& slice : slices)
      watchdog.watch({slice->basename(),
                      {},
                      [&s = *slice] { return s.idle(); },
                      [&s = *slice] { return s.waiting_for(); }});
  }

  bool idle() const {
    return crossbar->idle() &&
           std::all_of(slices.begin(), slices.end(), [](const auto& s) { return s->idle(); });
  }

  const MemoryPathOptions options;
  PageTables pages;
  std::unique_ptr<ClockDomain> core, icnt, l2, dram;
  std::unique_ptr<Crossbar> crossbar;
  std::vector<std::unique_ptr<L2Slice>> slices;
  std::vector<std::unique_ptr<MemorySink>> sinks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;

 private:
  void build() {
    if (options.reversed) std::reverse(steps_.begin(), steps_.end());
    for (const auto& step : steps_) step();
    steps_.clear();
  }
  void make_crossbar() {
    const auto slice_of = [n = options.slices](Address address) {
      return static_cast<std::uint32_t>(address / kInterleave % n);
    };
    crossbar = std::make_unique<Crossbar>(
        "crossbar", options.noc, options.sms, options.slices,
        Crossbar::Deps{*icnt, pages, slice_of, crossbar_arbiters(options.slices, options.arbiter),
                       crossbar_arbiters(options.sms, options.arbiter)});
  }
  void make_slice(std::uint32_t i) {
    const auto local = [n = options.slices](Address address) {
      return address / kInterleave / n * kInterleave + address % kInterleave;
    };
    slices[i] =
        std::make_unique<L2Slice>(("l2s" + std::to_string(i)).c_str(), options.l2, L2Slice::Deps{*l2, local});
  }
  void make_sink(std::uint32_t i) {
    MemorySink::Options sink = options.dram;
    sink.seed += i;
    sinks[i] = std::make_unique<MemorySink>(("dram" + std::to_string(i)).c_str(), *dram, sink);
    sinks[i]->keep = false;
  }
  void link(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to, const std::string& name) {
    if (!options.checkers) {
      from.bind(to);
      return;
    }
    checkers.push_back(std::make_unique<ProtocolChecker>((name + std::to_string(checkers.size())).c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }

  std::vector<std::function<void()>> steps_;
};

}  // namespace heddle::test
