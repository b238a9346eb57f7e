// How a block's threads call functions, those of the module and those that the device brings with it.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/execute/block_stream.h"
#include "stimuli/ptx/execute/device_print.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostDepth = 4096;                      // calls in calls
constexpr std::uint64_t kMostHeap = std::uint64_t{1} << 30U;  // bytes that malloc gives at once

}  // namespace

// Parameters lie where the callee wants them; results go back the same way.
void PtxBlockStream::pass(Warp& warp, const CallSite& place, Frame& caller, Frame& callee, bool back) {
  for (const CallSite::Argument& argument : back ? place.results : place.arguments) {
    for (std::uint32_t left = callee.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
      std::byte* const inside = warp.area_of(callee, lane) + argument.callee;
      std::byte* const outside = argument.in_area ? warp.area_of(caller, lane) + argument.offset
                                                  : warp.row_of(caller, argument.row, lane);
      // Registers of 16 bits lie in 32, extended by zeros.
      if (back && !argument.in_area && argument.bytes < 4) std::memset(outside, 0, 4);
      std::memcpy(back ? outside : inside, back ? inside : outside, argument.bytes);
    }
  }
}

void PtxBlockStream::call(const Now& now) {
  Warp& warp = now.warp;
  const CallSite& place = code_.calls[now.step.index];
  const Function& callee = image_of(*state_.launch.code).module->functions[now.step.target];
  ReconvergenceStack& stack = warp.frame().stack;
  if (now.active == 0) return stack.advance(stack.pc() + 1);
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(now.active));
  if (callee.code.empty()) {
    call_external(now, place, callee);
    warp.frame().stack.advance(stack.pc() + 1);
    return;
  }
  const FunctionCode& code = code_.functions[now.step.target];
  const Frame& caller = warp.frame();
  const std::uint64_t local_end =
      caller.local_base + local_frame_bytes(*caller.code->function) + callee.local_bytes;
  if (warp.depth() == kMostDepth || local_end > code_.local_bytes)
    fault(now, first,
          fmt::format("stack overflow: {} calls deep, {} bytes of local memory", warp.depth(), local_end));
  warp.call(code_, code, now.active, &place);
  pass(warp, place, warp.frame_below(), warp.frame(), false);
}

// Leaves the calls that all lanes have returned from.
void PtxBlockStream::end_calls(Warp& warp) {
  while (warp.depth() > 1 && warp.frame().stack.done()) {
    const bool goes_on = (warp.frame().running & ~warp.exited()) != 0;
    pass(warp, *warp.frame().place, warp.frame_below(), warp.frame(), true);
    warp.leave();
    ReconvergenceStack& stack = warp.frame().stack;
    if (goes_on) stack.advance(stack.pc() + 1);
  }
}

void PtxBlockStream::call_external(const Now& now, const CallSite& place, const Function& callee) {
  switch (callee.external) {
    case External::kVprintf:
      return print(now, place);
    case External::kAssertfail:
      fail_assertion(now, place);
    case External::kMalloc:
      return allocate(now, place);
    case External::kFree:
      return free(now, place);
    case External::kNone:
      break;
  }
  fault(now, static_cast<std::uint32_t>(__builtin_ctz(now.active)),
        fmt::format("{} has no body in this module", callee.name));
}

std::uint64_t PtxBlockStream::argument(const Now& now, const CallSite& place, std::size_t index,
                                       std::uint32_t lane) {
  const CallSite::Argument& argument = place.arguments[index];
  const std::byte* const from = argument.in_area ? now.warp.area_of(now.warp.frame(), lane) + argument.offset
                                                 : now.warp.row_of(now.warp.frame(), argument.row, lane);
  std::uint64_t value = 0;
  std::memcpy(&value, from, std::min<std::size_t>(argument.bytes, sizeof(value)));
  return value;
}

void PtxBlockStream::give(const Now& now, const CallSite::Argument& result, std::uint32_t lane,
                          std::uint64_t value) {
  std::byte* const to = result.in_area ? now.warp.area_of(now.warp.frame(), lane) + result.offset
                                       : now.warp.row_of(now.warp.frame(), result.row, lane);
  std::memcpy(to, &value, std::min<std::size_t>(result.bytes, sizeof(value)));
}

void PtxBlockStream::print(const Now& now, const CallSite& place) {
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const std::uint64_t values = argument(now, place, 1, lane);
    PrintedValues source;
    source.word = [&](std::uint64_t offset, std::uint32_t bytes) {
      std::uint64_t value = 0;
      read_generic(now, lane, values + offset, &value, bytes);
      return value;
    };
    source.text = [&](std::uint64_t address) { return text_at(now, lane, address); };
    const PrintedText printed = device_print(text_at(now, lane, argument(now, place, 0, lane)), source);
    if (state_.launch.console != nullptr) state_.launch.console->print(printed.text);
    give(now, place.results[0], lane, static_cast<std::uint32_t>(printed.values));
  }
}

void PtxBlockStream::fail_assertion(const Now& now, const CallSite& place) {
  const auto lane = static_cast<std::uint32_t>(__builtin_ctz(now.active));
  fault(now, lane,
        fmt::format("assertion `{}' failed in {}, {}:{}", text_at(now, lane, argument(now, place, 0, lane)),
                    text_at(now, lane, argument(now, place, 3, lane)),
                    text_at(now, lane, argument(now, place, 1, lane)), argument(now, place, 2, lane)));
}

// The device's heap is the context's memory.
void PtxBlockStream::allocate(const Now& now, const CallSite& place) {
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const std::uint64_t bytes = argument(now, place, 0, lane);
    if (bytes > kMostHeap) {
      give(now, place.results[0], lane, 0);
      continue;
    }
    give(now, place.results[0], lane, state_.memory.allocate(bytes, "device heap"));
  }
}

void PtxBlockStream::free(const Now& now, const CallSite& place) {
  std::fill(state_.found.begin(), state_.found.end(), nullptr);
  for (std::uint32_t left = now.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
    const std::uint64_t address = argument(now, place, 0, lane);
    if (address == 0) continue;
    const DeviceMemory::Allocation* const allocation = state_.memory.find(address);
    if (allocation == nullptr || allocation->address != address || allocation->name != "device heap")
      fault(now, lane, fmt::format("free of {:#x}, which malloc did not give", address));
    state_.memory.free(address);
  }
}

}  // namespace heddle::ptx
