#pragma once
// A decoded PTX module: variables with their initial bytes, and functions with their statements. A module
// does not change after it has been loaded. Statements refer to everything by index; names serve hosts,
// messages and tests.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

// The address of a variable that is stored in the initial bytes of another variable.
struct Relocation {
  std::uint64_t offset = 0;    // in the bytes of the variable that holds the address
  std::uint32_t bytes = 8;     // 4 or 8
  std::uint32_t variable = 0;  // index in Module::variables
  std::uint64_t addend = 0;
  bool generic = false;  // the generic address, not the one in the variable's own space
};

// A .global, .const or .shared variable of the module or of a function.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Type type = Type::kNone;  // of an element
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;              // 0: an extern array; a launch sets the size of a shared one
  std::vector<std::uint8_t> initial;    // the first bytes; all others are zero
  std::vector<Relocation> relocations;  // in ascending order of offsets
  bool in_module = true;                // hosts find the variable by its name
  bool external = false;                // .extern and not defined; code may use shared ones only
  std::uint32_t line = 0;
};

// A parameter, a return value, a .param variable of a call, or a .local variable.
struct FrameVariable {
  std::string name;
  Type type = Type::kNone;  // of an element
  bool array = false;       // a structure passed by value, .b8 name[bytes]
  std::uint32_t alignment = 1;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool in_register = false;  // declared as .reg; the function copies it between the area and its register
};

struct Register {
  std::string name;
  Type type = Type::kNone;
};

struct Label {
  std::string name;
  std::uint32_t statement = 0;
  bool is_not_unrolled = false;  // .pragma "nounroll" follows: the loop from here on is to stay as it is
};

// From this line of the text on, up to that of the next one, the code is that of a line of the compiled
// source (.loc, which compilers write with -lineinfo).
struct SourceLine {
  std::uint32_t line = 0;    // of the text
  std::uint64_t file = 0;    // a number of Module::files
  std::uint32_t source = 0;  // of the file; 0: the code is that of no line
};

struct SharedPlace {
  std::uint32_t variable = 0;  // index in Module::variables
  std::uint64_t offset = 0;    // from the start of the block's shared memory
};

// The functions that the device provides without a body in the module.
enum class External : std::uint8_t { kNone, kVprintf, kAssertfail, kMalloc, kFree };

struct Function {
  std::string name;
  bool entry = false;
  bool addressed = false;               // its address is taken, so that indirect calls may reach it
  External external = External::kNone;  // kNone: the device does not provide it
  bool noreturn = false;
  std::uint32_t line = 0;

  // The parameter area holds the parameters from offset 0 on, then the return values, then the .param
  // variables of the function's calls, each at its own alignment. A launch provides the parameters of an
  // entry.
  std::vector<FrameVariable> parameters;
  std::vector<FrameVariable> returns;
  std::vector<FrameVariable> call_parameters;
  std::uint32_t parameter_bytes = 0;  // of the parameters
  std::uint32_t area_bytes = 0;

  std::vector<FrameVariable> locals;
  std::uint32_t local_bytes = 0;  // per thread and call

  // Entries: the shared variables that the entry and its callees use, in the order of Module::variables.
  // Extern arrays start at the aligned end of the others.
  std::vector<SharedPlace> shared;
  std::uint64_t static_shared_bytes = 0;

  // Performance directives; 0: not given.
  std::array<std::uint32_t, 3> maxntid{};
  std::array<std::uint32_t, 3> reqntid{};
  std::uint32_t minnctapersm = 0;
  std::uint32_t maxnreg = 0;
  std::array<std::uint32_t, 3> cluster{};  // .reqnctapercluster, in blocks
  std::uint32_t most_cluster = 0;          // .maxclusterrank: the most blocks of a cluster
  bool explicit_cluster = false;           // .explicitcluster: a launch must state the blocks of a cluster

  // The registers that a thread needed before values were spilled, and the bytes of these values in local
  // memory; 0: none were spilled.
  std::uint32_t unspilled_registers = 0;
  std::uint32_t spilled_bytes = 0;

  std::vector<Register> registers;   // registers that the code uses, in the order of their first use
  std::vector<Register> predicates;  // predicates have indices of their own
  std::vector<Label> labels;         // in text order
  std::vector<Statement> code;       // the last statement of a body never falls through
  std::vector<Operand> operands;
  std::vector<SourceLine> sources;  // in text order

  // Why the code cannot be executed; empty: it can. The code of such a function is a trap alone.
  std::vector<std::string> problems;

  const Operand* operands_of(const Statement& statement) const { return operands.data() + statement.operand; }
};

// What the functions take and return that an indirect call may reach, at the places of their parameter areas.
struct CallPrototype {
  std::vector<FrameVariable> returns;
  std::vector<FrameVariable> parameters;
};
bool same_frame(const std::vector<FrameVariable>& a, const std::vector<FrameVariable>& b);

// Replaces the code of a function that could not be read by a trap, and adds the problems.
void set_unread(Function& function, const std::vector<std::string>& problems);

// What a problem in a function refuses: the whole module, or only launches that reach the function.
enum class Refusal : std::uint8_t { kModule, kFunction };

struct Module {
  std::string file;
  std::uint32_t version = 0;  // 10 * major + minor
  std::uint32_t target = 0;   // 35 for sm_35
  std::uint32_t address_bytes = 8;
  bool demotes_doubles = false;  // map_f64_to_f32: instructions of .f64 would be executed as .f32
  std::vector<Variable> variables;
  std::vector<Function> functions;  // with external and merely declared functions
  std::vector<CallPrototype> prototypes;
  // The files of the compiled source by their numbers (.file). A number that modules linked together use for
  // different files has an empty name.
  std::map<std::uint64_t, std::string> files;

  // Both return null if the module has none of that name. Variables of functions are not found.
  const Function* entry(const std::string& name) const;
  const Variable* variable(const std::string& name) const;
};

// Returns the line of the compiled source of a line of the text, as "saxpy.cu:12"; empty: it is not known.
std::string source_of(const Module& module, const Function& function, std::uint32_t line);

// The address of a function is its number in the module, counted from 1, times kFunctionBytes.
constexpr std::uint64_t kFunctionBytes = 16;
inline std::uint64_t function_address(std::uint32_t function) {
  return kFunctionBytes * (std::uint64_t{function} + 1);
}

// Returns the functions that the call may reach: one, or for an indirect call every function whose address is
// taken and that takes and returns what the prototype states.
std::vector<std::uint32_t> callees_of(const Module& module, const Statement& call);
// Returns whether an indirect call with the prototype may reach the function.
bool fits(const Function& function, const CallPrototype& prototype);

}  // namespace heddle::ptx
