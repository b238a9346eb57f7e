#include "models/rtl/roles/rtl_crossbar_arbiter.h"

#include <algorithm>

namespace heddle {

RtlCrossbarArbiter::RtlCrossbarArbiter(RtlBlock& block, const std::string& path, std::uint32_t inputs,
                                       std::unique_ptr<CrossbarArbiter> model)
    : choice_(block, path, inputs, "grant"),
      model_(std::move(model)),
      requests_(choice_.signal("requests")),
      ages_(choice_.signal("ages")),
      contexts_(choice_.signal("contexts")),
      flits_(choice_.signal("flits")),
      uses_contexts_(choice_.port().has(contexts_) || choice_.port().has(flits_) ||
                     (model_ != nullptr && model_->uses_contexts())) {
  by_age_.reserve(inputs);
}

// The tick ends when the switch says what it has done with the choice: with granted(), or with the next
// choice if the packet found no room.
std::uint32_t RtlCrossbarArbiter::choose(const OutputView& view) {
  finish(RtlChoice::kNone);
  choice_.begin(view.now);
  show(view);
  chosen_ = choice_.ask();
  ticking_ = true;
  const bool legal = chosen_ == kNone || (chosen_ < choice_.port().things() && view.requests.test(chosen_));
  if (model_ == nullptr) {
    if (!legal) choice_.fail(chosen_, "which does not request this output");
    return chosen_;
  }
  const std::uint32_t model = model_->choose(view);
  if (choice_.compare(model, chosen_) || !legal || chosen_ == kNone || !choice_.block().spec().resync)
    chosen_ = model;
  return model;
}

void RtlCrossbarArbiter::granted(std::uint32_t input) {
  if (model_ != nullptr) model_->granted(chosen_);  // with `resync` the model follows the RTL
  finish(input);
}

void RtlCrossbarArbiter::show(const OutputView& view) {
  RtlPort& port = choice_.port();
  port.clear(requests_);
  view.requests.for_each([&](std::uint32_t input) { port.set_bit(requests_, input); });
  if (port.has(ages_)) show_ages(view);
  for (const RtlSignalId signal : {contexts_, flits_})
    if (port.has(signal)) port.clear(signal);
  if (!port.has(contexts_) && !port.has(flits_)) return;
  view.requests.for_each([&](std::uint32_t input) {
    const RequestingPacket& packet = view.packets[input];
    if (port.has(contexts_) && packet.context.valid()) port.set(contexts_, input, packet.context.value);
    if (port.has(flits_)) port.set(flits_, input, packet.flits);
  });
}

void RtlCrossbarArbiter::show_ages(const OutputView& view) {
  RtlPort& port = choice_.port();
  by_age_.clear();
  view.requests.for_each([&](std::uint32_t input) { by_age_.push_back(input); });
  std::stable_sort(by_age_.begin(), by_age_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return view.issued[a] < view.issued[b]; });
  port.clear(ages_);
  for (std::uint32_t age = 0; age < by_age_.size(); ++age) port.set(ages_, by_age_[age], age);
}

void RtlCrossbarArbiter::finish(std::uint32_t taken) {
  if (ticking_) choice_.finish(taken);
  ticking_ = false;
}

void RtlCrossbarArbiter::reset() {
  choice_.reset();
  if (model_ != nullptr) model_->reset();
  ticking_ = false;
}

}  // namespace heddle
