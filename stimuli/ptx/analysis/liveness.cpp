#include "stimuli/ptx/analysis/liveness.h"

#include <fmt/format.h>

#include "models/core/config/config.h"

namespace heddle::ptx {
namespace {

bool name_of(const Function& function, const Operand& operand, std::uint32_t& name) {
  if (operand.kind != OperandKind::kRegister && operand.kind != OperandKind::kPredicate) return false;
  const bool predicate = operand.kind == OperandKind::kPredicate;
  name = operand.index + (predicate ? static_cast<std::uint32_t>(function.registers.size()) : 0);
  return true;
}

template <class Visit>
void visit_names(const Function& function, const Operand& operand, const Visit& visit) {
  std::uint32_t name = 0;
  if (operand.kind == OperandKind::kVector) {
    for (std::uint32_t i = 0; i < operand.count; ++i)
      if (name_of(function, function.operands[operand.index + i], name)) visit(name);
  } else if (name_of(function, operand, name)) {
    visit(name);
  }
}

template <class Visit>
void visit_reads(const Function& function, const Statement& statement, const Visit& visit) {
  if (statement.guarded()) visit(static_cast<std::uint32_t>(function.registers.size()) + statement.guard);
  for (std::uint32_t i = statement.destinations; i < statement.operands; ++i)
    visit_names(function, function.operands_of(statement)[i], visit);
}

template <class Visit>
void visit_writes(const Function& function, const Statement& statement, const Visit& visit) {
  for (std::uint32_t i = 0; i < statement.destinations; ++i)
    visit_names(function, function.operands_of(statement)[i], visit);
}

}  // namespace

std::uint32_t units_of(const Function& function, std::uint32_t name) {
  if (name >= function.registers.size()) return 0;
  return bytes_of(function.registers[name].type) > 4 ? 2 : 1;
}

Liveness::Liveness(const Function& function, const FlowGraph& graph)
    : function_(function),
      graph_(graph),
      names_(static_cast<std::uint32_t>(function.registers.size() + function.predicates.size())) {
  find_shared_names();
  solve();
  count_units();
}

// Only names that some block reads before it writes them can be live between blocks.
void Liveness::find_shared_names() {
  dense_.assign(names_, Graph::kNone);
  std::vector<std::uint32_t> written_in(names_, Graph::kNone);
  for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
    for (std::uint32_t i = graph_.blocks()[block].first; i < graph_.blocks()[block].end; ++i) {
      const Statement& statement = function_.code[i];
      const auto exposed = [&](std::uint32_t name) {
        if (written_in[name] == block || dense_[name] != Graph::kNone) return;
        dense_[name] = static_cast<std::uint32_t>(shared_.size());
        shared_.push_back(name);
      };
      visit_reads(function_, statement, exposed);
      if (!statement.guarded())
        visit_writes(function_, statement, [&](std::uint32_t name) { written_in[name] = block; });
    }
  }
  words_ = (shared_.size() + 63) / 64;
  if (words_ * 64 * graph_.blocks().size() > kMostBits)
    throw config::Error(
        {fmt::format("function '{}' in line {} is too large: {} registers live between {} blocks",
                     function_.name, function_.line, shared_.size(), graph_.blocks().size())});
}

// Sets in_ to the names that each block reads before it writes them. Returns the names that each block
// writes.
std::vector<std::uint64_t> Liveness::summarise() {
  const std::uint32_t blocks = graph_.exit();
  std::vector<std::uint64_t> written(blocks * words_);
  in_.assign(blocks * words_, 0);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (std::uint32_t i = graph_.blocks()[block].end; i-- > graph_.blocks()[block].first;) {
      const Statement& statement = function_.code[i];
      const auto mark = [&](std::vector<std::uint64_t>& bits, std::uint32_t name, bool on) {
        const std::uint32_t bit = dense_[name];
        if (bit == Graph::kNone) return;
        std::uint64_t& word = row(bits, block)[bit / 64];
        word = on ? word | std::uint64_t{1} << bit % 64 : word & ~(std::uint64_t{1} << bit % 64);
      };
      if (!statement.guarded())
        visit_writes(function_, statement, [&](std::uint32_t name) {
          mark(in_, name, false);
          mark(written, name, true);
        });
      visit_reads(function_, statement, [&](std::uint32_t name) { mark(in_, name, true); });
    }
  }
  return written;
}

void Liveness::solve() {
  const std::uint32_t blocks = graph_.exit();
  std::vector<std::uint64_t> written = summarise();
  const Graph backwards = graph_.graph().reversed();
  std::vector<std::uint32_t> waiting(blocks);
  std::vector<bool> queued(blocks, true);
  for (std::uint32_t block = 0; block < blocks; ++block) waiting[block] = block;
  while (!waiting.empty()) {
    const std::uint32_t block = waiting.back();
    waiting.pop_back();
    queued[block] = false;
    bool changed = false;
    for (const std::uint32_t next : graph_.graph().successors(block)) {
      if (next == graph_.exit()) continue;
      for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t& mine = row(in_, block)[word];
        const std::uint64_t more = row(in_, next)[word] & ~row(written, block)[word] & ~mine;
        mine |= more;
        changed = changed || more != 0;
      }
    }
    if (!changed) continue;
    for (const std::uint32_t before : backwards.successors(block)) {
      if (queued[before]) continue;
      queued[before] = true;
      waiting.push_back(before);
    }
  }
}

void Liveness::set_live_behind(std::uint32_t block, std::vector<bool>& live) const {
  for (const std::uint32_t next : graph_.graph().successors(block)) {
    if (next == graph_.exit()) continue;
    for (std::uint32_t bit = 0; bit < shared_.size(); ++bit)
      if ((in_[next * words_ + bit / 64] >> bit % 64 & 1U) != 0) live[shared_[bit]] = true;
  }
}

std::vector<bool> Liveness::live_before(std::uint32_t statement) const {
  const std::uint32_t block = graph_.block_of(statement);
  std::vector<bool> live(names_);
  set_live_behind(block, live);
  for (std::uint32_t i = graph_.blocks()[block].end; i-- > statement;) {
    const Statement& at = function_.code[i];
    if (!at.guarded()) visit_writes(function_, at, [&](std::uint32_t name) { live[name] = false; });
    visit_reads(function_, at, [&](std::uint32_t name) { live[name] = true; });
  }
  return live;
}

void Liveness::count_units() {
  units_.assign(function_.code.size(), 0);
  std::vector<bool> live(names_);
  for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
    set_live_behind(block, live);
    std::uint32_t now = 0;
    for (const std::uint32_t name : shared_) now += live[name] ? units_of(function_, name) : 0;
    const auto set = [&](std::uint32_t name, bool on) {
      if (live[name] == on) return;
      live[name] = on;
      now = on ? now + units_of(function_, name) : now - units_of(function_, name);
    };
    for (std::uint32_t i = graph_.blocks()[block].end; i-- > graph_.blocks()[block].first;) {
      const Statement& at = function_.code[i];
      if (!at.guarded()) visit_writes(function_, at, [&](std::uint32_t name) { set(name, false); });
      visit_reads(function_, at, [&](std::uint32_t name) { set(name, true); });
      units_[i] = now;
    }
    // Names that only this block uses are dead at its start.
    for (const std::uint32_t name : shared_) live[name] = false;
  }
}

}  // namespace heddle::ptx
