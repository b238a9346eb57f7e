#include "stimuli/ptx/execute/warp.h"

#include <algorithm>
#include <cstring>

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kLine = 64;

std::uint32_t whole_lines(std::uint32_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

std::uint32_t area_bytes(const Function& function) {
  // The parameters of a launch are read in place and not copied to a parameter area.
  if (function.entry && function.area_bytes == function.parameter_bytes) return 0;
  return static_cast<std::uint32_t>(function.area_bytes * kWarpLanes);
}

}  // namespace

void Warp::start(const EntryCode& code, std::uint32_t mask) {
  frames_.clear();
  exited_ = 0;
  Frame frame;
  frame.code = &code.functions[code.entry];
  frame.rows = whole_lines(code.warp_bytes);
  frame.stack.reset(0, mask);
  frames_.push_back(frame);
  enter(code);
}

Frame& Warp::call(const EntryCode& code, const FunctionCode& callee, std::uint32_t mask,
                  const CallSite* site) {
  const Frame& caller = frames_.back();
  Frame frame;
  frame.code = &callee;
  frame.rows = caller.rows + caller.code->frame_bytes;
  frame.area = caller.area + area_bytes(*caller.code->function);
  frame.local_base = caller.local_base + local_frame_bytes(*caller.code->function);
  frame.lanes = mask;
  frame.running = caller.stack.mask();
  frame.site = site;
  frame.stack.reset(0, mask);
  frames_.push_back(frame);
  enter(code);
  return frames_.back();
}

void Warp::leave() {
  frames_.pop_back();
  set_innermost();
}

void Warp::exit(std::uint32_t mask) {
  exited_ |= mask;
  for (Frame& frame : frames_) frame.stack.exit(mask);
}

void Warp::copy_state(std::vector<std::byte>& state) const {
  state.clear();
  const auto append = [&](const void* bytes, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(bytes);
    state.insert(state.end(), first, first + count);
  };
  const Frame& innermost = frames_.back();
  append(storage_.data(), innermost.rows + innermost.code->frame_bytes);
  append(areas_.data(), innermost.area + area_bytes(*innermost.code->function));
  append(&exited_, sizeof exited_);
  for (const Frame& frame : frames_) {
    append(&frame.code, sizeof frame.code);
    append(&frame.site, sizeof frame.site);
    append(&frame.lanes, sizeof frame.lanes);
    append(&frame.running, sizeof frame.running);
    append(&frame.pending, sizeof frame.pending);
    frame.stack.append_state(state);
  }
}

void Warp::enter(const EntryCode& code) {
  const Frame& frame = frames_.back();
  const std::size_t rows = frame.rows + frame.code->frame_bytes;
  if (storage_.size() * kLine < rows) storage_.resize((rows + kLine - 1) / kLine);
  const std::size_t areas = frame.area + area_bytes(*frame.code->function);
  if (areas_.size() < areas) areas_.resize(areas);
  bases_[static_cast<std::size_t>(RowBase::kConstant)] =
      reinterpret_cast<std::byte*>(const_cast<std::uint64_t*>(code.constants.data()));  // NOLINT: read only
  set_innermost();
  if (frame.code->starts_with_zeros) std::memset(bases_[0], 0, frame.code->frame_bytes);
  *carry_ = 0;
  set_local_addresses();
}

void Warp::set_innermost() {
  Frame& frame = frames_.back();
  std::byte* const storage = storage_[0].bytes.data();
  bases_[static_cast<std::size_t>(RowBase::kFrame)] = storage + frame.rows;
  bases_[static_cast<std::size_t>(RowBase::kWarp)] = storage;
  stack_ = &frame.stack;
  steps_ = frame.code->steps.data();
  instructions_ = frame.code->instructions.data();
  instructions_end_ = static_cast<std::uint32_t>(frame.code->instructions.size());
  carry_ = &predicate(frame.code->carry);
}

void Warp::set_local_addresses() {
  const Frame& frame = frames_.back();
  for (const FunctionCode::LocalAddress& address : frame.code->local_addresses) {
    const std::uint64_t value = frame.local_base + address.value;
    std::byte* const row = bases_[0] + address.row;
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      std::memcpy(row + lane * (address.wide ? 8 : 4), &value, address.wide ? 8 : 4);
  }
}

}  // namespace heddle::ptx
