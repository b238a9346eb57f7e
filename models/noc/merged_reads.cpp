#include "models/noc/merged_reads.h"

#include <algorithm>

namespace heddle {

MergedReads::MergedReads(const MergeSpec& spec, std::uint32_t sms)
    : spec_(spec), mergers_(spec.groups(sms), ReadMerger(spec)), answered_(sms), answered_sms_(sms) {}

void MergedReads::reset() {
  for (ReadMerger& merger : mergers_) merger.reset();
  for (auto& reads : answered_) reads.clear();
  answered_sms_.reset();
}

void MergedReads::add_stats(Group& group) {
  if (mergers_.empty()) return;
  group.add(merged_reads_, "merged_reads", "request", "reads answered with that of a neighbouring SM");
}

SmId MergedReads::first_sm(std::uint32_t group) const {
  SmId sm{0};
  while (spec_.group_of(sm) != group) ++sm.value;
  return sm;
}

bool MergedReads::share_with_waiting(const MemoryRequest& answer) {
  const std::vector<MemoryRequest*>& reads = merger_of(answer).answered(answer);
  for (MemoryRequest* read : reads) {
    read->missed_line = answer.missed_line;
    answered_[read->sm.value].push_back(read);
    answered_sms_.set(read->sm.value);
  }
  return !reads.empty();
}

MemoryRequest& MergedReads::take_answered(std::uint32_t sm) {
  std::deque<MemoryRequest*>& reads = answered_[sm];
  MemoryRequest& read = *reads.front();
  reads.pop_front();
  if (reads.empty()) answered_sms_.clear(sm);
  return read;
}

bool MergedReads::idle() const {
  const auto is_waited = [](const ReadMerger& merger) { return merger.waiting() != 0; };
  return answered_sms_.empty() && std::none_of(mergers_.begin(), mergers_.end(), is_waited);
}

}  // namespace heddle
