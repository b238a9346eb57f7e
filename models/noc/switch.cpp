#include "models/noc/switch.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

Switch::Switch(const NocSpec& spec, std::uint32_t inputs,
               std::vector<std::unique_ptr<CrossbarArbiter>> arbiters,
               const std::vector<std::uint32_t>& outstanding_of)
    : spec_(spec),
      issued_(inputs),
      busy_(inputs),
      requested_(static_cast<std::uint32_t>(arbiters.size())),
      loaded_(static_cast<std::uint32_t>(arbiters.size())) {
  const std::uint32_t longest = spec.flits(NocSpec::kMostData);
  HEDDLE_CHECK(spec.latency >= 1 && spec.input_flits >= longest && spec.output_flits >= longest, "switch",
               Cycle{}, "buffers of {} and {} flits for packets of up to {}, latency {}", spec.input_flits,
               spec.output_flits, longest, spec.latency);
  if (!outstanding_of.empty()) limits_.emplace(outstanding_of, static_cast<std::uint32_t>(arbiters.size()));
  for (std::uint32_t i = 0; i < inputs; ++i) inputs_.emplace_back(spec.input_flits);
  for (auto& arbiter : arbiters) {
    if (arbiter->uses_contexts()) packets_at_heads_.resize(inputs);
    outputs_.emplace_back(spec.output_flits, inputs, std::move(arbiter));
  }
}

void Switch::add_stats(Group& group) {
  group.add(packets_, "packets", "packet", "packets that left the crossbar this way");
  group.add(flits_, "flits", "flit", "flits that passed the switch");
  group.add(latency_cycles_, "latency_cycles", "cycle",
            "sum over packets from their arrival at the crossbar until they left it");
  group.add(arbitration_cycles_, "arbitration_cycles", "cycle",
            "sum over packets of the time at the head of an input, waiting for their output");
  group.add(blocked_cycles_, "blocked_cycles", "cycle",
            "sum over packets of the time in an output buffer past their traversal");
  group.add_formula("mean_latency", "cycle", "mean time of a packet in the crossbar", {latency_cycles_},
                    {packets_});
  if (limits_) limits_->add_stats(group);
  if (!packets_at_heads_.empty()) count_contexts(group);
}

void Switch::count_contexts(Group& group) {
  ContextTurns::Words words;
  words.served = {"packets", "packet", "packets that were granted their output"};
  words.size = {"flits", "flit", "flits of these packets"};
  words.clock = "cycle";
  words.wait = "from the request of an output to the grant";
  words.preferred = "packets granted while one of another context had requested the output longer";
  words.deferred = "packets of other contexts granted while its own packet had requested the output longest";
  contexts_ = std::make_unique<ContextTurns>(group, words);
}

void Switch::reset() {
  for (Input& input : inputs_) {
    input.messages.clear();
    input.waiting = 0;
    input.used = input.leaving = 0;
    input.free = input.head_since = Cycle{};
  }
  for (Output& output : outputs_) {
    output.passed.clear();
    output.requests.reset();
    output.arbiter->reset();
    output.used = 0;
    output.free = Cycle{};
  }
  for (PortSet* set : {&busy_, &requested_, &loaded_}) set->reset();
  if (limits_) limits_->reset();
  held_ = 0;
  flits_of_.reset();
  granted_flits_ = 0;
}

void Switch::push(std::uint32_t input, const Message& message, Cycle now) {
  Input& in = inputs_[input];
  free_taken_slots(in, now);
  in.messages.push() = message;
  in.waiting += message.before + 1;
  in.used += message.all_flits();
  held_ += message.before + 1;
  if (in.messages.size() > 1) return;
  if (in.free <= now)
    request(input, now, now);
  else
    busy_.set(input);
}

Cycle Switch::room_at(std::uint32_t input, Cycle now) const {
  const Input& in = inputs_[input];
  return in.free > now && in.leaving > 0 ? in.free : Cycle::never();
}

// The packet has been at the head of the input since `since`. It requests its output from `now` on, or from
// the cycle on in which its context has a place there.
void Switch::request(std::uint32_t input, Cycle since, Cycle now) {
  Input& in = inputs_[input];
  in.head_since = since;
  const Message& message = in.messages.front();
  if (!limits_ || limits_->takes_place(input, message.output, message.context, now)) request_output(input);
}

