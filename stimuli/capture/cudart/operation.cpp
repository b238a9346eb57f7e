#include "stimuli/capture/cudart/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/cudart/stream_capture.h"
#include "stimuli/capture/runtime/device_attributes.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

Address address_of(const End& end) {
  return reinterpret_cast<Address>(end.pointer);
}

bool is_on_device(Runtime& runtime, const End& end) {
  return runtime.session().memory().find(address_of(end)) != nullptr;
}

// Returns whether all bytes lie in one allocation.
bool holds(Runtime& runtime, const End& end, const Shape& shape) {
  const std::uint64_t extent = (shape.slices - 1) * end.slice + (shape.rows - 1) * end.pitch + shape.bytes;
  return runtime.session().memory().find(address_of(end), extent) != nullptr;
}

// Returns whether host memory can lie there: neither at null nor among the addresses of device memory, where
// Linux gives a program no memory and only shared memory is.
bool can_be_on_host(const Runtime& runtime, const End& end) {
  constexpr Address kEnd = 2 * DeviceMemory::kFirst;
  const Address address = address_of(end);
  if (runtime.managed.holds(end.pointer)) return true;
  return end.pointer != nullptr && (address < DeviceMemory::kFirst || address >= kEnd);
}

bool has_room(const End& end, const Shape& shape) {
  if (shape.rows > 1 && end.pitch < shape.bytes) return false;
  return shape.slices == 1 || end.slice >= (shape.rows - 1) * end.pitch + shape.bytes;
}

struct Direction {
  bool from_device = false;
  bool to_device = false;
};

Direction direction_of(Runtime& runtime, const CopyOperation& copy) {
  if (copy.kind == kDefault) return {is_on_device(runtime, copy.from), is_on_device(runtime, copy.to)};
  return {copy.kind >= kDeviceToHost, (copy.kind & 1) != 0};
}

// Slices that follow each other without a gap are rows of one slice.
void join_slices(Shape& shape, const End& a, const End& b) {
  if (shape.slices == 1 || a.slice != shape.rows * a.pitch || b.slice != shape.rows * b.pitch) return;
  shape.rows *= shape.slices;
  shape.slices = 1;
}

End slice_of(const End& end, std::uint64_t slice) {
  return {static_cast<const std::byte*>(end.pointer) + slice * end.slice, end.pitch, 0};
}

Rows rows_of(const End& end, const Shape& shape) {
  return {address_of(end), end.pitch, shape.bytes, shape.rows};
}

void copy_slice(Runtime& runtime, const CopyOperation& copy, const Direction& direction,
                Session::Order order) {
  const Shape& shape = copy.shape;
  auto* const host = const_cast<void*>(copy.to.pointer);
  if (direction.to_device && direction.from_device) {
    runtime.session().copy(rows_of(copy.to, shape), rows_of(copy.from, shape), order);
  } else if (direction.to_device) {
    runtime.session().upload(rows_of(copy.to, shape), copy.from.pointer, copy.from.pitch, order);
  } else if (direction.from_device) {
    runtime.session().download(host, copy.to.pitch, rows_of(copy.from, shape), order);
  } else {
    for (std::uint64_t row = 0; row < shape.rows; ++row)
      std::memmove(static_cast<std::byte*>(host) + row * copy.to.pitch,
                   static_cast<const std::byte*>(copy.from.pointer) + row * copy.from.pitch, shape.bytes);
  }
}

class Check {
 public:
  explicit Check(Runtime& runtime) : runtime_(runtime) {}

  int operator()(const CopyOperation& copy) const {
    if (copy.shape.empty()) return kSuccess;
    if (!has_room(copy.to, copy.shape) || !has_room(copy.from, copy.shape)) return kInvalidPitchValue;
    if (copy.kind < kHostToHost || copy.kind > kDefault) return kInvalidMemcpyDirection;
    const Direction direction = direction_of(runtime_, copy);
    const auto good = [&](bool device, const End& end) {
      return device ? holds(runtime_, end, copy.shape) : can_be_on_host(runtime_, end);
    };
    return good(direction.from_device, copy.from) && good(direction.to_device, copy.to) ? kSuccess
                                                                                        : kInvalidValue;
  }

