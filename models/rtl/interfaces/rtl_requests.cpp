#include "models/rtl/interfaces/rtl_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

namespace {

// Returns the most transfers at once.
std::uint64_t transfers_of(const RequestPins& pins, const RtlInterfaceSpec& spec) {
  std::uint64_t most = RtlRequests::kMostTransfers;
  if (spec.outstanding != 0) most = spec.outstanding;
  return pins.ids() == 0 ? most : std::min(pins.ids(), most);
}

}  // namespace

RtlRequests::RtlRequests(RtlPort& port, std::unique_ptr<RequestPins> pins, const RtlInterfaceSpec& spec,
                         bool checks_data, RtlFault fault)
    : port_(port),
      pins_(std::move(pins)),
      unit_(pins_->unit(spec.transfer_bytes)),
      is_whole_(pins_->has_bursts() && spec.transfer_bytes == 0),
      checks_data_(checks_data),
      fault_(std::move(fault)),
      slots_(transfers_of(*pins_, spec)),
      transfers_(transfers_of(*pins_, spec)),
      order_{Ring<std::uint32_t>(transfers_of(*pins_, spec)),
             Ring<std::uint32_t>(transfers_of(*pins_, spec))},
      waiting_(slots_.size()),
      answers_(slots_.size()) {
  reset();
}

void RtlRequests::reset() {
  pins_->reset();
  free_slots_.clear();
  free_ids_.clear();
  in_use_.assign(transfers_.size(), false);
  for (auto i = static_cast<std::uint32_t>(slots_.size()); i-- > 0;) {
    free_slots_.push_back(i);
    free_ids_.push_back(i);
  }
  for (Ring<std::uint32_t>& order : order_) order.clear();
  waiting_.clear();
  answers_.clear();
  offering_ = has_current_ = false;
  offered_ = nullptr;
}

void RtlRequests::give(const RtlRequest& request) {
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {request, 0, false, false, {request.number, false, std::nullopt}};
  waiting_.push(slot);
  offering_ = true;
}

// Begins the next transfer, if the block can have one more.
void RtlRequests::offer_next() {
  if (offered_ != nullptr || free_ids_.empty()) return;
  if (!has_current_) {
    if (waiting_.empty()) return;
    current_ = waiting_.front();
    waiting_.pop();
    has_current_ = true;
    const RtlRequest& request = slots_[current_].request;
    next_ = request.address / unit_ * unit_;
    end_ = (request.address + request.bytes + unit_ - 1) / unit_ * unit_;
  }
  Slot& slot = slots_[current_];
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  RtlTransfer& transfer = transfers_[id];
  transfer.request = slot.request;
  transfer.slot = current_;
  transfer.id = id;
  transfer.write = slot.request.write || slot.writing;
  transfer.atomic = slot.request.atomic && pins_->knows_atomics();
  transfer.address = next_;
  transfer.bytes = is_whole_ ? static_cast<std::uint32_t>(end_ - next_) : unit_;
  transfer.beats = 0;
  transfer.failed = false;
  next_ += transfer.bytes;
  in_use_[id] = true;
  ++slot.transfers;
  offered_ = &transfer;
}

void RtlRequests::drive(bool room) {
  offer_next();
  pins_->drive(offered_, room);
}

void RtlRequests::collect() {
  if (offered_ != nullptr && pins_->taken(*offered_)) taken();
  pins_->collect(*this);
}

void RtlRequests::taken() {
  const RtlTransfer transfer = *offered_;
  offered_ = nullptr;
  Slot& slot = slots_[current_];
  if (next_ >= end_) {
    slot.offered = true;
    has_current_ = false;
    if (!slot.writing) offering_ = false;
  }
  if (transfer.write && !pins_->answers_writes())
    finish_transfer(transfer);
  else if (pins_->ids() == 0)
    order_of(transfer.write).push(transfer.id);
}

RtlTransfer* RtlRequests::find(bool write, const std::optional<std::uint64_t>& id) {
  if (!id) {
    const Ring<std::uint32_t>& order = order_of(write);
    if (!order.empty()) return &transfers_[order.front()];
    fault_("response", "none, as nothing is outstanding", "there");
    return nullptr;
  }
  const bool is_known = *id < transfers_.size() && in_use_[*id] &&
                        !(offered_ != nullptr && offered_->id == *id) &&
                        (!pins_->answers_apart() || transfers_[*id].write == write);
  if (is_known) return &transfers_[*id];
  fault_("response number", "that of an outstanding transfer", std::to_string(*id));
  return nullptr;
}

void RtlRequests::respond(const RtlResponse& response) {
  RtlTransfer* const transfer = find(response.write, response.id);
  if (transfer == nullptr) return;
  RtlAnswer& answer = slots_[transfer->slot].answer;
  answer.failed = answer.failed || response.failed;
  if (response.hit) answer.hit = answer.hit.value_or(true) && *response.hit;
  if (!response.id) order_of(response.write).pop();
  finish_transfer(*transfer);
}

void RtlRequests::finish_transfer(const RtlTransfer& transfer) {
  in_use_[transfer.id] = false;
  free_ids_.push_back(transfer.id);
  Slot& slot = slots_[transfer.slot];
  if (--slot.transfers == 0 && slot.offered) finish(transfer.slot);
}

void RtlRequests::finish(std::uint32_t number) {
  Slot& slot = slots_[number];
  if (slot.request.atomic && !slot.writing && !pins_->knows_atomics()) {
    slot.writing = true;
    slot.offered = false;
    slot.request.enables = {~std::uint64_t{0}, ~std::uint64_t{0}};
    waiting_.push(number);
    return;
  }
  answers_.push(slot.answer);
  free_slots_.push_back(number);
}

void RtlRequests::check_data(RtlSignalId data, const RtlTransfer& transfer, Address beat, const char* what) {
  if (!checks_data_) return;
  const auto is_wanted = [&transfer](Address byte) { return transfer.request.has(byte); };
  if (const auto wrong = wrong_data(read_beat(port_, data), beat, is_wanted))
    fault_(fmt::format("{} at 'h{:x} of request {}", what, wrong->address, transfer.request.number),
           fmt::format("'h{:x}", wrong->expected), fmt::format("'h{:x}", wrong->got));
}

}  // namespace heddle
