// This file implements green contexts: the SMs of the device are split into groups, and a context has the SMs
// of its groups. Launches of its streams run on these SMs alone, which a replay shows.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "stimuli/capture/driver/driver.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

// A resource as programs have it: NVIDIA's cuda.h, CUdevResource. The program may read the part `sm`; what
// stands in the padding is the library's.
struct Resource {
  int type;
  std::uint32_t magic;
  std::uint32_t set;  // index of sets()
  unsigned char padding[84];
  unsigned sms;
  unsigned least;      // SMs of a group
  unsigned alignment;  // of the number of its SMs
  unsigned char more[36];
};
static_assert(offsetof(Resource, sms) == 96 && sizeof(Resource) == 144);
constexpr int kNoResource = 0;
constexpr int kSmResource = 1;
constexpr std::uint32_t kMagic = 0x6c646865;

struct SmSet {
  std::vector<std::uint32_t> sms;
  std::uint64_t split = 0;  // of which the set is a result; 0: none
};

struct Sets {
  std::vector<SmSet> all;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> descriptions;
  std::uint64_t splits = 0;
  std::uint64_t contexts = 0;  // so far
};

Sets& sets() {
  static auto& all = *new Sets;  // outlives every exit handler
  return all;
}

struct Granularity {
  unsigned least = 1;
  unsigned multiple = 1;
};

// The manual of the driver (CUDA 12.6, Green Contexts) states these for each compute capability.
Granularity granularity(unsigned capability) {
  if (capability < 70) return {1, 1};
  if (capability < 80) return {2, 2};
  if (capability < 90) return {4, 2};
  return {8, 8};
}

Resource resource_of(Runtime& runtime, SmSet set) {
  const Granularity grain = granularity(runtime.session().spec().compute_capability);
  Resource resource{};
  resource.type = set.sms.empty() ? kNoResource : kSmResource;
  if (set.sms.empty()) return resource;
  resource.magic = kMagic;
  resource.set = static_cast<std::uint32_t>(sets().all.size());
  resource.sms = static_cast<unsigned>(set.sms.size());
  resource.least = grain.least;
  resource.alignment = grain.multiple;
  sets().all.push_back(std::move(set));
  return resource;
}

const SmSet* set_of(const Resource& resource) {
  const bool is_ours =
      resource.type == kSmResource && resource.magic == kMagic && resource.set < sets().all.size();
  return is_ours ? &sets().all[resource.set] : nullptr;
}

std::vector<std::uint32_t> all_sms(Runtime& runtime) {
  std::vector<std::uint32_t> sms(runtime.session().spec().sm.count);
  for (std::uint32_t sm = 0; sm < sms.size(); ++sm) sms[sm] = sm;
  return sms;
}

// Calls act(runtime) for a device or in a context that has been checked before.
template <typename Act>
int with_runtime(const char* name, int checked, const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (checked != kSuccess) return checked;
  const KeptLastError kept;
  return driver_error(guarded(name, act));
}

int give_resource(const char* name, int checked, Resource* to, int type,
                  const std::vector<std::uint32_t>* sms) {
  return with_runtime(name, checked, [&](Runtime& runtime) -> int {
    if (to == nullptr) return kInvalidValue;
    if (type != kSmResource) return kDriverInvalidResourceType;
    *to = resource_of(runtime, {sms == nullptr ? all_sms(runtime) : *sms, 0});
    return kSuccess;
  });
}

GreenContext* green_context(Runtime& runtime, const void* handle) {
  const auto found = runtime.green_contexts.find(handle);
  return found == runtime.green_contexts.end() ? nullptr : found->second.get();
}

// Calls act(runtime, context) if there is such a green context.
template <typename Act>
int with_green(const char* name, const void* handle, const Act& act) {
  return with_runtime(name, check_initialised(), [&](Runtime& runtime) -> int {
    GreenContext* const context = green_context(runtime, handle);
    return context == nullptr ? static_cast<int>(kDriverInvalidContext) : act(runtime, *context);
  });
}