void Switch::answered(std::uint32_t output, ContextId context, Cycle now) {
  if (!limits_) return;
  if (const auto input = limits_->answered(output, context, now)) request_output(*input);
}

void Switch::request_output(std::uint32_t input) {
  const Message& message = inputs_[input].messages.front();
  const std::uint32_t output = message.output;
  issued_[input] = message.issued;
  if (!packets_at_heads_.empty())
    packets_at_heads_[input] = {message.context, next_flits(message), inputs_[input].head_since};
  outputs_[output].requests.set(input);
  requested_.set(output);
}

Cycle Switch::arbitrate(Cycle now) {
  Cycle next = Cycle::never();
  busy_.for_each([&](std::uint32_t i) {
    if (inputs_[i].free > now) {
      next = std::min(next, inputs_[i].free);
      return;
    }
    busy_.clear(i);
    request(i, inputs_[i].free, now);
  });
  requested_.for_each([&](std::uint32_t o) {
    Output& output = outputs_[o];
    if (output.free <= now) {
      const std::uint32_t input =
          output.arbiter->choose({output.requests, issued_.data(), now,
                                  packets_at_heads_.empty() ? nullptr : packets_at_heads_.data()});
      if (input == CrossbarArbiter::kNone) {
        next = std::min(next, now + 1);
        return;
      }
      HEDDLE_CHECK(output.requests.test(input), "switch", now,
                   "output {} serves input {}, which does not request it", o, input);
      if (output.used + next_flits(inputs_[input].messages.front()) > spec_.output_flits) {
        requested_.clear(o);  // the output is tried again after a pop() or a new request
        return;
      }
      grant(input, o, now);
      if (busy_.test(input)) next = std::min(next, inputs_[input].free);
    }
    if (!output.requests.empty()) next = std::min(next, output.free);
  });
  return next;
}

void Switch::grant(std::uint32_t input, std::uint32_t output, Cycle now) {
  Input& in = inputs_[input];
  Output& out = outputs_[output];
  Message& message = in.messages.front();
  const std::uint32_t flits = next_flits(message);
  const bool last = message.before == 0;
  out.passed.push() = {last ? message.load : nullptr, message.arrived, now + (flits - 1 + spec_.latency),
                       flits};
  out.account = message.account;
  granted_flits_ += flits;
  flits_of_[message.account] += flits;
  if (last)
    in.messages.pop();
  else
    --message.before;
  --in.waiting;
  free_taken_slots(in, now);
  in.leaving = flits;
  in.free = now + flits;
  if (in.waiting > 0) busy_.set(input);
  if (contexts_ != nullptr) count_context(input, output, now);
  out.requests.clear(input);
  if (out.requests.empty()) requested_.clear(output);
  out.arbiter->granted(input);
  out.free = in.free;
  out.used += flits;
  loaded_.set(output);
  arbitration_cycles_ += now - in.head_since;
}

// The output is granted to the packet at the head of the input. The function is called while the input still
// belongs to those that request the output.
void Switch::count_context(std::uint32_t input, std::uint32_t output, Cycle now) {
  std::uint32_t oldest = input;
  outputs_[output].requests.for_each([&](std::uint32_t other) {
    if (packets_at_heads_[other].since < packets_at_heads_[oldest].since) oldest = other;
  });
  const RequestingPacket& packet = packets_at_heads_[input];
  contexts_->served(packet.context, packets_at_heads_[oldest].context, now - packet.since, packet.flits);
}

void Switch::update_stats(Cycle now) {
  std::uint64_t left = 0;
  for (const Output& output : outputs_) left += to_come(output, now);
  flits_.set(granted_flits_ - left);
}

// The packet that is passing to an output is the last one there: it leaves after its tail has passed.
std::uint64_t Switch::flits(AccountId account, Cycle now) const {
  std::uint64_t left = 0;
  for (const Output& output : outputs_)
    if (to_come(output, now) > 0 && output.account == account) left += to_come(output, now);
  return flits_of_.at(account) - left;
}

}  // namespace heddle
