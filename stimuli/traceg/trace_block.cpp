#include "stimuli/traceg/trace_block.h"

#include <algorithm>
#include <array>

namespace heddle {

namespace {

constexpr std::size_t kThreadRegisters =
    256;  // higher identifiers are uniform registers, predicates and others

// Returns the most registers that an operand has which starts at this register. Wide operands are aligned.
std::size_t widest_at(std::size_t id) {
  return id % 4 == 0 ? 4 : id % 2 == 0 ? 2 : 1;
}

// LiveLanes finds the lanes in which each register is live. It is given the instructions that follow, in
// order.
class LiveLanes {
 public:
  void add(const Instruction& code, std::uint32_t mask) {
    for (const RegisterId id : code.sources())
      if (id < kThreadRegisters) live_[id] |= mask & ~known_[id];
    for (const RegisterId id : code.sources())
      if (id < kThreadRegisters) known_[id] |= mask;
    for (const RegisterId id : code.destinations())
      if (id < kThreadRegisters) known_[id] |= mask;
  }

  std::uint32_t bytes(const CodeTable& codes) const {
    std::array<bool, kThreadRegisters> named{};
    for (std::uint32_t i = 0; i < codes.instructions(); ++i) {
      for (const RegisterId id : codes.instruction(i).sources())
        if (id < kThreadRegisters) named[id] = true;
      for (const RegisterId id : codes.instruction(i).destinations())
        if (id < kThreadRegisters) named[id] = true;
    }
    std::uint32_t registers = 0;
    for (std::size_t id = 0; id < kThreadRegisters; ++id) {
      if (live_[id] == 0) continue;
      std::size_t end = id + 1;
      while (end % widest_at(id) != 0 && !named[end]) ++end;
      registers +=
          static_cast<std::uint32_t>(end - id) * static_cast<std::uint32_t>(__builtin_popcount(live_[id]));
    }
    return registers * 4;
  }

 private:
  std::array<std::uint32_t, kThreadRegisters>
      live_{};  // by register: the lanes that read it before they write it
  std::array<std::uint32_t, kThreadRegisters>
      known_{};  // by register: the lanes that have read or written it
};

}  // namespace

void TraceBlock::rewind() {
  for (TraceWarp& warp : data_.warps) {
    warp.next = warp.end = nullptr;
    warp.next_chunk = 0;
    if (warp.sequence != nullptr) {
      warp.next = warp.sequence->entries.data();
      warp.end = warp.next + warp.sequence->entries.size();
      warp.address = data_.addresses.data() + warp.address_at;
    } else {
      load_chunk(warp);
    }
  }
}

const Instruction* TraceBlock::peek(std::uint32_t warp_number, std::uint32_t ahead) {
  const TraceWarp& warp = data_.warps[warp_number];
  const auto left = static_cast<std::size_t>(warp.end - warp.next);
  if (ahead < left) return &codes_.instruction(warp.next[ahead].code());
  return warp.next_chunk == warp.chunks.size() ? nullptr : peek_spooled(warp, ahead - left);
}

const Instruction* TraceBlock::peek_spooled(const TraceWarp& warp, std::size_t ahead) const {
  for (std::size_t i = warp.next_chunk; i < warp.chunks.size(); ++i) {
    const SpoolFile::Chunk& chunk = warp.chunks[i];
    if (ahead < chunk.entries)
      return &codes_.instruction(spool_.read_entry(chunk, static_cast<std::uint32_t>(ahead)).code());
    ahead -= chunk.entries;
  }
  return nullptr;
}

std::optional<std::uint32_t> TraceBlock::live_register_bytes(std::uint32_t warp_number) const {
  const TraceWarp& warp = data_.warps[warp_number];
  LiveLanes lanes;
  const auto add = [&](const TraceEntry& entry) {
    lanes.add(codes_.instruction(entry.code()), entry.mask());
  };
  std::for_each(warp.next, warp.end, add);
  std::vector<TraceEntry> window;
  for (std::size_t i = warp.next_chunk; i < warp.chunks.size(); ++i) {
    spool_.read(warp.chunks[i], window);
    std::for_each(window.begin(), window.begin() + warp.chunks[i].entries, add);
  }
  return lanes.bytes(codes_);
}

void TraceBlock::issue(std::uint32_t warp_number, IssuedInstruction& issued) {
  TraceWarp& warp = data_.warps[warp_number];
  const TraceEntry entry = *warp.next++;
  issued.code = &codes_.instruction(entry.code());
  issued.mask = entry.mask();
  issued.redirected = entry.has(told_);
  if (entry.form() != AddressForm::kNone) warp.address = expand(entry, warp.address, issued.addresses);
  if (warp.next == warp.end && warp.next_chunk < warp.chunks.size()) load_chunk(warp);
  issued.ended = warp.next == warp.end;
}

void TraceBlock::load_chunk(TraceWarp& warp) {
  const SpoolFile::Chunk& chunk = warp.chunks[warp.next_chunk++];
  spool_.read(chunk, warp.window);
  warp.next = warp.window.data();
  warp.end = warp.next + chunk.entries;
  warp.address = reinterpret_cast<const std::byte*>(warp.end);
}

}  // namespace heddle
