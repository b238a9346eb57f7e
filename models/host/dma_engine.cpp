#include "models/host/dma_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle {

namespace {

constexpr std::size_t kOutstandingBursts = 64;

}  // namespace

DmaEngine::DmaEngine(sc_core::sc_module_name name, const DmaSpec& spec, std::uint32_t burst_bytes,
                     const Deps& deps)
    : sc_core::sc_module(name),
      number_(deps.number),
      burst_bytes_(burst_bytes),
      pcie_(deps.pcie),
      sleeper_(deps.pcie.add(*this)),
      arbiter_(deps.arbiter),
      device_bytes_per_cycle_(spec.device_bytes_per_second / deps.pcie.frequency_hz()),
      device_memory_(deps.device_memory),
      inbox_(basename(), deps.pcie, sleeper_, spec.transfers),
      pool_(kOutstandingBursts, burst_bytes),
      memory_("memory", deps.pcie, sleeper_, kOutstandingBursts),
      link_bytes_per_cycle_(deps.link_bytes_per_cycle),
      pace_(basename(), deps.pcie, sleeper_, deps.shares),
      device_data_(burst_bytes),
      stats_(basename()) {
  transfers.bind(inbox_);
  active_.reserve(spec.transfers);
  candidates_.reserve(spec.transfers);
  stats_.add_level("transfers_in_flight", "transfer", "transfers that have begun",
                   [this] { return static_cast<double>(active_.size()); });
  stats_.add(counts_.transfers, "transfers", "transfer", "transfers completed");
  stats_.add(counts_.bytes_up, "bytes_up", "byte", "data moved from system memory to device memory");
  stats_.add(counts_.bytes_down, "bytes_down", "byte", "data moved from device memory to system memory");
  stats_.add(counts_.bursts, "bursts", "burst", "bursts requested");
  stats_.add(counts_.takeovers, "takeovers", "burst", "bursts that interrupted another, unfinished transfer");
}

void DmaEngine::reset() {
  inbox_.reset();
  memory_.reset();
  pool_.reset();
  active_.clear();
  device_burst_ = {};
  pace_.reset();
  last_number_ = kNoTransfer;
  stats_.reset();
}

void DmaEngine::tick(Cycle now) {
  collect(now);
  if (pace_.is_shared()) pace_.take_shares(now);
  end_device_burst(now);
  for (; inbox_.has(now); inbox_.pop()) take(inbox_.front(), now);
  if (pace_.is_shared()) pace_.ask(bandwidth_demand());
  if (may_start(now)) start_burst(now);
  Cycle next = std::min(inbox_.due(now), memory_.due(now));
  if (device_burst_.bytes > 0 || !pace_.has_ended(now)) next = std::min(next, pace_.end_of_burst());
  pcie_.wake_at(sleeper_, std::min(next, pace_.next_share(now)));
}

// Returns the bytes of device memory a second. A copy within device memory reads and writes each byte.
std::uint64_t DmaEngine::bandwidth_demand() const {
  if (active_.empty()) return 0;
  const bool link = std::all_of(active_.begin(), active_.end(), [](const Active& active) {
    return active.transfer.direction == Direction::kUp || active.transfer.direction == Direction::kDown;
  });
  const double per_cycle = link ? link_bytes_per_cycle_ : 2 * device_bytes_per_cycle_;
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(std::llround(per_cycle * pcie_.frequency_hz())));
}

bool DmaEngine::may_start(Cycle now) const {
  return memory_.can_send(now) && device_burst_.bytes == 0 && pace_.may_start(now);
}

void DmaEngine::take(const Transfer& transfer, Cycle now) {
  check_allocated(transfer, transfer.device_address, now);
  if (transfer.direction == Direction::kAcross) check_allocated(transfer, transfer.source_address, now);
  active_.push_back({transfer, 0, 0, Cycle{}});
  for (TransferObserver* observer : observers_) observer->transfer_taken(now, number_, transfer);
}

void DmaEngine::check_allocated(const Transfer& transfer, Address address, Cycle now) const {
  const DeviceMemory& memory = device_memory_[transfer.context.value];
  HEDDLE_CHECK(memory.find(address, transfer.bytes) != nullptr, name(), now,
               "context {} moves {} bytes at {:#x} of device memory, and {}", transfer.context.value,
               transfer.bytes, address,
               describe(memory, memory.find(address) == nullptr ? address : address + transfer.bytes - 1));
}

