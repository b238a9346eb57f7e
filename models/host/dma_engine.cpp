#include "models/host/dma_engine.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::size_t kOutstandingBursts = 64;

}  // namespace

DmaEngine::DmaEngine(sc_core::sc_module_name name, const DmaSpec& spec, std::uint32_t burst_bytes,
                     const Deps& deps)
    : sc_core::sc_module(name),
      burst_bytes_(burst_bytes),
      pcie_(deps.pcie),
      sleeper_(deps.pcie.add(*this)),
      arbiter_(deps.arbiter),
      device_memory_(deps.device_memory),
      inbox_(basename(), deps.pcie, sleeper_, spec.transfers),
      pool_(kOutstandingBursts, burst_bytes),
      memory_("memory", deps.pcie, sleeper_, kOutstandingBursts),
      stats_(basename()) {
  transfers.bind(inbox_);
  active_.reserve(spec.transfers);
  candidates_.reserve(spec.transfers);
  stats_.add(transfers_done_, "transfers", "transfer", "transfers completed");
  stats_.add(bytes_up_, "bytes_up", "byte", "data moved from system memory to device memory");
  stats_.add(bytes_down_, "bytes_down", "byte", "data moved from device memory to system memory");
  stats_.add(bursts_, "bursts", "burst", "bursts requested");
  stats_.add(takeovers_, "takeovers", "burst", "bursts that interrupted another, unfinished transfer");
}

void DmaEngine::tick(Cycle now) {
  collect(now);
  for (; inbox_.has(now); inbox_.pop()) active_.push_back({inbox_.front(), 0, 0, Cycle{}});
  request_burst(now);
  pcie_.wake_at(sleeper_, std::min(inbox_.due(), memory_.next_wake(now)));
}

void DmaEngine::collect(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    tlm::tlm_generic_payload& burst = memory_.response();
    const RequestInfo& info = *burst.get_extension<RequestInfo>();
    const auto active = std::find_if(active_.begin(), active_.end(),
                                     [&](const Active& a) { return a.transfer.number == info.number; });
    HEDDLE_CHECK(active != active_.end(), name(), now, "a burst of no transfer");
    HEDDLE_CHECK(burst.is_response_ok(), name(), now, "system memory answered {} at {:#x}",
                 burst.get_response_string(), burst.get_address());
    const std::uint32_t bytes = burst.get_data_length();
    const bool up = burst.is_read();
    if (up) {
      const Address offset = burst.get_address() - active->transfer.system_address;
      device_memory_.write(active->transfer.device_address + offset, burst.get_data_ptr(), bytes);
    }
    (up ? bytes_up_ : bytes_down_) += bytes;
    active->answered += bytes;
    burst.release();
    if (active->answered == active->transfer.bytes) finish(*active, now);
  }
}

void DmaEngine::finish(Active& active, Cycle now) {
  const Transfer& transfer = active.transfer;
  ++transfers_done_;
  for (TransferObserver* observer : observers_) observer->transferred(active.begin, now, transfer);
  transfers->receive({transfer.number, transfer.context, transfer.stream}, 1);
  active_.erase(active_.begin() + (&active - active_.data()));
}

void DmaEngine::request_burst(Cycle now) {
  if (!memory_.can_send(now)) return;
  candidates_.clear();
  for (const Active& active : active_)
    if (const std::uint64_t left = active.transfer.bytes - active.requested; left > 0)
      candidates_.push_back(
          {active.transfer.number, active.transfer.context, active.transfer.priority, left});
  if (candidates_.empty()) return;
  const TransferView& chosen = candidates_[arbiter_.choose(candidates_)];
  Active& active = *std::find_if(active_.begin(), active_.end(),
                                 [&](const Active& a) { return a.transfer.number == chosen.number; });
  const bool last_unfinished =
      std::any_of(candidates_.begin(), candidates_.end(),
                  [&](const TransferView& view) { return view.number == last_number_; });
  if (last_unfinished && last_number_ != chosen.number) ++takeovers_;
  last_number_ = chosen.number;

  const Transfer& transfer = active.transfer;
  const bool up = transfer.direction == Direction::kUp;
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(burst_bytes_, chosen.bytes_left));
  tlm::tlm_generic_payload& burst = pool_.take(up ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                                               transfer.system_address + active.requested, bytes);
  RequestInfo& info = *burst.get_extension<RequestInfo>();
  info.context = transfer.context;
  info.number = transfer.number;
  info.issued = now;
  if (!up) device_memory_.read(transfer.device_address + active.requested, burst.get_data_ptr(), bytes);
  if (active.requested == 0) active.begin = now;
  active.requested += bytes;
  ++bursts_;
  memory_.send(burst);
}

}  // namespace heddle
