// The handshake of memory ports with a peer that annotates delays.

#include "models/core/link/memory_port.h"

#include <gtest/gtest.h>

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <map>
#include <memory>

#include "models/core/base/random.h"
#include "models/core/link/memory_tap.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/random_requester.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

using Payload = tlm::tlm_generic_payload;

constexpr std::uint32_t kRequests = 300;

sc_core::sc_time some_delay(Random& random) {
  return {static_cast<double>(random.below(41)), sc_core::SC_NS};
}

// An initiator that sends each request ahead of its time.
class EarlyInitiator : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  explicit EarlyInitiator(sc_core::sc_module_name name) : sc_core::sc_module(name), pool_(kRequests, 32) {
    socket.bind(*this);
    SC_HAS_PROCESS(EarlyInitiator);
    SC_THREAD(run);
  }

  tlm::tlm_initiator_socket<> socket{"socket"};
  std::uint32_t answered = 0;

 private:
  void run() {
    for (std::uint32_t i = 0; i < kRequests; ++i) {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = some_delay(random_);
      if (socket->nb_transport_fw(pool_.take(tlm::TLM_READ_COMMAND, 32 * i, 32), phase, delay) ==
          tlm::TLM_ACCEPTED)
        wait(taken_);
      else
        wait(delay);
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_REQ) {
      taken_.notify(delay);
      return tlm::TLM_ACCEPTED;
    }
    ++answered;
    phase = tlm::END_RESP;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Random random_{5};
  PayloadPool pool_;
  sc_core::sc_event taken_;
};

// A target that announces each response ahead of its time.
class EarlyTarget : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  explicit EarlyTarget(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(*this);
    SC_HAS_PROCESS(EarlyTarget);
    SC_THREAD(run);
  }

  tlm::tlm_target_socket<> socket{"socket"};

 private:
  void run() {
    for (;; requests_.pop_front()) {
      while (requests_.empty()) wait(arrived_);
      Payload& payload = *requests_.front();
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = some_delay(random_);
      if (socket->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED)
        wait(taken_);
      else
        wait(delay);
      payload.release();
    }
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      taken_.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    requests_.push_back(&payload);
    arrived_.notify(delay);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(Payload&, sc_core::sc_time&) override {}
  unsigned int transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }

  Random random_{7};
  std::deque<Payload*> requests_;
  sc_core::sc_event arrived_;
  sc_core::sc_event taken_;
};

// What a tap has shown, by request.
class Shown : public MemoryObserver {
 public:
  struct Times {
    int requests = 0;
    int responses = 0;
  };
  void request(Payload& payload, const sc_core::sc_time&) override {
    ++of(payload).requests;
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void response(Payload& payload, const sc_core::sc_time&) override {
    ++of(payload).responses;
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  }
  std::map<Address, Times> times;  // by address; no two requests have the same

 private:
  Times& of(const Payload& payload) { return times[payload.get_address()]; }
};

constexpr std::uint32_t kTapped = 200;

std::vector<TrafficSource::Request> reads() {
  std::vector<TrafficSource::Request> traffic;
  for (std::uint32_t i = 0; i < kTapped; ++i)
    traffic.push_back({tlm::TLM_READ_COMMAND, Address{i} * 32, 32, Cycle{1}});
  return traffic;
}

void expect_each_once(const Shown& shown) {
  EXPECT_EQ(shown.times.size(), kTapped);
  for (const auto& [address, times] : shown.times) {
    EXPECT_EQ(times.requests, 1) << address;
    EXPECT_EQ(times.responses, 1) << address;
  }
}

// A tap has sockets, which stand within a module.
struct TapModule : sc_core::sc_module {
  TapModule(sc_core::sc_module_name name, MemoryObserver& observer)
      : sc_core::sc_module(name), tap("tap", observer) {}
  MemoryTap tap;
};

// A source and a memory with a tap between them. The source gives END_RESP at once for so many responses.
void tap(std::size_t responses, Shown& shown) {
  ClockDomain clock("clock", 1e9);
  TrafficSource source("source", clock, reads(), SmId{0}, responses);
  TapModule between("between", shown);
  ProtocolChecker checker("checker");
  MemorySink sink("sink", clock, {1, 1, 9, 64, 5});
  source.memory().bind(between.tap.target);
  between.tap.initiator.bind(checker.target);
  checker.initiator.bind(sink.socket());
  run_dry();
  EXPECT_EQ(source.done().size(), kTapped);
  EXPECT_TRUE(checker.idle());
}

TEST(MemoryTap, CountsAResponseThatIsTakenAtOnceOnce) {
  Shown shown;
  tap(TrafficSource::kOutstanding, shown);
  expect_each_once(shown);
}

// The target answers END_RESP with TLM_COMPLETED.
TEST(MemoryTap, CountsAResponseWhoseEndIsHeldBackOnce) {
  Shown shown;
  tap(0, shown);
  expect_each_once(shown);
}

// A target that answers within the call of the request, or within a blocking one.
class PromptTarget : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  PromptTarget(sc_core::sc_module_name name, bool completes)
      : sc_core::sc_module(name), completes_(completes) {
    socket.bind(*this);
  }
  tlm::tlm_target_socket<> socket{"socket"};

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (completes_) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
  void b_transport(Payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned int transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }

