#include "models/rtl/roles/rtl_dma_arbiter.h"

#include <fmt/format.h>

namespace heddle {

RtlDmaArbiter::RtlDmaArbiter(RtlBlock& block, const std::string& path, std::uint32_t transfers,
                             std::unique_ptr<DmaArbiter> model)
    : choice_(block, path, transfers, "transfer"),
      model_(std::move(model)),
      transfers_(choice_.signal("transfers")),
      priorities_(choice_.signal("priorities")),
      contexts_(choice_.signal("contexts")),
      bytes_(choice_.signal("bytes")) {}

std::size_t RtlDmaArbiter::choose(const BurstView& burst) {
  choice_.begin(burst.now);
  show(burst);
  std::uint32_t taken = choice_.ask();
  if (model_ != nullptr) {
    const auto model = static_cast<std::uint32_t>(model_->choose(burst));
    choice_.compare(model, taken);
    taken = model;
  } else if (taken >= burst.transfers.size()) {
    choice_.fail(taken, fmt::format("and there are {} transfers", burst.transfers.size()));
  }
  choice_.finish(taken);
  return taken;
}

void RtlDmaArbiter::show(const BurstView& burst) {
  RtlPort& port = choice_.port();
  for (const RtlSignalId signal : {transfers_, priorities_, contexts_, bytes_}) port.clear(signal);
  for (std::uint32_t i = 0; i < burst.transfers.size(); ++i) {
    const TransferView& transfer = burst.transfers[i];
    port.set_bit(transfers_, i);
    port.set_signed(priorities_, i, transfer.priority);
    port.set(contexts_, i, transfer.context.value);
    port.set(bytes_, i, transfer.bytes_left);
  }
}

void RtlDmaArbiter::reset() {
  choice_.reset();
  if (model_ != nullptr) model_->reset();
}

}  // namespace heddle
