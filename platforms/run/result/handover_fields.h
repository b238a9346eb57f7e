#pragma once
// The JSON fields of hand-overs and of the work that they lose.

#include "platforms/run/result/handover_result.h"
#include "platforms/run/result/request_fields.h"

namespace heddle {

template <class Io>
void fields(Io& io, io_ref<Io, HandoverResult> handover) {
  io.field("way", handover.way);
  io.field("count", handover.count);
  io.field("latency", handover.latency);
}

template <class Io>
void fields(Io& io, io_ref<Io, LostWork> lost) {
  io.field("blocks_flushed", lost.blocks_flushed);
  io.field("block_cycles", lost.block_cycles);
  io.field("warp_instructions", lost.warp_instructions);
}

}  // namespace heddle
