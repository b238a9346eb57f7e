#include "models/rtl/rtl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace heddle {

namespace {

std::string refusal(const std::string& file, const std::string& why) {
  return fmt::format("RTL library {}: {}", file, why);
}

const char* fault_of(const heddle_rtl_api& api) {
  if (!api.top || !api.tool || !api.create || !api.destroy || !api.eval || !api.signals || !api.message)
    return "a function or a name of its interface is null";
  if ((api.trace_open == nullptr) != (api.trace_dump == nullptr) ||
      (api.trace_open == nullptr) != (api.trace_close == nullptr))
    return "it has some functions of waveforms and lacks others";
  return nullptr;
}

const char* fault_of(const heddle_rtl_signal& signal) {
  if (signal.name == nullptr || *signal.name == '\0') return "a signal without a name";
  if (signal.value == nullptr) return "a signal without a value";
  if (signal.bits == 0 || signal.direction > HEDDLE_RTL_INTERNAL) return "a signal without bits or direction";
  const std::uint32_t bytes = signal.word_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return "a signal whose words have a wrong size";
  return signal.bits > bytes * 8 && bytes != 4 ? "a signal of several words that are not of 4 bytes"
                                               : nullptr;
}

}  // namespace

std::uint64_t RtlSignal::get_of_words(std::uint32_t low, std::uint32_t count) const {
  const std::uint32_t size = word_bits();
  std::uint64_t value = word(low / size) >> (low % size);
  for (std::uint32_t have = size - low % size, i = low / size + 1; have < count; have += size, ++i)
    value |= word(i) << have;
  return value & low_bits(count);
}

void RtlSignal::set(std::uint32_t low, std::uint32_t count, std::uint64_t value) {
  const std::uint32_t size = word_bits();
  for (std::uint32_t done = 0; done < count;) {
    const std::uint32_t at = low + done;
    const std::uint32_t part = std::min(size - at % size, count - done);
    const std::uint64_t mask = low_bits(part) << (at % size);
    const std::uint64_t bits = (value >> done & low_bits(part)) << (at % size);
    set_word(at / size, (word(at / size) & ~mask) | bits);
    done += part;
  }
}

void RtlSignal::clear() {
  std::memset(signal_.value, 0, std::size_t{words()} * signal_.word_bytes);
}

bool RtlSignal::is_zero() const {
  for (std::uint32_t i = 0; i < words(); ++i)
    if (word(i) != 0) return false;
  return true;
}

std::string RtlSignal::hex() const {
  std::string text;
  for (std::uint32_t i = words(); i-- > 0;) text += fmt::format("{:0{}x}", word(i), signal_.word_bytes * 2);
  const std::size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}

RtlInstance::RtlInstance(std::shared_ptr<void> handle, const heddle_rtl_api* api, std::uint64_t seed)
    : handle_(std::move(handle)), api_(api), block_(api->create(seed)) {
  if (block_ == nullptr) throw RtlError(fmt::format("RTL block {}: no instance can be made", api->top));
  std::size_t count = 0;
  const heddle_rtl_signal* signals = api->signals(block_, &count);
  const char* fault = signals == nullptr && count > 0 ? "a null list of signals" : nullptr;
  for (std::size_t i = 0; i < count && fault == nullptr; ++i) fault = fault_of(signals[i]);
  if (fault != nullptr) {
    api->destroy(block_);
    throw RtlError(fmt::format("RTL block {}: the library states {}", api->top, fault));
  }
  for (std::size_t i = 0; i < count; ++i) signals_.emplace_back(signals[i]);
}

RtlInstance::~RtlInstance() {
  api_->destroy(block_);
}

RtlSignal* RtlInstance::find(std::string_view name) {
  for (RtlSignal& signal : signals_)
    if (signal.name() == name) return &signal;
  return nullptr;
}

