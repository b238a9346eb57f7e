#pragma once
// A product of a warpgroup as the text of wgmma.mma_async, for tests.

#include <fmt/format.h>

#include <functional>
#include <string>

#include "stimuli/ptx/statements/type.h"

namespace heddle::ptx {

constexpr int kGroupThreads = 128;  // of a warpgroup

// How a matrix lies in shared memory.
struct MatrixLayout {
  int swizzle = 0;  // bytes of a row; 0: no swizzle
  bool k_major = true;
  int chunk = 0;  // K-major with a swizzle: the chunk of 16 bytes of its row at which the product begins
  int base = 0;   // rows of 128 bytes by which it begins behind a multiple of 1,024 bytes
};

inline int number_of_a(int row, int k) {
  return (3 * row + 5 * k) % 7 - 3;
}
inline int number_of_b(int k, int column) {
  return (2 * k + 3 * column + k * column) % 5 - 2;
}

// d lies in the registers %w, and a in shared memory as %rd10 says, or in %r20 to %r23. %rd11 is the
// descriptor of b.
struct GroupProduct {
  Type d = Type::kF32;
  Type a = Type::kF16;
  Type b = Type::kF16;
  int columns = 128;
  MatrixLayout a_layout;
  MatrixLayout b_layout;
  bool a_in_registers = false;
  std::string flags;        // ".satfinite"
  std::string scale = "1";  // of d
  int scale_a = 1;
  int scale_b = 1;
  int before = 100;  // in every element of d
  std::function<int(int, int)> number_a = number_of_a;
  std::function<int(int, int)> number_b = number_of_b;

  int depth() const { return 32 / static_cast<int>(bytes_of(a)); }
  int registers() const { return d == Type::kF16 ? columns / 4 : columns / 2; }
  std::string spelling() const {
    return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}{}.{}.{}.{}", columns, depth(), flags,
                       name_of(d), name_of(a), name_of(b));
  }
  std::string operands() const {
    std::string text = "{%w0";
    for (int i = 1; i < registers(); ++i) text += fmt::format(", %w{}", i);
    text += fmt::format("}}, {}, %rd11, {}", a_in_registers ? "{%r20, %r21, %r22, %r23}" : "%rd10", scale);
    if (!is_float(a)) return text;
    text += fmt::format(", {}, {}", scale_a, scale_b);
    if (!is_half(a)) return text;
    if (!a_in_registers) text += fmt::format(", {}", a_layout.k_major ? 0 : 1);
    return text + fmt::format(", {}", b_layout.k_major ? 0 : 1);
  }
};

}  // namespace heddle::ptx
