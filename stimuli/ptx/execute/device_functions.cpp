#include "stimuli/ptx/execute/device_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/execute/device_print.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostHeap = std::uint64_t{1} << 30U;  // bytes of one malloc
constexpr const char* kHeapName = "device heap";

std::uint64_t argument(const WarpStep& at, const CallSite& site, std::size_t index, std::uint32_t lane) {
  const CallSite::Argument& passed = site.arguments[index];
  std::uint64_t value = 0;
  std::memcpy(&value, at.warp.argument_of(at.warp.frame(), passed, lane),
              std::min<std::size_t>(passed.bytes, sizeof(value)));
  return value;
}

void set_result(const WarpStep& at, const CallSite& site, std::uint32_t lane, std::uint64_t value) {
  const CallSite::Argument& result = site.results[0];
  std::memcpy(at.warp.argument_of(at.warp.frame(), result, lane), &value,
              std::min<std::size_t>(result.bytes, sizeof(value)));
}

}  // namespace

void DeviceFunctions::call(const WarpStep& at, const CallSite& site, const Function& callee) {
  switch (callee.external) {
    case External::kVprintf:
      return print(at, site);
    case External::kAssertfail:
      fail_assertion(at, site);
    case External::kMalloc:
      return allocate(at, site);
    case External::kFree:
      return free(at, site);
    case External::kNone:
      break;
  }
  faults_.raise(at, at.first_lane(), fmt::format("{} has no body in this module", callee.name));
}

void DeviceFunctions::print(const WarpStep& at, const CallSite& site) {
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::uint64_t values = argument(at, site, 1, lane);
    PrintedValues source;
    source.word = [&](std::uint64_t offset, std::uint32_t bytes) {
      std::uint64_t value = 0;
      memory_.read_generic(at, lane, values + offset, &value, bytes);
      return value;
    };
    source.text = [&](std::uint64_t address) { return memory_.read_string(at, lane, address); };
    const PrintedText printed =
        device_print(memory_.read_string(at, lane, argument(at, site, 0, lane)), source);
    if (state_.launch.console != nullptr) state_.launch.console->print(printed.text);
    set_result(at, site, lane, printed.values);
  });
}

void DeviceFunctions::fail_assertion(const WarpStep& at, const CallSite& site) {
  const std::uint32_t lane = at.first_lane();
  const auto text = [&](std::size_t index) {
    return memory_.read_string(at, lane, argument(at, site, index, lane));
  };
  faults_.raise(at, lane,
                fmt::format("assertion `{}' failed in {}, {}:{}", text(0), text(3), text(1),
                            argument(at, site, 2, lane)));
}

// The device's heap is the context's memory.
void DeviceFunctions::allocate(const WarpStep& at, const CallSite& site) {
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::uint64_t bytes = argument(at, site, 0, lane);
    set_result(at, site, lane, bytes > kMostHeap ? 0 : state_.memory.allocate(bytes, kHeapName));
  });
}

void DeviceFunctions::free(const WarpStep& at, const CallSite& site) {
  state_.forget_allocations();
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::uint64_t address = argument(at, site, 0, lane);
    if (address == 0) return;
    const DeviceMemory::Allocation* const allocation = state_.memory.find(address);
    if (allocation == nullptr || allocation->address != address || allocation->name != kHeapName)
      faults_.raise(at, lane, fmt::format("free of {:#x}, which malloc did not give", address));
    state_.memory.free(address);
  });
}

}  // namespace heddle::ptx
