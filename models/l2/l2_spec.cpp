#include "models/l2/l2_spec.h"

namespace heddle {

std::uint32_t slice_in_channel(const L2Spec& spec, Address channel_local) {
  if (spec.slices_per_channel <= 1) return 0;
  const auto bits = static_cast<std::uint32_t>(__builtin_ctz(spec.slices_per_channel));
  auto slice = static_cast<std::uint32_t>(channel_local >> spec.slice_bit) & (spec.slices_per_channel - 1);
  for (std::size_t i = 0; i < spec.slice_hash.size(); ++i)
    slice ^= static_cast<std::uint32_t>((channel_local >> spec.slice_hash[i]) & 1) << (i % bits);
  return slice;
}

Address address_in_slice(const L2Spec& spec, Address channel_local) {
  const auto bits = static_cast<std::uint32_t>(__builtin_ctz(spec.slices_per_channel));
  const Address below = channel_local & ((Address{1} << spec.slice_bit) - 1);
  return channel_local >> (spec.slice_bit + bits) << spec.slice_bit | below;
}

// The hash of the slice's number takes none of its own bits.
Address address_in_channel(const L2Spec& spec, std::uint32_t slice, Address in_slice) {
  const auto bits = static_cast<std::uint32_t>(__builtin_ctz(spec.slices_per_channel));
  const Address below = in_slice & ((Address{1} << spec.slice_bit) - 1);
  const Address above = in_slice >> spec.slice_bit << (spec.slice_bit + bits);
  const Address own = slice_in_channel(spec, above | below) ^ slice;
  return above | own << spec.slice_bit | below;
}

}  // namespace heddle
