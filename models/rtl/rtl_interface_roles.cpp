#include "models/rtl/rtl_role.h"

namespace heddle {

namespace {

constexpr bool kDriven = true;  // by Heddle
constexpr bool kGiven = false;  // by the block

using Kind = RtlKind;
using Signals = std::vector<RtlRoleSignal>;

// ---- valid and ready

Signals requests() {
  return {
      {"request_valid", kDriven, Kind::kFlag, "a request waits"},
      {"request_ready", kGiven, Kind::kFlag, "it is taken in this tick; without this pin always"},
      {"request_write", kDriven, Kind::kFlag, "a write, else a read"},
      {"request_atomic", kDriven, Kind::kFlag,
       "a read-modify-write; without this pin it is a read and then a write"},
      {"request_lanes", kDriven, Kind::kNumber, "lanes of an atomic"},
      {"request_address", kDriven, Kind::kNumber, "address of its first byte"},
      {"request_bytes", kDriven, Kind::kNumber, "its bytes"},
      {"request_id", kDriven, Kind::kNumber,
       "number that the response repeats; without this pin responses are in order"},
      {"request_data", kDriven, Kind::kData, "of a write: bytes whose value is their address"},
      {"request_enables", kDriven, Kind::kEnables, "bytes that are written"},
      {"response_valid", kGiven, Kind::kFlag, "a request is answered"},
      {"response_ready", kDriven, Kind::kFlag, "the answer is taken in this tick"},
      {"response_id", kGiven, Kind::kNumber, "number of the request", "response_valid"},
      {"response_error", kGiven, Kind::kFlag, "the request has failed", "response_valid"},
      {"response_hit", kGiven, Kind::kFlag, "the request found its line", "response_valid"},
      {"response_address", kGiven, Kind::kNumber, "address of the request, which is checked",
       "response_valid"},
      {"response_data", kGiven, Kind::kData, "of a read: bytes, which are checked to be their addresses"}};
}

Signals memory() {
  return {{"memory_valid", kGiven, Kind::kFlag, "the block asks memory"},
          {"memory_ready", kDriven, Kind::kFlag, "that is taken in this tick"},
          {"memory_write", kGiven, Kind::kFlag, "a write, else a read; without this pin all are reads",
           "memory_valid"},
          {"memory_address", kGiven, Kind::kNumber, "address of its first byte", "memory_valid"},
          {"memory_bytes", kGiven, Kind::kNumber, "its bytes; without this pin those of a transfer",
           "memory_valid"},
          {"memory_id", kGiven, Kind::kNumber, "number that the answer repeats", "memory_valid"},
          {"memory_data", kGiven, Kind::kData, "of a write: bytes, which are checked to be their addresses"},
          {"memory_enables", kGiven, Kind::kEnables, "bytes that are written; without this pin all",
           "memory_valid"},
          {"fill_valid", kDriven, Kind::kFlag, "memory answers"},
          {"fill_ready", kGiven, Kind::kFlag, "the answer is taken in this tick; without this pin always"},
          {"fill_write", kDriven, Kind::kFlag, "it answers a write; without this pin writes have no answer"},
          {"fill_id", kDriven, Kind::kNumber, "number of what it answers; in the order of equal numbers"},
          {"fill_address", kDriven, Kind::kNumber, "address of what it answers"},
          {"fill_data", kDriven, Kind::kData, "of a read: bytes whose value is their address"}};
}

// ---- AXI4

Signals axi4_requests() {
  return {{"aw_valid", kDriven, Kind::kFlag, "the address of a write burst waits"},
          {"aw_ready", kGiven, Kind::kFlag, "it is taken in this tick"},
          {"aw_id", kDriven, Kind::kNumber, "number of the burst; without this pin answers are in order"},
          {"aw_address", kDriven, Kind::kNumber, "address of its first beat"},
          {"aw_length", kDriven, Kind::kNumber, "beats after the first"},
          {"aw_size", kDriven, Kind::kNumber, "bytes of a beat, as their logarithm"},
          {"aw_burst", kDriven, Kind::kNumber, "1: incrementing addresses"},
          {"w_valid", kDriven, Kind::kFlag, "a beat of data waits"},
          {"w_ready", kGiven, Kind::kFlag, "it is taken in this tick"},
          {"w_data", kDriven, Kind::kData, "bytes whose value is their address"},
          {"w_enables", kDriven, Kind::kEnables, "bytes that are written"},
          {"w_last", kDriven, Kind::kFlag, "the last beat of the burst"},
          {"b_valid", kGiven, Kind::kFlag, "a write burst is answered"},
          {"b_ready", kDriven, Kind::kFlag, "the answer is taken in this tick"},
          {"b_id", kGiven, Kind::kNumber, "number of the burst", "b_valid"},
          {"b_response", kGiven, Kind::kNumber, "0: OKAY; anything else fails", "b_valid"},
          {"ar_valid", kDriven, Kind::kFlag, "the address of a read burst waits"},
          {"ar_ready", kGiven, Kind::kFlag, "it is taken in this tick"},
          {"ar_id", kDriven, Kind::kNumber, "number of the burst; without this pin answers are in order"},
          {"ar_address", kDriven, Kind::kNumber, "address of its first beat"},
          {"ar_length", kDriven, Kind::kNumber, "beats after the first"},
          {"ar_size", kDriven, Kind::kNumber, "bytes of a beat, as their logarithm"},
          {"ar_burst", kDriven, Kind::kNumber, "1: incrementing addresses"},
          {"r_valid", kGiven, Kind::kFlag, "a beat of a read burst is there"},
          {"r_ready", kDriven, Kind::kFlag, "it is taken in this tick"},
          {"r_id", kGiven, Kind::kNumber, "number of the burst", "r_valid"},
          {"r_data", kGiven, Kind::kData, "bytes, which are checked to be their addresses"},
          {"r_response", kGiven, Kind::kNumber, "0: OKAY; anything else fails", "r_valid"},
          {"r_last", kGiven, Kind::kFlag, "the last beat of the burst", "r_valid"}};
}

Signals axi4_memory() {
  return {{"memory_aw_valid", kGiven, Kind::kFlag, "the address of a write burst waits"},
          {"memory_aw_ready", kDriven, Kind::kFlag, "it is taken in this tick"},
          {"memory_aw_id", kGiven, Kind::kNumber, "number of the burst", "memory_aw_valid"},
          {"memory_aw_address", kGiven, Kind::kNumber, "address of its first beat", "memory_aw_valid"},
          {"memory_aw_length", kGiven, Kind::kNumber, "beats after the first", "memory_aw_valid"},
          {"memory_aw_size", kGiven, Kind::kNumber, "bytes of a beat, as their logarithm", "memory_aw_valid"},
          {"memory_aw_burst", kGiven, Kind::kNumber, "only 1 is taken: incrementing addresses",
           "memory_aw_valid"},
          {"memory_w_valid", kGiven, Kind::kFlag, "a beat of data waits"},
          {"memory_w_ready", kDriven, Kind::kFlag, "it is taken in this tick"},
          {"memory_w_data", kGiven, Kind::kData, "bytes, which are checked to be their addresses"},
          {"memory_w_enables", kGiven, Kind::kEnables, "bytes that are written", "memory_w_valid"},
          {"memory_w_last", kGiven, Kind::kFlag, "the last beat of the burst", "memory_w_valid"},
          {"memory_b_valid", kDriven, Kind::kFlag, "a write burst is answered"},
          {"memory_b_ready", kGiven, Kind::kFlag, "the answer is taken in this tick"},
          {"memory_b_id", kDriven, Kind::kNumber, "number of the burst"},
          {"memory_b_response", kDriven, Kind::kNumber, "0: OKAY"},
          {"memory_ar_valid", kGiven, Kind::kFlag, "the address of a read burst waits"},
          {"memory_ar_ready", kDriven, Kind::kFlag, "it is taken in this tick"},
          {"memory_ar_id", kGiven, Kind::kNumber, "number of the burst", "memory_ar_valid"},
          {"memory_ar_address", kGiven, Kind::kNumber, "address of its first beat", "memory_ar_valid"},
          {"memory_ar_length", kGiven, Kind::kNumber, "beats after the first", "memory_ar_valid"},
          {"memory_ar_size", kGiven, Kind::kNumber, "bytes of a beat, as their logarithm", "memory_ar_valid"},
          {"memory_ar_burst", kGiven, Kind::kNumber, "only 1 is taken: incrementing addresses",
           "memory_ar_valid"},
          {"memory_r_valid", kDriven, Kind::kFlag, "a beat of a read burst is there"},
          {"memory_r_ready", kGiven, Kind::kFlag, "it is taken in this tick"},
          {"memory_r_id", kDriven, Kind::kNumber, "number of the burst"},
          {"memory_r_data", kDriven, Kind::kData, "bytes whose value is their address"},
          {"memory_r_response", kDriven, Kind::kNumber, "0: OKAY"},
          {"memory_r_last", kDriven, Kind::kFlag, "the last beat of the burst"}};
}

using Lists = std::vector<std::vector<const char*>>;

// Each side has its pins in one of the two forms.
const Lists kNeededRequests{
    {"request_valid", "ar_valid"}, {"request_address", "ar_address"}, {"response_valid", "r_valid"}};
const Lists kNeededMemory{{"memory_valid", "memory_ar_valid"},
                          {"memory_address", "memory_ar_address"},
                          {"fill_valid", "memory_r_valid"}};

template <class List>
List joined(List first, const List& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<RtlRole> rtl_interface_roles() {
  const Signals near = joined(requests(), axi4_requests());
  const Signals far = joined(memory(), axi4_memory());
  return {{"dram_channel", "dram.block", "dram", "", nullptr, near, kNeededRequests, true},
          {"l2_slice", "l2.block", "l2", "", nullptr, joined(near, far),
           joined(kNeededRequests, kNeededMemory), true}};
}

}  // namespace heddle