  int operator()(const FillOperation& fill) const {
    if (fill.shape.empty()) return kSuccess;
    if (fill.element != 1 && fill.element != 2 && fill.element != 4) return kInvalidValue;
    if (address_of(fill.to) % fill.element != 0 || fill.shape.bytes % fill.element != 0) return kInvalidValue;
    if (!has_room(fill.to, fill.shape)) return kInvalidValue;
    return holds(runtime_, fill.to, fill.shape) ? kSuccess : kInvalidValue;
  }

  int operator()(const LaunchOperation& launch) const {
    if (launch.shared > ~std::uint32_t{0}) return kInvalidValue;
    Session& session = runtime_.session();
    const ptx::Launch prepared = session.prepare(runtime_.call_of(launch));
    if (const std::string problem = ptx::launch_problem(prepared); !problem.empty()) {
      print_problem(launch, problem);
      return ptx::cluster_problem(prepared).empty() ? kInvalidConfiguration : kInvalidClusterSize;
    }
    const SmLimits& limits = session.spec().sm.limits;
    BlockShape shape = ptx::shape_of(prepared);
    // A thread that needs more registers spills when the capture is replayed.
    shape.registers_per_thread = std::min(shape.registers_per_thread, limits.registers_per_thread);
    const std::uint64_t resident = residency_of(shape, limits).blocks;
    if (resident == 0)
      return launch.block.count() > limits.threads_per_block ? kInvalidConfiguration : kLaunchOutOfResources;
    const std::uint64_t clusters = resident_clusters(session.spec(), shape);
    if (clusters == 0) {
      print_problem(launch, shortage_of(shape, limits));
      return kInvalidClusterSize;
    }
    if (!launch.cooperative) return kSuccess;
    if (launch.grid.count() > clusters * shape.cluster) return kCooperativeLaunchTooLarge;
    return runtime_.workspace() == 0 ? kMemoryAllocation : kSuccess;
  }

  int operator()(const HostOperation& host) const { return host.act == nullptr ? kInvalidValue : kSuccess; }
  int operator()(const RecordOperation& record) const { return event(record.event); }
  int operator()(const WaitOperation& wait) const { return event(wait.event); }
  int operator()(const EmptyOperation& /*nothing*/) const { return kSuccess; }
  int operator()(const ChildOperation& /*child*/) const { return kSuccess; }

 private:
  void print_problem(const LaunchOperation& launch, const std::string& problem) const {
    const std::string name = ptx::kernel_name(runtime_.entry(launch).name);
    std::fputs(fmt::format("heddle: {}: {}\n", name, problem).c_str(), stderr);
  }

  int event(const void* handle) const {
    return runtime_.events.count(handle) == 0 ? kInvalidResourceHandle : kSuccess;
  }

  Runtime& runtime_;
};

class Performance {
 public:
  Performance(Runtime& runtime, const Target& target)
      : runtime_(runtime), target_(target), stream_(target.stream) {}

