#pragma once
// The state of a warp: rows of registers, the frames of its calls, and the reconvergence stack of each frame.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stimuli/ptx/steps/entry_code.h"
#include "stimuli/reconvergence/reconvergence_stack.h"

namespace heddle::ptx {

// A call that has not returned. The first frame is the entry's.
struct Frame {
  const FunctionCode* code = nullptr;
  ReconvergenceStack stack;        // program counters are step numbers
  std::uint32_t rows = 0;          // offset of the frame's rows in the warp's storage
  std::uint32_t area = 0;          // offset of the frame's parameter areas, one for each lane
  std::uint64_t local_base = 0;    // offset of the frame's local memory in a thread's local memory
  std::uint32_t lanes = 0;         // lanes that made the call
  std::uint32_t running = 0;       // lanes of the caller's path, with those that did not make the call
  std::uint32_t pending = 0;       // lanes that call another function from the same place afterwards
  const CallSite* site = nullptr;  // of the call in the caller; null: the entry
};

class alignas(64) Warp {
 public:
  // The lanes of `mask` start at the entry's first step.
  void start(const EntryCode& code, std::uint32_t mask);

  bool ended() const { return frames_.size() == 1 && frames_[0].stack.done(); }
  Frame& frame() { return frames_.back(); }
  const Frame& frame() const { return frames_.back(); }
  Frame& frame_below() { return frames_[frames_.size() - 2]; }  // the caller of the innermost frame
  std::size_t depth() const { return frames_.size(); }

  // These seven belong to the innermost frame.
  ReconvergenceStack& stack() { return *stack_; }
  const ReconvergenceStack& stack() const { return *stack_; }
  const Step& step(std::uint32_t number) const { return steps_[number]; }
  const Instruction* instruction(std::size_t number) const {
    return number < instructions_end_ ? instructions_ + number : nullptr;
  }
  const Instruction& instruction_of(std::uint32_t step) const { return instructions_[step]; }  // it has one
  // Returns how many instructions there are from this one on, which exists.
  std::uint32_t instructions_from(std::size_t number) const {
    return instructions_end_ - static_cast<std::uint32_t>(number);
  }
  const FunctionCode::FoldedSteps& folded(std::uint32_t number) const {
    return frames_.back().code->folded[number];
  }
  std::uint32_t* carry() { return carry_; }

  // The lanes of `mask` enter a new frame. The caller of this function passes the arguments.
  Frame& call(const EntryCode& code, const FunctionCode& callee, std::uint32_t mask, const CallSite* site);
  // Removes the innermost frame.
  void leave();
  // The lanes of `mask` leave all frames.
  void exit(std::uint32_t mask);
  std::uint32_t exited() const { return exited_; }
  // Returns the lanes that have not ended, on the running path and on others.
  std::uint32_t live() const { return frames_.empty() ? 0 : frames_[0].stack.lanes(); }
  // Returns the frame of the kernel's entry. While the entry calls a function, its running path is at the
  // call.
  const Frame& entry_frame() const { return frames_.front(); }
  // Replaces `state` by bytes that are the same where registers, calls and paths are the same.
  void copy_state(std::vector<std::byte>& state) const;

  std::byte* at(const Row& row) { return bases_[static_cast<std::size_t>(row.base)] + row.offset; }
  std::uint32_t* words_at(const Row& row) {
    return reinterpret_cast<std::uint32_t*>(at(row));  // NOLINT: rows are of words
  }
  // Returns a lane's place in a row of any frame.
  std::byte* row_of(const Frame& frame, const Row& row, std::uint32_t lane) {
    std::byte* const start =
        row.base == RowBase::kFrame ? storage_[0].bytes.data() + frame.rows + row.offset : at(row);
    return start + std::size_t{lane} * (row.wide ? 8 : 4);
  }
  std::uint32_t& predicate(std::uint32_t offset) {
    return *reinterpret_cast<std::uint32_t*>(bases_[0] + offset);  // NOLINT: rows are of words
  }
  std::byte* area_of(const Frame& frame, std::uint32_t lane) {
    return areas_.data() + frame.area + std::size_t{lane} * frame.code->function->area_bytes;
  }
  // Returns a lane's place of an argument or a result of a call that the frame makes.
  std::byte* argument_of(const Frame& frame, const CallSite::Argument& argument, std::uint32_t lane) {
    return argument.in_area ? area_of(frame, lane) + argument.offset : row_of(frame, argument.row, lane);
  }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  // Makes room for the innermost frame and starts it.
  void enter(const EntryCode& code);
  // Updates the pointers into the innermost frame.
  void set_innermost();
  void set_local_addresses();

  // The members that every step needs share one line of the host's cache.
  std::array<std::byte*, kRowBases> bases_{};
  ReconvergenceStack* stack_ = nullptr;
  const Step* steps_ = nullptr;
  const Instruction* instructions_ = nullptr;
  std::uint32_t* carry_ = nullptr;
  std::uint32_t instructions_end_ = 0;
  std::uint32_t exited_ = 0;
  std::vector<Line> storage_;
  std::vector<std::byte> areas_;
  std::vector<Frame> frames_;

 public:
  Instruction barrier;  // the last barrier instruction, with its numbers filled in
};

}  // namespace heddle::ptx
