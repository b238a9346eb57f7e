#include "models/core/kernel/instruction.h"

#include <algorithm>

namespace heddle {

const RegisterNames Instruction::kNoNames;

void Instruction::writes(RegisterId id) {
  writes_predicate(id);
  ++register_writes;
  written_bank = id % kMostRegisterBanks;
  own_names().written_banks.add(written_bank);
}

void Instruction::reads(RegisterId id) {
  const std::vector<RegisterId>& before = own_names().sources;
  if (std::find(before.begin(), before.end(), id) != before.end()) return;
  reads_predicate(id);
  ++register_reads;
  ++own_names().reads[id % 2];
  read_banks.add(id % kMostRegisterBanks);
}

void Instruction::writes_predicate(RegisterId id) {
  own_names().destinations.push_back(id);
  mark(id, true);
}

void Instruction::reads_predicate(RegisterId id) {
  RegisterNames& names = own_names();
  if (names.sources.size() < names.first_sources.size()) names.first_sources[names.sources.size()] = id;
  names.sources.push_back(id);
  mark(id, false);
}

void Instruction::reads_constant(ConstantAddress address) {
  own_names().constants.push_back(address);
  has_constants_ = true;
}

RegisterNames& Instruction::own_names() {
  if (!names_)
    names_ = new RegisterNames;
  else if (names_->use_count() > 1)
    names_ = new RegisterNames(*names_);
  return *names_;
}

// Marks the register in its word. The first word is that of the first register.
void Instruction::mark(RegisterId id, bool written) {
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  const std::uint32_t number = id / 64U;
  if (named_ == 0) word_ = static_cast<std::uint8_t>(number);
  if (word_ == number) {
    named_ |= bit;
    if (written) written_ |= bit;
    return;
  }
  std::vector<RegisterWord>& more = own_names().more_words;
  auto found =
      std::find_if(more.begin(), more.end(), [=](const RegisterWord& word) { return word.number == number; });
  if (found == more.end()) found = more.insert(more.end(), {0, 0, number});
  found->named |= bit;
  if (written) found->written |= bit;
  has_more_words_ = true;
}

const std::vector<BulkCopy>& BlockStream::bulk_copies() const {
  static const std::vector<BulkCopy> none;
  return none;
}

const std::vector<ClusterMessage>& BlockStream::cluster_messages() const {
  static const std::vector<ClusterMessage> none;
  return none;
}

const std::vector<PhaseNeeds>& KernelProgram::phases() const {
  static const std::vector<PhaseNeeds> none;
  return none;
}

}  // namespace heddle