  void operator()(CopyOperation copy) const {
    if (copy.shape.empty()) return;
    const Direction direction = direction_of(runtime_, copy);
    const bool is_managed = (direction.from_device && runtime_.managed.holds(copy.from.pointer)) ||
                            (direction.to_device && runtime_.managed.holds(copy.to.pointer));
    if (is_managed) runtime_.managed.upload(runtime_.session(), stream_);
    join_slices(copy.shape, copy.to, copy.from);
    const std::uint64_t slices = copy.shape.slices;
    const bool asynchronous = copy.asynchronous;
    const CopyOperation whole = copy;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      copy.to = slice_of(whole.to, slice);
      copy.from = slice_of(whole.from, slice);
      copy_slice(runtime_, copy, direction, {stream_, asynchronous || slice + 1 < slices});
    }
    if (is_managed) runtime_.managed.take_changes(runtime_.session());
    if (!asynchronous) runtime_.managed.synchronise(runtime_.session());
  }

  void operator()(const FillOperation& fill) const {
    if (fill.shape.empty()) return;
    const bool is_managed = runtime_.managed.holds(fill.to.pointer);
    if (is_managed) runtime_.managed.upload(runtime_.session(), stream_);
    Shape shape = fill.shape;
    join_slices(shape, fill.to, fill.to);
    for (std::uint64_t slice = 0; slice < shape.slices; ++slice)
      runtime_.session().fill(rows_of(slice_of(fill.to, slice), shape), {fill.value, fill.element},
                              {stream_, fill.asynchronous});
    if (is_managed) runtime_.managed.take_changes(runtime_.session());
  }

  void operator()(const LaunchOperation& launch) const {
    Session& session = runtime_.session();
    Call call = runtime_.call_of(launch);
    if (launch.cooperative) call.workspace = runtime_.workspace();
    call.priority =
        target_.overrides_launches ? target_.priority : launch.priority.value_or(target_.priority);
    runtime_.map_pinned(call.parameters);
    runtime_.managed.upload(session, stream_);
    session.launch(call, stream_);
    runtime_.managed.take_changes(session);
  }

  void operator()(const HostOperation& host) const { host.act(host.data); }

  void operator()(const RecordOperation& record) const {
    Event& event = *runtime_.events.at(record.event);
    event.recorded = true;
    event.capture.reset();
    event.nodes.clear();
    event.time_ps = runtime_.session().now_ps();
    runtime_.session().note(Kind::kRecord, stream_, event.number);
  }

  void operator()(const WaitOperation& wait) const {
    const Event& event = *runtime_.events.at(wait.event);
    if (event.recorded) runtime_.session().note(Kind::kWait, stream_, event.number);
  }

  void operator()(const EmptyOperation& /*nothing*/) const {}
  void operator()(const ChildOperation& /*child*/) const {}

 private:
  Runtime& runtime_;
  const Target target_;
  const std::uint32_t stream_;
};

}  // namespace

std::vector<std::byte> gather_parameters(const ptx::Function& entry, void** arguments) {
  std::vector<std::byte> bytes(entry.parameter_bytes);
  for (std::size_t i = 0; i < entry.parameters.size(); ++i)
    std::memcpy(bytes.data() + entry.parameters[i].offset, arguments[i], entry.parameters[i].bytes);
  return bytes;
}

int check(Runtime& runtime, const Operation& operation) {
  return std::visit(Check(runtime), operation);
}

int clamped_priority(int priority) {
  return std::clamp(priority, kGreatestPriority, kLeastPriority);
}

void perform(Runtime& runtime, const Operation& operation, const Target& target) {
  std::visit(Performance(runtime, target), operation);
}

namespace {

// A launch that is captured has the priority of its stream from then on.
Operation with_priority(Operation operation, const Stream& stream) {
  if (auto* const launch = std::get_if<LaunchOperation>(&operation))
    launch->priority = launch->priority.value_or(stream.priority);
  return operation;
}

}  // namespace

int submit(Runtime& runtime, const void* handle, const Operation& operation) {
  Stream* const stream = runtime.stream(handle);
  if (stream == nullptr) return kInvalidResourceHandle;
  if (const int error = check(runtime, operation); error != kSuccess) return error;
  if (is_captured(*stream) || joins_capture(runtime, operation))
    return capture_operation(runtime, *stream, with_priority(operation, *stream));
  if (const int error = check_uncaptured(runtime, *stream); error != kSuccess) return error;
  perform(runtime, operation, {stream->number, stream->priority});
  return kSuccess;
}

int submit(const char* name, const void* stream, const Operation& operation) {
  return guarded(name, [&](Runtime& runtime) { return submit(runtime, stream, operation); });
}

}  // namespace heddle::capture
