#pragma once
// The GDDR5 memory of the GTX 480, made in code, and traffic for one of its channels.

#include <memory>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "platforms/channel/channel_run.h"

namespace heddle::test {

constexpr const char* kGtx480Map = "RRRRRRRRRRRRRRBBGCCCCGCCSSSSSS";
constexpr const char* kRowBankGroupColumn = "RRRRRRRRRRRRRRBBGGCCCCCCSSSSSS";
// Neighbouring rows share a bank group.
constexpr const char* kGroupAboveBank = "RRRRRRRRRRRRRRGGBBCCCCCCSSSSSS";

inline DramSpec gddr5_spec(const std::string& map = kGtx480Map, bool refresh = false) {
  DramSpec spec;
  spec.map.bits = map;
  spec.map.burst_bytes = 64;
  spec.map.channels = 6;
  spec.map.interleave = 256;
  spec.timing = DramTiming(*find_dram_standard("gddr5"));
  DramTiming& t = spec.timing;
  t["burst"] = 2;
  t["cl"] = 12;
  t["wl"] = 4;
  t["rcdrd"] = t["rcdwr"] = t["rp"] = t["rtw"] = t["wr"] = 12;
  t["ras"] = 28;
  t["rc"] = 40;
  t["rrds"] = t["rrdl"] = 6;
  t["ccds"] = 2;
  t["ccdl"] = 3;
  t["wtrs"] = t["wtrl"] = 5;
  t["rtp"] = 2;
  t["ppd"] = 1;
  t["faw"] = 23;
  t["aw32"] = 184;
  t["refi"] = 3604;
  t["rfc"] = 61;
  spec.queue = 64;
  spec.write_high = 32;
  spec.write_low = 16;
  spec.refresh = refresh;
  spec.latency = 132;
  spec.return_queue = 116;
  return spec;
}

inline DramChannel::MakePolicies make_policies(const PolicyChoice& scheduler, const std::string& page) {
  return [scheduler, page](const std::string&) {
    return DramPolicies{PolicyRegistry<DramScheduler>::make(scheduler),
                        PolicyRegistry<PagePolicy>::make({page, {}})};
  };
}

inline std::unique_ptr<DramChannel> make_controller(const DramSpec& spec,
                                                    const PolicyChoice& scheduler = {"fr-fcfs", {}},
                                                    const std::string& page = "open") {
  return std::make_unique<DramChannel>("dram", spec, make_policies(scheduler, page));
}

// Makes `count` reads. Read i, counted from 0, has the address `address(i)`.
template <class AddressOf>
NextRequest reads(std::uint64_t count, AddressOf address) {
  return [i = std::uint64_t{0}, count, address](DramRequest& request) mutable {
    if (i == count) return false;
    request = {address(i), false, i};
    ++i;
    return true;
  };
}

// Random traffic: runs of neighbouring bursts at random places of the channel. Each run is of reads or of
// writes.
class MixedTraffic {
 public:
  MixedTraffic(std::uint64_t seed, std::uint64_t count, std::uint64_t bytes, std::uint64_t writes_percent,
               std::uint64_t burst_bytes = 64)
      : random_(seed),
        left_(count),
        bytes_(bytes),
        writes_percent_(writes_percent),
        burst_bytes_(burst_bytes) {}

  bool operator()(DramRequest& request) {
    if (left_ == 0) return false;
    --left_;
    if (run_ == 0) {
      run_ = 1 + random_.below(random_.below(4) == 0 ? 64 : 4);
      at_ = random_.below(bytes_ / burst_bytes_) * burst_bytes_;
      write_ = random_.below(100) < writes_percent_;
    }
    --run_;
    request = {at_, write_, left_};
    at_ = (at_ + burst_bytes_) % bytes_;
    return true;
  }

 private:
  Random random_;
  std::uint64_t left_, bytes_, writes_percent_, burst_bytes_;
  std::uint64_t run_ = 0;
  Address at_ = 0;
  bool write_ = false;
};

}  // namespace heddle::test
