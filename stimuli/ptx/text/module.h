#pragma once
// A PTX module, decoded: variables with their bytes, and functions with their instructions. Immutable once
// read; nothing in an instruction is a name. Names are kept for hosts, messages and tests.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/text/statement.h"

namespace heddle::ptx {

// The address of a variable, stored in another's bytes when both have one.
struct Relocation {
  std::uint64_t offset = 0;    // in the bytes of the variable that holds it
  std::uint32_t bytes = 8;     // 4 or 8
  std::uint32_t variable = 0;  // of Module::variables
  std::uint64_t addend = 0;
  bool generic = false;  // the generic address, not the one in the variable's own space
};

// .global, .const and .shared variables, also those declared in functions.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;  // of an element
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;              // 0: an extern array, of a size told at launch where it is shared
  std::vector<std::uint8_t> initial;    // the first bytes; those behind are zero
  std::vector<Relocation> relocations;  // in the order of their offsets
  bool in_module = true;                // a host finds it by its name
  bool external = false;                // .extern and not defined; only shared ones may be used
  std::uint32_t line = 0;
};

// A parameter, a return value, a .param variable of a call, or a .local variable.
struct FrameVariable {
  std::string name;
  Type type = Type::kNone;  // of an element
  bool array = false;       // a structure by value: .b8 name[bytes]
  std::uint32_t alignment = 1;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct Register {
  std::string name;
  Type type = Type::kNone;
};

struct Label {
  std::string name;
  std::uint32_t statement = 0;
};

struct SharedPlace {
  std::uint32_t variable = 0;  // of Module::variables
  std::uint64_t offset = 0;    // from the start of the block's shared memory
};

// What has no body in any module and is known all the same.
enum class External : std::uint8_t { kNone, kVprintf, kAssertfail, kMalloc, kFree };

struct Function {
  std::string name;
  bool entry = false;
  External external = External::kNone;  // kNone: it has a body
  bool noreturn = false;
  std::uint32_t line = 0;

  // The parameter area: parameters from 0 on, each at its own alignment, then return values, then the .param
  // variables of its calls. An entry's parameters are what a launch copies.
  std::vector<FrameVariable> parameters;
  std::vector<FrameVariable> returns;
  std::vector<FrameVariable> call_parameters;
  std::uint32_t parameter_bytes = 0;  // parameters alone
  std::uint32_t area_bytes = 0;

  std::vector<FrameVariable> locals;
  std::uint32_t local_bytes = 0;  // of one thread and one call

  // Entries: what they and all they call use of shared memory, in the order of Module::variables; extern
  // arrays start where the others end, aligned.
  std::vector<SharedPlace> shared;
  std::uint64_t static_shared_bytes = 0;

  // 0: not given.
  std::array<std::uint32_t, 3> maxntid{};
  std::array<std::uint32_t, 3> reqntid{};
  std::uint32_t minnctapersm = 0;
  std::uint32_t maxnreg = 0;

  std::vector<Register> registers;   // those the code names, numbered by first mention
  std::vector<Register> predicates;  // numbered apart
  std::vector<Label> labels;         // in the order of the text
  std::vector<Statement> code;       // a body's last instruction never falls through
  std::vector<Operand> operands;

  const Operand* operands_of(const Statement& statement) const { return operands.data() + statement.operand; }
};

struct Module {
  std::string file;
  std::uint32_t version = 0;  // 10 * major + minor
  std::uint32_t target = 0;   // 35 of sm_35
  std::uint32_t address_bytes = 8;
  std::vector<Variable> variables;
  std::vector<Function> functions;  // also external ones, and those that are only declared

  const Function* entry(const std::string& name) const;     // null: none of that name
  const Variable* variable(const std::string& name) const;  // of the module, not of a function
};

}  // namespace heddle::ptx
