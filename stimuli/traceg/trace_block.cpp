#include "stimuli/traceg/trace_block.h"

namespace heddle {

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
