#pragma once
// The memory path of the platform gtx480, made in code as plain data without SystemC.

#include "models/l2/l2_spec.h"
#include "models/noc/noc_spec.h"

namespace heddle::test {

inline NocSpec gtx480_noc() {
  NocSpec noc;
  noc.flit_bytes = 40;
  noc.header_bytes = 8;
  noc.input_flits = 16;
  noc.output_flits = 16;
  noc.latency = 4;
  return noc;
}

inline L2Spec gtx480_l2() {
  L2Spec l2;
  l2.sets = 64;
  l2.ways = 8;
  l2.hash = true;
  l2.mshrs = 256;
  l2.merges = 4;
  l2.fill_bytes = 64;
  l2.request_latency = 120;
  l2.hit_latency = 10;
  l2.request_queue = 8;
  l2.reply_queue = 8;
  l2.dram_queue = 16;
  l2.return_queue = 116;
  l2.write_backs = 64;
  l2.atomic_cycles = 1;
  l2.slices_per_channel = 2;
  l2.slice_bit = 8;
  return l2;
}

}  // namespace heddle::test
