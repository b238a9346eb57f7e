#pragma once
// This file has the messages between SMs about the blocks of a cluster. An SM sends a ClusterTransfer for
// each ClusterMessage of its blocks. The network between the SMs of a GPC brings it to the SM of the block
// that it is for, which answers an access by a transfer of its own.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/instruction.h"

namespace heddle {

// A ClusterPlaces says where the blocks of a cluster are. Two clusters never share one.
struct ClusterPlaces {
  BlockId first;          // the block of rank 0
  std::vector<SmId> sms;  // by rank
};

struct ClusterTransfer {
  static constexpr std::uint32_t kPacketBytes = 32;

  std::shared_ptr<const ClusterPlaces> places;
  SmId from;
  SmId to;
  ClusterMessage message;
  bool is_answer = false;    // to an access
  std::uint64_t number = 0;  // of an access and its answer: it has a meaning to the SM that accesses

  // Returns the packets that the transfer takes, 1 or more. One packet has the address and few data.
  std::uint32_t packets() const {
    const std::uint32_t bytes = is_answer ? message.returned_bytes : message.sent_bytes;
    return std::max(1U, (bytes + kPacketBytes - 1) / kPacketBytes);
  }
};

// A ClusterDelivery is a transfer that the network brings to an SM. It is a type of its own, because a TLM
// socket cannot tell its forward from its backward interface if both have the same type.
struct ClusterDelivery {
  ClusterTransfer transfer;
};

}  // namespace heddle