  const bool completes_;
};

TEST(MemoryTap, CountsAResponseWithinTheCallOfItsRequestOnce) {
  Shown shown[2];
  ClockDomain clock("clock", 1e9);
  std::vector<std::unique_ptr<TrafficSource>> sources;
  std::vector<std::unique_ptr<TapModule>> taps;
  std::vector<std::unique_ptr<PromptTarget>> targets;
  for (const bool completes : {false, true}) {
    const std::string number = completes ? "1" : "0";
    sources.push_back(std::make_unique<TrafficSource>(("source" + number).c_str(), clock, reads()));
    taps.push_back(std::make_unique<TapModule>(("between" + number).c_str(), shown[completes]));
    targets.push_back(std::make_unique<PromptTarget>(("target" + number).c_str(), completes));
    sources.back()->memory().bind(taps.back()->tap.target);
    taps.back()->tap.initiator.bind(targets.back()->socket);
  }
  run_dry();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(sources[i]->done().size(), kTapped);
    expect_each_once(shown[i]);
  }
}

// Any initiator may call b_transport().
struct BlockingSource : sc_core::sc_module {
  explicit BlockingSource(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(BlockingSource);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<BlockingSource> socket{"socket"};
  void run() {
    for (std::uint32_t i = 0; i < kTapped; ++i) {
      unsigned char data[32];
      Payload payload;
      payload.set_read();
      payload.set_address(Address{i} * 32);
      payload.set_data_ptr(data);
      payload.set_data_length(sizeof data);
      payload.set_streaming_width(sizeof data);
      sc_core::sc_time delay;
      socket->b_transport(payload, delay);
    }
  }
};

TEST(MemoryTap, ShowsABlockingCallAsARequestAndItsResponse) {
  Shown shown;
  BlockingSource source("source");
  TapModule between("between", shown);
  PromptTarget target("target", true);
  source.socket.bind(between.tap.target);
  between.tap.initiator.bind(target.socket);
  run_dry();
  expect_each_once(shown);
}

// The target is slower than the initiator, so that requests wait for their END_REQ.
TEST(MemoryPort, ATargetsCallsForAPayloadNeverTakeEffectBeforeItsRequest) {
  struct Link {
    Link(const std::string& number, ClockDomain& clock, std::size_t capacity)
        : source(("source" + number).c_str()),
          checker(("checker" + number).c_str()),
          sink(("sink" + number).c_str(), clock, {capacity, 4, 3, 64, 5}) {
      source.socket.bind(checker.target);
      checker.initiator.bind(sink.socket());
    }
    EarlyInitiator source;
    ProtocolChecker checker;
    MemorySink sink;
  };
  ClockDomain clock("clock", 1e9);
  std::vector<std::unique_ptr<Link>> links;
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{3}})
    links.push_back(std::make_unique<Link>(std::to_string(capacity), clock, capacity));
  run_dry();
  for (const auto& link : links) {
    EXPECT_EQ(link->source.answered, kRequests);
    EXPECT_TRUE(link->checker.idle());
  }
}

// The initiator has room for two responses, so that a third waits for its END_RESP.
TEST(MemoryPort, AnInitiatorsCallsForAPayloadNeverTakeEffectBeforeItsResponse) {
  ClockDomain clock("clock", 1e9);
  RandomRequester source("source", clock, SmId{0}, kRequests, 3);
  ProtocolChecker checker("checker");
  EarlyTarget target("target");
  source.memory().bind(checker.target);
  checker.initiator.bind(target.socket);
  run_dry();
  EXPECT_TRUE(source.idle());
  EXPECT_TRUE(checker.idle());
}

}  // namespace
}  // namespace heddle::test
