#include "platforms/run/stimuli_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/base/check.h"
#include "models/core/link/payload_number.h"
#include "models/core/link/payload_pool.h"
#include "models/dram/address_map.h"

namespace heddle {

namespace {

constexpr std::uint64_t kAnswered =
    ~std::uint64_t{0};  // the number of a payload whose answer has been written

bool is_slice(const std::string& place) {
  return place.rfind("l2_", 0) == 0;
}

// Returns what makes addresses of the file from physical ones.
std::function<Address(Address)> address_of(const StimuliRequest& request, const GpuSpec& gpu) {
  if (!request.local_addresses) return [](Address address) { return address; };
  const ChannelMap channels(gpu.memory->dram.map);
  if (!is_slice(request.place)) return [channels](Address address) { return channels.place(address).local; };
  return [channels, l2 = gpu.memory->l2](Address address) {
    return address_in_slice(l2, channels.place(address).local);
  };
}

const char* kind_of(const tlm::tlm_generic_payload& payload) {
  const auto* info = payload.get_extension<RequestInfo>();
  if (info != nullptr && info->kind == RequestKind::kAtomic) return "atomic";
  return payload.is_write() ? "write" : "read";
}

// The bytes that a write writes, as a number in hexadecimal digits.
std::string enables_of(const tlm::tlm_generic_payload& payload) {
  constexpr std::uint32_t kBits = 4;  // of a digit
  if (!payload.is_write()) return "0";
  const unsigned char* enables = payload.get_byte_enable_ptr();
  std::string digits;
  for (std::uint32_t low = 0; low < payload.get_data_length(); low += kBits) {
    unsigned digit = 0;
    for (std::uint32_t i = 0; i < kBits && low + i < payload.get_data_length(); ++i)
      if (enables == nullptr || enables[(low + i) % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED)
        digit |= 1u << i;
    digits += fmt::format("{:x}", digit);
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::vector<std::string> stimuli_places(const GpuSpec& gpu) {
  std::vector<std::string> places;
  if (!gpu.memory || !gpu.sm.executes()) return places;
  for (std::uint32_t i = 0; i < gpu.memory->slices(); ++i) places.push_back("l2_" + std::to_string(i));
  for (std::uint32_t i = 0; i < gpu.memory->dram.map.channels; ++i)
    places.push_back("dram" + std::to_string(i));
  return places;
}

StimuliFile::StimuliFile(const StimuliRequest& request, const GpuSpec& gpu)
    : request_(request), address_(address_of(request, gpu)), out_(request.path) {
  if (!out_) out_.finish();
}

void StimuliFile::watch(const Gpu& gpu) {
  clock_ = is_slice(request_.place) ? &gpu.memory()->l2() : &gpu.memory()->dram();
}

void StimuliFile::finish() {
  out_.finish();
}

void StimuliFile::request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time) {
  std::uint64_t& number = PayloadNumber<StimuliFile>::of(payload);
  number = requests_++;
  const auto* info = payload.get_extension<RequestInfo>();
  write("request", payload, arrival_at(*clock_, time), number, enables_of(payload),
        info == nullptr ? 0 : info->lanes);
}

void StimuliFile::response(tlm::tlm_generic_payload& payload, const sc_core::sc_time&) {
  std::uint64_t& number = PayloadNumber<StimuliFile>::of(payload);
  HEDDLE_CHECK(number != kAnswered, "stimuli", clock_->now(), "a second answer to a request for {:#x}",
               payload.get_address());
  const auto* info = payload.get_extension<RequestInfo>();
  const bool found = info != nullptr && !info->missed_line && is_slice(request_.place);
  write("answer", payload, clock_->now(), number, "0", found ? 1 : 0);
  number = kAnswered;
}

void StimuliFile::write(const char* what, const tlm::tlm_generic_payload& payload, Cycle cycle,
                        std::uint64_t number, const std::string& enables, std::uint32_t last) {
  out_ << fmt::format("{} {} {} {} {:x} {} {} {}\n", what, cycle.value, number, kind_of(payload),
                      address_(payload.get_address()), payload.get_data_length(), enables, last);
}

}  // namespace heddle
