#pragma once
// A LaneRig runs one PTX instruction on a warp. A test sets the registers of the operands, and reads the
// lanes before and after.

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "stimuli/ptx/lanes/lane_arithmetic.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {

class LaneRig {
 public:
  explicit LaneRig(const std::string& text) : text_(text), module_(parse(kernel(text + ";"))) {
    const Function& function = function_of(module_, "k");
    const Statement& statement = function.code[0];
    const Operand* const operands = function.operands_of(statement);
    operation_ = lane_operation(statement, operands);
    for (std::size_t i = 0; i < statement.operands; ++i)
      add(function, operands[i], i < statement.destinations);
    for (Slot& slot : sources_) slot.lanes.fill(0);
  }

  bool known() const { return static_cast<bool>(operation_); }
  const std::string& text() const { return text_; }
  std::size_t sources() const { return sources_.size(); }
  Type source_type(std::size_t index) const { return sources_[index].type; }

  void set(std::size_t source, std::size_t lane, std::uint64_t value) { sources_[source].set(lane, value); }
  void set_carry(std::uint32_t carry) { carry_ = carry; }
  std::uint32_t carry() const { return carry_; }
  std::uint64_t source(std::size_t index, std::size_t lane) const { return sources_[index].get(lane); }
  std::uint64_t result(std::size_t lane, std::size_t index = 0) const { return results_[index].get(lane); }

  // Executes the instruction for the lanes of `active`. The destinations hold the lower bits of `before` in
  // all lanes at the start.
  void run(std::uint32_t active = kEveryLane, std::uint64_t before = 0) {
    operation_.run(prepared(active, before));
  }

  const LaneOperation& operation() const { return operation_; }
  LaneOperands prepared(std::uint32_t active, std::uint64_t before) {
    LaneOperands lanes;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane) results_[i].set(lane, before);
      if (results_[i].present) lanes.destinations[i] = results_[i].data();
    }
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].present) lanes.sources[i] = sources_[i].data();
    lanes.active = active;
    lanes.carry = &carry_;
    return lanes;
  }

 private:
  struct Slot {
    Type type = Type::kNone;
    bool present = true;
    // 64 bits per lane; 32 bits per lane in the first half; or a mask of predicates in the first word.
    std::array<std::uint64_t, kWarpLanes> lanes{};

    void* data() { return lanes.data(); }
    void set(std::size_t lane, std::uint64_t value) {
      if (type == Type::kPred) {
        std::uint32_t mask = word(0);
        mask = (mask & ~(1U << lane)) | (static_cast<std::uint32_t>(value & 1U) << lane);
        std::memcpy(lanes.data(), &mask, 4);
      } else if (bits_of(type) == 64) {
        lanes[lane] = value;
      } else {
        const auto narrow = static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits_of(type)) - 1));
        std::memcpy(reinterpret_cast<char*>(lanes.data()) + 4 * lane, &narrow, 4);
      }
    }
    std::uint64_t get(std::size_t lane) const {
      if (type == Type::kPred) return (word(0) >> lane) & 1U;
      return bits_of(type) == 64 ? lanes[lane] : word(lane);
    }
    std::uint32_t word(std::size_t index) const {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<const char*>(lanes.data()) + 4 * index, 4);
      return value;
    }
  };

  void add(const Function& function, const Operand& operand, bool destination) {
    if (operand.kind == OperandKind::kVector) {
      for (std::uint32_t i = 0; i < operand.count; ++i)
        add(function, function.operands[operand.index + i], destination);
      return;
    }
    Slot slot;
    slot.type = operand.kind == OperandKind::kPredicate ? Type::kPred : operand.type;
    slot.present = operand.kind != OperandKind::kNone && operand.kind != OperandKind::kSink;
    (destination ? results_ : sources_).push_back(slot);
  }

  std::string text_;
  Module module_;
  LaneOperation operation_;
  std::vector<Slot> results_;
  std::vector<Slot> sources_;
  std::uint32_t carry_ = 0;
};

}  // namespace heddle::ptx
