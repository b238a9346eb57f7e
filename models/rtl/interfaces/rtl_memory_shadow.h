#pragma once
// An RtlMemoryShadow puts a block in RTL beside an L2 slice or a DRAM channel of the model. The model answers
// the machine. The RTL gets the same requests in the same cycles, or later if it is not ready, and memory
// behind it that answers after a fixed time. Requests are compared one by one, whatever their order: each
// must be answered by the RTL within the latency that the spec allows, without an error, with the data of its
// address, and with a hit where the model has a hit if the RTL says so.

#include <memory>
#include <string>
#include <vector>

#include "models/core/link/memory_tap.h"
#include "models/rtl/interfaces/rtl_memory_block.h"

namespace heddle {

class RtlMemoryShadow : public sc_core::sc_module, public Clocked, public L2Block {
 public:
  // `model` is an L2Block if the role is that of a slice.
  RtlMemoryShadow(sc_core::sc_module_name name, RtlBlock& block, const MemoryPlace& place,
                  std::unique_ptr<MemoryBlock> model, const std::string& path);

  tlm::tlm_target_socket<>& port(std::uint32_t i) override { return taps_[i]->target; }
  tlm::tlm_initiator_socket<>& dram() override { return slice_->dram(); }
  void reset() override;
  void tick(Cycle now) override;
  bool idle() const override { return model_->idle(); }
  std::string waiting_for() const override { return model_->waiting_for(); }
  void update_stats(Cycle now) override { model_->update_stats(now); }
  Group& stats() override { return model_->stats(); }
  void attach_stats(Group& parent) override { model_->attach_stats(parent); }
  void add_counts(AccountId account, LaunchCounts& counts) const override {
    model_->add_counts(account, counts);
  }
  bool holds(AccountId account) const override { return model_->holds(account); }
  void close(AccountId account) override { model_->close(account); }
  const Counter& requests() const override { return slice_->requests(); }
  const Counter& lines_missed() const override { return slice_->lines_missed(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::uint32_t kMostRequests = 4096;  // that one side has not answered

  // The tap of one port.
  class Observer : public MemoryObserver {
   public:
    Observer(RtlMemoryShadow& shadow) : shadow_(shadow) {}
    void request(Payload& payload, const sc_core::sc_time& time) override { shadow_.begin(payload, time); }
    void response(Payload& payload, const sc_core::sc_time&) override { shadow_.model_answers(payload); }

   private:
    RtlMemoryShadow& shadow_;
  };
  struct Entry {
    RtlRequest request;
    Cycle from;                       // when the RTL may see it
    Cycle model_at = Cycle::never();  // the answers
    Cycle rtl_at = Cycle::never();
    bool model_hit = false;
    std::optional<bool> rtl_hit;
    bool is_told = false;  // as unanswered
  };
  struct Fill {
    Cycle due;
    std::uint32_t request = 0;
  };

  void begin(Payload& payload, const sc_core::sc_time& time);
  void model_answers(Payload& payload);
  void serve_memory(Cycle now);
  void collect_answers(Cycle now);
  void tell_late(Cycle now);
  void finish(std::uint32_t number);
  std::string name_of(const Entry& entry) const;

  const MemoryPlace place_;
  ClockDomain::Sleeper sleeper_;
  const std::unique_ptr<MemoryBlock> model_;
  L2Block* const slice_;  // the model, if it is a slice
  const std::uint64_t latency_;
  RtlInterface rtl_;
  RtlShadow shadow_;
  Observer observer_;
  std::vector<std::unique_ptr<MemoryTap>> taps_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  Ring<std::uint32_t> arriving_;  // requests that the RTL has not taken
  bool offering_ = false;         // the first of them
  RtlDeadlines deadlines_;
  Ring<Fill> fills_;        // bursts that memory answers
  bool is_behind_ = false;  // the RTL has fallen too far behind to be compared
};

}  // namespace heddle
