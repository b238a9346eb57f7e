#include "stimuli/ptx/statements/video.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kPackedBits = 8;  // of each number in a packed selector

bool is_descending(const Selector& selector) {
  for (std::size_t i = 1; i < selector.count; ++i)
    if (selector.part[i] <= selector.part[i - 1]) return false;
  return true;
}

}  // namespace

std::uint32_t video_parts(Opcode opcode) {
  if (opcode >= Opcode::kVabsdiff && opcode <= Opcode::kVsub) return 1;
  if (opcode >= Opcode::kVabsdiff2 && opcode <= Opcode::kVsub2) return 2;
  return opcode >= Opcode::kVabsdiff4 && opcode <= Opcode::kVsub4 ? 4 : 0;
}

Selector default_selector(Opcode opcode, bool second_source) {
  Selector selector;
  const std::uint32_t parts = video_parts(opcode);
  if (parts <= 1) return selector;
  selector.bits = static_cast<std::uint8_t>(32 / parts);
  selector.count = static_cast<std::uint8_t>(parts);
  for (std::uint32_t i = 0; i < parts; ++i)
    selector.part[i] = static_cast<std::uint8_t>(second_source ? parts + i : i);
  return selector;
}

std::optional<Selector> parse_selector(std::string_view text, Opcode opcode, bool destination) {
  const std::uint32_t parts = video_parts(opcode);
  if (text.size() < 2 || text.size() > 5 || (text[0] != 'b' && text[0] != 'h')) return std::nullopt;
  Selector selector;
  selector.bits = text[0] == 'b' ? 8 : 16;
  selector.count = static_cast<std::uint8_t>(text.size() - 1);
  const std::uint32_t in_word = 32U / selector.bits;
  const std::uint32_t most = parts > 1 && !destination ? 2 * in_word : in_word;
  for (std::size_t i = 0; i < selector.count; ++i) {
    const char digit = text[text.size() - 1 - i];
    selector.part[i] = static_cast<std::uint8_t>(digit - '0');
    if (digit < '0' || selector.part[i] >= most) return std::nullopt;
  }
  const bool counts = parts == 1         ? selector.count == 1
                      : in_word != parts ? false
                      : destination      ? is_descending(selector)
                                         : selector.count == parts;
  if (!counts) return std::nullopt;
  return selector;
}

std::uint64_t packed(const Selector& selector) {
  std::uint64_t value = selector.bits | std::uint64_t{selector.count} << kPackedBits;
  for (std::size_t i = 0; i < selector.count; ++i)
    value |= std::uint64_t{selector.part[i]} << ((2 + i) * kPackedBits);
  return value;
}

Selector unpacked(std::uint64_t value) {
  Selector selector;
  selector.bits = static_cast<std::uint8_t>(value);
  selector.count = static_cast<std::uint8_t>(value >> kPackedBits);
  for (std::size_t i = 0; i < selector.count; ++i)
    selector.part[i] = static_cast<std::uint8_t>(value >> ((2 + i) * kPackedBits));
  return selector;
}

}  // namespace heddle::ptx