// Groups of equal size, from the first SM of the set on. Which SMs the driver chooses is not documented.
int split(Runtime& runtime, Resource* groups, unsigned* count, const Resource& input, Resource* remaining,
          unsigned flags, unsigned asked) {
  constexpr unsigned kIgnoreCoscheduling = 1;
  constexpr unsigned kKnownFlags = 3;
  const SmSet* const set = set_of(input);
  if (set == nullptr) return kDriverInvalidResourceType;
  if (flags > kKnownFlags || asked > set->sms.size()) return kInvalidValue;
  if (set->split != 0) return kDriverInvalidResourceConfiguration;
  Granularity grain = granularity(runtime.session().spec().compute_capability);
  if ((flags & kIgnoreCoscheduling) != 0) grain = {std::min(grain.least, 2U), std::min(grain.multiple, 2U)};
  const std::size_t least = std::max(asked, grain.least);
  const std::size_t size = (least + grain.multiple - 1) / grain.multiple * grain.multiple;
  const auto possible = static_cast<unsigned>(set->sms.size() / size);
  if (groups == nullptr) {
    *count = possible;
    return kSuccess;
  }
  *count = std::min(*count, possible);
  if (*count == 0) return kDriverInvalidResourceConfiguration;
  const std::vector<std::uint32_t> sms = set->sms;  // `set` moves when others are added
  const std::uint64_t number = ++sets().splits;
  auto next = sms.begin();
  for (unsigned group = 0; group < *count; ++group, next += static_cast<std::ptrdiff_t>(size))
    groups[group] = resource_of(runtime, {{next, next + static_cast<std::ptrdiff_t>(size)}, number});
  if (remaining != nullptr) *remaining = resource_of(runtime, {{next, sms.end()}, number});
  return kSuccess;
}

// Resources that are described together are results of one split.
int describe(const void** description, const Resource* resources, unsigned count) {
  if (description == nullptr || resources == nullptr || count == 0) return kInvalidValue;
  auto sms = std::make_unique<std::vector<std::uint32_t>>();
  for (unsigned i = 0; i < count; ++i) {
    const SmSet* const set = set_of(resources[i]);
    if (set == nullptr) return kDriverInvalidResourceType;
    if (count > 1 && (set->split == 0 || set->split != set_of(resources[0])->split))
      return kDriverInvalidResourceConfiguration;
    sms->insert(sms->end(), set->sms.begin(), set->sms.end());
  }
  std::sort(sms->begin(), sms->end());
  if (std::adjacent_find(sms->begin(), sms->end()) != sms->end()) return kDriverInvalidResourceConfiguration;
  *description = sms.get();
  sets().descriptions.push_back(std::move(sms));
  return kSuccess;
}

const std::vector<std::uint32_t>* described(const void* description) {
  for (const auto& known : sets().descriptions)
    if (known.get() == description) return known.get();
  return nullptr;
}

int create(Runtime& runtime, void** handle, const void* description, unsigned flags) {
  constexpr unsigned kDefaultStream = 1;  // the only flag, which is required
  const std::vector<std::uint32_t>* const sms = described(description);
  if (handle == nullptr || sms == nullptr || flags != kDefaultStream) return kInvalidValue;
  auto context = std::make_unique<GreenContext>();
  context->number = ++sets().contexts;
  context->sms = *sms;
  context->default_stream = create_stream(runtime, 0, kLeastPriority, context.get());
  *handle = context.get();
  runtime.green_contexts.emplace(*handle, std::move(context));
  return kSuccess;
}

// The streams that the program has not destroyed stay as they are.
int destroy(Runtime& runtime, const GreenContext& context) {
  for (auto& [handle, stream] : runtime.streams)
    if (stream->green == &context) stream->green = nullptr;
  const auto own = runtime.streams.find(context.default_stream);
  runtime.session().note(Kind::kDestroyStream, own->second->number);
  runtime.streams.erase(own);
  runtime.green_contexts.erase(&context);
  return kSuccess;
}

std::vector<const void*> streams_of(Runtime& runtime, const GreenContext& context) {
  std::vector<const void*> handles;
  for (const auto& [handle, stream] : runtime.streams)
    if (stream->green == &context) handles.push_back(handle);
  std::sort(handles.begin(), handles.end(), [&](const void* a, const void* b) {
    return runtime.streams.at(a)->number < runtime.streams.at(b)->number;
  });
  return handles;
}

