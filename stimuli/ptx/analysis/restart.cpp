#include "stimuli/ptx/analysis/restart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "stimuli/ptx/statements/matrix.h"

namespace heddle::ptx {

namespace {

constexpr std::uint32_t kAddressBytes = 8;

// What a value may point to.
struct Bases {
  std::set<std::uint32_t> parameters;
  std::set<std::uint32_t> variables;  // .global and .const ones
  bool own = false;  // shared, local or parameter memory, which a new run of a block has anew
  bool unknown = false;

  // Returns whether something was added.
  bool add(const Bases& other) {
    const std::size_t before = parameters.size() + variables.size() + (own ? 1 : 0) + (unknown ? 1 : 0);
    parameters.insert(other.parameters.begin(), other.parameters.end());
    variables.insert(other.variables.begin(), other.variables.end());
    own = own || other.own;
    unknown = unknown || other.unknown;
    return parameters.size() + variables.size() + (own ? 1 : 0) + (unknown ? 1 : 0) != before;
  }
};

// Returns whether another run of a block may see another value.
bool varies(Special special) {
  switch (special) {
    case Special::kWarpid:
    case Special::kSmid:
    case Special::kGridid:
    case Special::kClock:
    case Special::kClockHi:
    case Special::kClock64:
    case Special::kGlobaltimer:
    case Special::kGlobaltimerLo:
    case Special::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

bool is_copy_to_shared(Opcode opcode) {
  return opcode == Opcode::kCopyAsync || loads_in_bulk(opcode);
}
bool is_read(Opcode opcode) {
  return opcode == Opcode::kLd || is_copy_to_shared(opcode) || is_matrix_load(opcode);
}
bool is_write(Opcode opcode) {
  return opcode == Opcode::kSt || is_matrix_store(opcode) || opcode == Opcode::kBulkStore;
}
bool is_texture_read(Opcode opcode) {
  return opcode == Opcode::kTex || opcode == Opcode::kTld4 || opcode == Opcode::kSuld;
}
bool is_own(Space space) {
  return space == Space::kShared || space == Space::kLocal || space == Space::kParam;
}

class Analysis {
 public:
  Analysis(const Module& module, const Function& entry)
      : module_(module), entry_(entry), points_to_(entry.registers.size()) {}

  RestartAnalysis run() {
    while (follow_values()) {
    }
    for (const Statement& statement : entry_.code) {
      if (std::string what = obstacle_of(statement); !what.empty())
        result_.obstacles.push_back({statement.line, std::move(what)});
      if (is_read(statement.opcode) || is_write(statement.opcode))
        result_.by_line.emplace(statement.line, accessed(statement));
      if (is_read(statement.opcode)) note(statement, result_.reads);
      if (is_write(statement.opcode)) note(statement, result_.writes);
      if (is_texture_read(statement.opcode) && result_.texture_line == 0)
        result_.texture_line = statement.line;
    }
    return result_;
  }

 private:
  const Operand& address_of(const Statement& statement) const {
    const Operand* operands = entry_.operands_of(statement);
    // A copy to shared memory names its destination first.
    return operands[statement.destinations + (is_copy_to_shared(statement.opcode) ? 1u : 0u)];
  }

  Bases bases_of(const Operand& operand) const {
    Bases bases;
    switch (operand.kind) {
      case OperandKind::kRegister:
        return points_to_[operand.index];
      case OperandKind::kVariable:
        if (module_.variables[operand.index].space == Space::kShared)
          bases.own = true;
        else
          bases.variables.insert(operand.index);
        return bases;
      case OperandKind::kLocal:
        bases.own = true;
        return bases;
      case OperandKind::kParameter:  // the address of the parameter itself
        bases.unknown = true;
        return bases;
      case OperandKind::kVector:
        for (std::uint32_t i = 0; i < operand.count; ++i)
          bases.add(bases_of(entry_.operands[operand.index + i]));
        return bases;
      default:
        return bases;
    }
  }

  bool give(const Operand& operand, const Bases& bases) {
    bool changed = false;
    if (operand.kind == OperandKind::kVector)
      for (std::uint32_t i = 0; i < operand.count; ++i)
        changed = give(entry_.operands[operand.index + i], bases) || changed;
    if (operand.kind == OperandKind::kRegister) changed = points_to_[operand.index].add(bases) || changed;
    return changed;
  }

  // A load of a parameter of 8 bytes gives the parameter. Any other load of 8 bytes may give any address, and
  // a shorter value is none.
  bool follow_load(const Statement& statement) {
    const Operand& to = *entry_.operands_of(statement);
    const std::uint32_t bytes = bytes_of(statement.type);
    const Operand& from = address_of(statement);
    const bool is_parameter = statement.space == Space::kParam && from.kind == OperandKind::kParameter;
    if (bytes < kAddressBytes) return false;
    const std::uint32_t count = to.kind == OperandKind::kVector ? to.count : 1;
    bool changed = false;
    for (std::uint32_t i = 0; i < count; ++i) {
      Bases loaded;
      if (is_parameter)
        loaded.parameters.insert(static_cast<std::uint32_t>(from.value) + i * bytes);
      else
        loaded.unknown = true;
      changed = give(to.kind == OperandKind::kVector ? entry_.operands[to.index + i] : to, loaded) || changed;
    }
    return changed;
  }

  // Makes one pass over the code. Returns whether it found something new.
  bool follow_values() {
    bool changed = false;
    for (const Statement& statement : entry_.code) {
      if (statement.opcode == Opcode::kLd) {
        changed = follow_load(statement) || changed;
        continue;
      }
      const Operand* const operands = entry_.operands_of(statement);
      Bases found;
      if (statement.opcode == Opcode::kAtom) {
        found.unknown = bytes_of(statement.type) >= kAddressBytes;
      } else if (!is_texture_read(statement.opcode) && !is_matrix_load(statement.opcode)) {
        for (std::uint32_t i = statement.destinations; i < statement.operands; ++i) {
          found.add(bases_of(operands[i]));
          // Halves that were loaded apart may make any address.
          if (statement.opcode == Opcode::kMov && operands[i].kind == OperandKind::kVector)
            found.unknown = true;
        }
      }
      for (std::uint32_t i = 0; i < statement.destinations; ++i)
        changed = give(operands[i], found) || changed;
    }
    return changed;
  }

  // Returns the memory outside of the block that the statement accesses. An address of which nothing is known
  // may be any.
  AccessBases accessed(const Statement& statement) const {
    AccessBases access;
    access.line = statement.line;
    if (is_own(statement.space)) return access;
    access.unknown = is_tensor(statement.opcode);  // the map has the address
    if (access.unknown) return access;
    const Bases bases = bases_of(address_of(statement));
    access.parameters.assign(bases.parameters.begin(), bases.parameters.end());
    access.variables.assign(bases.variables.begin(), bases.variables.end());
    access.unknown = bases.unknown || (access.none() && !bases.own);
    return access;
  }

  void note(const Statement& statement, std::vector<AccessBases>& accesses) const {
    AccessBases access = accessed(statement);
    if (access.none()) return;
    const bool known = std::any_of(accesses.begin(), accesses.end(), [&access](const AccessBases& other) {
      return other.parameters == access.parameters && other.variables == access.variables &&
             other.unknown == access.unknown;
    });
    if (!known) accesses.push_back(std::move(access));
  }

  // Returns why a block must not execute the statement twice; empty: it may, as far as its accesses allow.
  std::string obstacle_of(const Statement& statement) const {
    if (statement.opcode == Opcode::kAtom || statement.opcode == Opcode::kRed)
      return accessed(statement).none() ? "" : "an atomic in global memory";
    if (statement.opcode == Opcode::kSust) return "a store to a surface";
    if (statement.opcode == Opcode::kTensorStore) return "a store to a tensor";
    if (statement.opcode == Opcode::kBulkReduce || statement.opcode == Opcode::kTensorReduce)
      return "a reduction in global memory";
    if (statement.opcode == Opcode::kCall) return obstacle_of_call(statement);
    for (std::uint32_t i = 0; i < statement.operands; ++i) {
      const Operand& operand = entry_.operands_of(statement)[i];
      if (operand.kind == OperandKind::kSpecial && varies(static_cast<Special>(operand.index)))
        return fmt::format("a read of {}", name_of(static_cast<Special>(operand.index)));
    }
    return "";
  }

  // A failed assertion ends the run.
  std::string obstacle_of_call(const Statement& call) const {
    if (call.has(kIndirect)) return "an indirect call";
    const Function& callee = module_.functions[call.target];
    switch (callee.external) {
      case External::kAssertfail:
        return "";
      case External::kVprintf:
        return "it prints";
      case External::kMalloc:
      case External::kFree:
        return "it allocates memory";
      default:
        return fmt::format("a call of '{}', which is not analysed", callee.name);
    }
  }

  const Module& module_;
  const Function& entry_;
  std::vector<Bases> points_to_;  // by register
  RestartAnalysis result_;
};

bool share(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return !both.empty();
}

}  // namespace

std::string name_of_parameter(const Function& entry, std::uint32_t offset) {
  for (const FrameVariable& parameter : entry.parameters)
    if (offset >= parameter.offset && offset < parameter.offset + parameter.bytes)
      return offset == parameter.offset ? fmt::format("'{}'", parameter.name)
                                        : fmt::format("'{}' + {}", parameter.name, offset - parameter.offset);
  return fmt::format("parameter byte {}", offset);
}

RestartAnalysis analyse_restart(const Module& module, const Function& entry) {
  return Analysis(module, entry).run();
}

std::string describe(const Module& module, const Function& entry, const AccessBases& bases) {
  std::vector<std::string> names;
  for (const std::uint32_t offset : bases.parameters) names.push_back(name_of_parameter(entry, offset));
  for (const std::uint32_t variable : bases.variables)
    names.push_back(fmt::format("'{}'", module.variables[variable].name));
  if (bases.unknown) names.emplace_back("an unknown address");
  return fmt::format("{}", fmt::join(names, " or "));
}

namespace {

using Kind = RestartVerdict::Kind;

// Returns whether a read and a write meet.
Kind verdict_of(const AccessBases& write, const AccessBases& read) {
  if (write.unknown || read.unknown || share(write.parameters, read.parameters) ||
      share(write.variables, read.variables))
    return Kind::kNever;
  // Different variables lie apart, and a parameter may point to either.
  return write.parameters.empty() && read.parameters.empty() ? Kind::kAlways : Kind::kByArguments;
}

Kind verdict_of_textures(const AccessBases& write) {
  return write.unknown ? Kind::kNever : Kind::kByArguments;
}

}  // namespace

RestartVerdict restart_verdict(const Module& module, const Function& entry) {
  const RestartAnalysis analysis = analyse_restart(module, entry);
  RestartVerdict verdict;
  const auto add = [&verdict](Kind kind, std::uint32_t line, std::string what) {
    if (kind == Kind::kAlways || kind < verdict.kind) return;
    if (kind > verdict.kind) verdict.reasons.clear();  // what arguments decide does not matter any more
    verdict.kind = kind;
    verdict.reasons.push_back({line, std::move(what)});
  };
  for (const RestartObstacle& obstacle : analysis.obstacles) add(Kind::kNever, obstacle.line, obstacle.what);
  for (const AccessBases& write : analysis.writes) {
    const std::string written = describe(module, entry, write);
    if (analysis.texture_line != 0)
      add(verdict_of_textures(write), write.line,
          fmt::format("it writes {}, where a texture may lie (line {})", written, analysis.texture_line));
    for (const AccessBases& read : analysis.reads) {
      const Kind kind = verdict_of(write, read);
      const char* const format = kind == Kind::kNever ? "it writes {} and reads {} (line {})"
                                                      : "it writes {} and reads {} (line {}), which may be "
                                                        "the same memory";
      add(kind, write.line,
          fmt::format(fmt::runtime(format), written, describe(module, entry, read), read.line));
    }
  }
  std::stable_sort(verdict.reasons.begin(), verdict.reasons.end(),
                   [](const RestartObstacle& a, const RestartObstacle& b) { return a.line < b.line; });
  return verdict;
}

const char* name_of(RestartVerdict::Kind kind) {
  return kind == Kind::kNever ? "no" : kind == Kind::kAlways ? "yes" : "by arguments";
}

std::string restart_refusal(const Module& module, const Function& entry, const RestartAnalysis& analysis) {
  if (!analysis.obstacles.empty())
    return fmt::format("{} (line {})", analysis.obstacles.front().what, analysis.obstacles.front().line);
  if (analysis.texture_line != 0)
    for (const AccessBases& write : analysis.writes)
      if (write.unknown)
        return fmt::format("it writes {} (line {}), where a texture may lie", describe(module, entry, write),
                           write.line);
  for (const AccessBases& write : analysis.writes)
    for (const AccessBases& read : analysis.reads)
      if (write.unknown || read.unknown || share(write.parameters, read.parameters) ||
          share(write.variables, read.variables))
        return fmt::format("it reads {} (line {}) and writes {} (line {})", describe(module, entry, read),
                           read.line, describe(module, entry, write), write.line);
  return "";
}

}  // namespace heddle::ptx