void DmaEngine::collect(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    tlm::tlm_generic_payload& burst = memory_.response();
    const RequestInfo& info = *burst.get_extension<RequestInfo>();
    const auto active = find(info.number);
    HEDDLE_CHECK(active != active_.end(), name(), now, "a burst of no transfer");
    HEDDLE_CHECK(burst.is_response_ok(), name(), now, "system memory answered {} at {:#x}",
                 burst.get_response_string(), burst.get_address());
    const std::uint32_t bytes = burst.get_data_length();
    const bool up = burst.is_read();
    if (up) {
      const Transfer& transfer = active->transfer;
      const Address offset = burst.get_address() - transfer.system_address;
      device_memory_[transfer.context.value].write(transfer.device_address + offset, burst.get_data_ptr(),
                                                   bytes);
    }
    (up ? counts_.bytes_up : counts_.bytes_down) += bytes;
    active->answered += bytes;
    burst.release();
    if (active->answered == active->transfer.bytes) finish(*active, now);
  }
}

void DmaEngine::end_device_burst(Cycle now) {
  if (device_burst_.bytes == 0 || !pace_.has_ended(now)) return;
  const std::uint32_t bytes = std::exchange(device_burst_.bytes, 0);
  Active& active = *find(device_burst_.number);
  const Transfer& transfer = active.transfer;
  DeviceMemory& memory = device_memory_[transfer.context.value];
  if (transfer.direction == Direction::kFill) {
    memory.fill(transfer.device_address + active.answered, std::byte{transfer.value}, bytes);
  } else {
    memory.read(transfer.source_address + active.answered, device_data_.data(), bytes);
    memory.write(transfer.device_address + active.answered, device_data_.data(), bytes);
  }
  active.answered += bytes;
  if (active.answered == transfer.bytes) finish(active, now);
}

void DmaEngine::finish(Active& active, Cycle now) {
  const Transfer& transfer = active.transfer;
  ++counts_.transfers;
  for (TransferObserver* observer : observers_) observer->transferred(active.begin, now, transfer);
  transfers->receive({transfer.number, transfer.context, transfer.stream}, 1);
  active_.erase(active_.begin() + (&active - active_.data()));
}

void DmaEngine::start_burst(Cycle now) {
  candidates_.clear();
  for (const Active& active : active_)
    if (const std::uint64_t left = active.transfer.bytes - active.requested; left > 0)
      candidates_.push_back(
          {active.transfer.number, active.transfer.context, active.transfer.priority, left});
  if (candidates_.empty()) return;
  const TransferView& chosen = candidates_[arbiter_.choose({candidates_, now})];
  const bool last_unfinished =
      std::any_of(candidates_.begin(), candidates_.end(),
                  [&](const TransferView& view) { return view.number == last_number_; });
  if (last_unfinished && last_number_ != chosen.number) ++counts_.takeovers;
  Active& active = *find(chosen.number);
  if (chosen.number != last_number_)
    for (TransferObserver* observer : observers_) observer->transfer_moves(now, number_, active.transfer);
  last_number_ = chosen.number;

  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(burst_bytes_, chosen.bytes_left));
  const Direction direction = active.transfer.direction;
  if (direction == Direction::kUp || direction == Direction::kDown) {
    request(active, bytes, now);
    if (pace_.is_shared())
      pace_.start_burst((bytes + link_bytes_per_cycle_ - 1) / link_bytes_per_cycle_, now);
  } else {
    device_burst_ = {chosen.number, bytes};
    pace_.start_burst(device_cycles(active.transfer, bytes), now);
  }
  if (active.requested == 0) active.begin = now;
  active.requested += bytes;
  ++counts_.bursts;
  if (active.requested == active.transfer.bytes)
    for (TransferObserver* observer : observers_) observer->transfer_requested(now, number_, active.transfer);
}

void DmaEngine::request(const Active& active, std::uint32_t bytes, Cycle now) {
  const Transfer& transfer = active.transfer;
  const bool up = transfer.direction == Direction::kUp;
  tlm::tlm_generic_payload& burst = pool_.take(up ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                                               transfer.system_address + active.requested, bytes);
  RequestInfo& info = *burst.get_extension<RequestInfo>();
  info.context = transfer.context;
  info.number = transfer.number;
  info.issued = now;
  if (!up)
    device_memory_[transfer.context.value].read(transfer.device_address + active.requested,
                                                burst.get_data_ptr(), bytes);
  memory_.send(burst, now);
}

std::uint64_t DmaEngine::device_cycles(const Transfer& transfer, std::uint32_t bytes) const {
  const double copied = transfer.direction == Direction::kFill ? bytes / 2.0 : bytes;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(copied / device_bytes_per_cycle_)));
}

std::vector<DmaEngine::Active>::iterator DmaEngine::find(std::uint64_t number) {
  return std::find_if(active_.begin(), active_.end(),
                      [&](const Active& active) { return active.transfer.number == number; });
}

}  // namespace heddle