void RtlInstance::add(const RtlVector& vector) {
  const auto refuse = [&vector](const std::string& why) {
    throw RtlError(fmt::format("vector '{}': {}", vector.name, why));
  };
  if (find(vector.name) != nullptr) refuse("the block has a signal of this name");
  std::vector<Vector::Part> parts;
  std::uint32_t bits = 0;
  for (const RtlVector::Part& part : vector.parts) {
    const RtlSignal* const pin = find(part.pin);
    if (pin == nullptr || pin->direction() == HEDDLE_RTL_INTERNAL)
      refuse(fmt::format("the block has no pin '{}'", part.pin));
    if (part.high && *part.high >= pin->bits())
      refuse(fmt::format("pin '{}' has bits {}:0 and no bit {}", part.pin, pin->bits() - 1, *part.high));
    if (!parts.empty() && pin->direction() != parts.front().pin.direction())
      refuse(
          fmt::format("pins '{}' and '{}' are an input and an output", vector.parts.front().pin, part.pin));
    const std::uint32_t end = part.high.value_or(pin->bits() - 1) + 1;
    for (std::uint32_t low = part.low; low < end; low += 64) {
      parts.push_back({*pin, low, bits, std::min(end - low, 64u)});
      bits += parts.back().count;
    }
  }
  constexpr std::uint32_t kWordBits = 32;
  auto words = std::make_unique<std::uint32_t[]>((bits + kWordBits - 1) / kWordBits);
  const heddle_rtl_direction direction = parts.front().pin.direction();
  const heddle_rtl_signal signal{
      vector.name.c_str(), bits, kWordBits / 8, static_cast<std::uint32_t>(direction), 0, words.get()};
  signals_.emplace_back(signal);
  (direction == HEDDLE_RTL_INPUT ? input_vectors_ : output_vectors_)
      .push_back({std::move(words), RtlSignal(signal), std::move(parts)});
}

void RtlInstance::Vector::give() {
  for (Part& part : parts) part.pin.set(part.low, part.count, signal.get(part.at, part.count));
}

void RtlInstance::Vector::take() {
  for (const Part& part : parts) signal.set(part.at, part.count, part.pin.get(part.low, part.count));
}

void RtlInstance::fail() const {
  throw RtlError(fmt::format("RTL block {}: {}", api_->top, api_->message(block_)));
}

void RtlInstance::trace_open(const std::string& file) {
  if (api_->trace_open == nullptr)
    throw RtlError(fmt::format("RTL block {}: its library has no waveforms", api_->top));
  if (api_->trace_open(block_, file.c_str()) != 0) fail();
}

void RtlInstance::trace_dump(std::uint64_t time_ps) {
  if (api_->trace_dump(block_, time_ps) != 0) fail();
}

void RtlInstance::trace_close() {
  if (api_->trace_close(block_) != 0) fail();
}

RtlLibrary::RtlLibrary(std::string file, std::shared_ptr<void> handle, const heddle_rtl_api* api)
    : file_(std::move(file)), handle_(std::move(handle)), api_(api) {}

std::shared_ptr<const RtlLibrary> RtlLibrary::load(const std::string& file) {
  const std::shared_ptr<void> handle(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* opened) {
    if (opened != nullptr) ::dlclose(opened);
  });
  if (handle == nullptr) throw RtlError(refusal(file, ::dlerror()));
  const auto entry = reinterpret_cast<heddle_rtl_entry>(::dlsym(handle.get(), HEDDLE_RTL_ENTRY));
  if (entry == nullptr)
    throw RtlError(refusal(file, "it does not export the function " HEDDLE_RTL_ENTRY "()"));
  const heddle_rtl_api* api = entry();
  if (api == nullptr) throw RtlError(refusal(file, HEDDLE_RTL_ENTRY "() returns null"));
  if (api->version != HEDDLE_RTL_VERSION)
    throw RtlError(
        refusal(file, fmt::format("it has version {} of the interface; this Heddle reads version {}",
                                  api->version, HEDDLE_RTL_VERSION)));
  if (api->size < sizeof(heddle_rtl_api))
    throw RtlError(refusal(file, fmt::format("its interface has {} bytes, and version {} has {}", api->size,
                                             HEDDLE_RTL_VERSION, sizeof(heddle_rtl_api))));
  if (const char* fault = fault_of(*api)) throw RtlError(refusal(file, fault));
  return std::shared_ptr<const RtlLibrary>(new RtlLibrary(file, handle, api));
}

std::unique_ptr<RtlInstance> RtlLibrary::create(std::uint64_t seed,
                                                const std::vector<RtlVector>& vectors) const {
  auto instance = std::unique_ptr<RtlInstance>(new RtlInstance(handle_, api_, seed));
  for (const RtlVector& vector : vectors) instance->add(vector);
  return instance;
}

}  // namespace heddle