// The event stands for the work of all streams of the context: its default stream waits for the others.
int record(Runtime& runtime, const GreenContext& context, void* event) {
  const std::uint32_t first = runtime.streams.at(context.default_stream)->number;
  for (const void* const handle : streams_of(runtime, context)) {
    const std::uint32_t stream = runtime.streams.at(handle)->number;
    if (stream == first) continue;
    const std::uint32_t joined = runtime.next_event++;
    runtime.session().note(Kind::kRecord, stream, joined);
    runtime.session().note(Kind::kWait, first, joined);
    runtime.session().note(Kind::kDestroyEvent, 0, joined);
  }
  return submit(runtime, context.default_stream, RecordOperation{event, false});
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuDeviceGetDevResource(int device, Resource* resource, int type) {
  return give_resource("cuDeviceGetDevResource", check_device(device), resource, type, nullptr);
}

int cuCtxGetDevResource(const void* handle, Resource* resource, int type) {
  const auto& known = Runtime::get().green_contexts;
  const auto found = known.find(handle);
  return give_resource("cuCtxGetDevResource", check_context(), resource, type,
                       found == known.end() ? nullptr : &found->second->sms);
}

int cuGreenCtxGetDevResource(const void* handle, Resource* resource, int type) {
  const auto& known = Runtime::get().green_contexts;
  const auto found = known.find(handle);
  if (found == known.end()) return kDriverInvalidContext;
  return give_resource("cuGreenCtxGetDevResource", check_initialised(), resource, type, &found->second->sms);
}

int cuDevSmResourceSplitByCount(Resource* groups, unsigned* count, const Resource* input, Resource* remaining,
                                unsigned flags, unsigned asked) {
  return with_runtime("cuDevSmResourceSplitByCount", check_initialised(), [&](Runtime& runtime) -> int {
    if (count == nullptr || input == nullptr) return kInvalidValue;
    return split(runtime, groups, count, *input, remaining, flags, asked);
  });
}

int cuDevResourceGenerateDesc(const void** description, const Resource* resources, unsigned count) {
  return with_runtime("cuDevResourceGenerateDesc", check_initialised(),
                      [&](Runtime&) { return describe(description, resources, count); });
}

int cuGreenCtxCreate(void** handle, const void* description, int device, unsigned flags) {
  return with_runtime("cuGreenCtxCreate", check_device(device),
                      [&](Runtime& runtime) { return create(runtime, handle, description, flags); });
}

int cuGreenCtxDestroy(const void* handle) {
  return with_green("cuGreenCtxDestroy", handle,
                    [](Runtime& runtime, GreenContext& context) { return destroy(runtime, context); });
}

int cuCtxFromGreenCtx(void** context, void* handle) {
  return with_green("cuCtxFromGreenCtx", handle, [&](Runtime&, GreenContext&) -> int {
    if (context == nullptr) return kInvalidValue;
    *context = handle;
    return kSuccess;
  });
}

int cuGreenCtxGetId(const void* handle, std::uint64_t* number) {
  return with_green("cuGreenCtxGetId", handle, [&](Runtime&, const GreenContext& context) -> int {
    if (number == nullptr) return kInvalidValue;
    *number = context.number;
    return kSuccess;
  });
}

int cuGreenCtxStreamCreate(void** stream, const void* handle, unsigned flags, int priority) {
  return with_green("cuGreenCtxStreamCreate", handle,
                    [&](Runtime& runtime, const GreenContext& context) -> int {
                      if (stream == nullptr || flags != kNonBlocking)
                        return kInvalidValue;  // as the driver asks for
                      *stream = create_stream(runtime, flags, priority, &context);
                      return kSuccess;
                    });
}

int cuGreenCtxRecordEvent(const void* handle, void* event) {
  return with_green("cuGreenCtxRecordEvent", handle, [&](Runtime& runtime, const GreenContext& context) {
    return record(runtime, context, event);
  });
}

int cuGreenCtxWaitEvent(const void* handle, void* event) {
  return with_green("cuGreenCtxWaitEvent", handle, [&](Runtime& runtime, const GreenContext& context) -> int {
    for (const void* const stream : streams_of(runtime, context))
      if (const int error = submit(runtime, stream, WaitOperation{event, false}); error != kSuccess)
        return error;
    return kSuccess;
  });
}

int cuStreamGetGreenCtx(const void* stream, const void** context) {
  return with_runtime("cuStreamGetGreenCtx", check_initialised(), [&](Runtime& runtime) -> int {
    const Stream* const found = runtime.stream(stream);
    if (found == nullptr || context == nullptr) return kInvalidResourceHandle;
    *context = found->green;
    return kSuccess;
  });
}

int cuStreamGetCtx(const void* stream, const void** context) {
  return with_runtime("cuStreamGetCtx", check_context(), [&](Runtime& runtime) -> int {
    const Stream* const found = runtime.stream(stream);
    if (found == nullptr || context == nullptr) return kInvalidResourceHandle;
    *context = found->green == nullptr ? primary_context() : found->green;
    return kSuccess;
  });
}

int cuStreamGetCtx_v2(const void* stream, const void** context, const void** green) {
  return with_runtime("cuStreamGetCtx", check_context(), [&](Runtime& runtime) -> int {
    const Stream* const found = runtime.stream(stream);
    if (found == nullptr || context == nullptr || green == nullptr) return kInvalidResourceHandle;
    *green = found->green;
    *context = found->green == nullptr ? primary_context() : nullptr;
    return kSuccess;
  });
}

int cuStreamGetCtx_v2_ptsz(const void* stream, const void** context, const void** green) {
  return cuStreamGetCtx_v2(or_thread_stream(stream), context, green);
}
}
