#include "models/sm/pipeline/cluster_outbox.h"

namespace heddle {

void ClusterOutbox::issued(std::uint32_t slot, const ResidentBlock& block, const Instruction& code,
                           std::uint32_t entry) {
  for (const ClusterMessage& message : block.stream->cluster_messages()) {
    RequestNumber number{RequestNumber::Answers::kNobody, 0, 0};
    if (message.kind == ClusterMessage::Kind::kAccess && code.operation == Operation::kStore) {
      ++table_.warps[slot].stores;
      number = {RequestNumber::Answers::kStore, 0, slot};
    } else if (message.kind == ClusterMessage::Kind::kAccess) {
      lsu_.await_answer(entry);
      number = {RequestNumber::Answers::kDirect, 0, entry};
    }
    push(block, message, number);
  }
}

void ClusterOutbox::completed(const ResidentBlock& block) {
  for (const ClusterMessage& message : block.stream->cluster_messages())
    push(block, message, {RequestNumber::Answers::kNobody, 0, 0});
}

void ClusterOutbox::push(const ResidentBlock& block, const ClusterMessage& message,
                         const RequestNumber& number) {
  ClusterTransfer transfer;
  transfer.places = block.cluster;
  transfer.to = block.cluster->sms[message.rank];
  transfer.message = message;
  transfer.number = number.packed();
  KernelCounts& counts = counts_[block.account];
  ++counts.cluster_messages;
  counts.cluster_bytes += message.sent_bytes + message.returned_bytes;
  transfers_.push(std::move(transfer));
}

void ClusterOutbox::answer(const ClusterTransfer& access) {
  ClusterTransfer transfer = access;
  transfer.to = access.from;
  transfer.is_answer = true;
  transfers_.push(std::move(transfer));
}

}  // namespace heddle
