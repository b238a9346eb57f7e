#pragma once

namespace heddle::test {

// Whether the tests run under the address sanitizer. It loses track of the stack where an exception leaves a
// simulation, because SystemC switches between stacks, and then reports an error that is none.
#if defined(__SANITIZE_ADDRESS__)  // GCC
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // clang
inline constexpr bool kSanitized = __has_feature(address_sanitizer) != 0;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace heddle::test
