#include "stimuli/ptx/steps/step_decoder.h"

#include <utility>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/schedule/waiting_loops.h"
#include "stimuli/ptx/statements/clocks.h"
#include "stimuli/ptx/steps/matrix_step.h"

namespace heddle::ptx {
namespace {

// These lane functions skip a sink destination; all others write it to a scratch row.
bool drops_sinks(const Statement& statement, const Operand& operand) {
  return statement.opcode == Opcode::kSetp ||
         (statement.opcode == Opcode::kMov && operand.kind == OperandKind::kVector);
}

// Returns for each statement whether a basic block starts with it.
std::vector<bool> block_starts(const Function& function) {
  std::vector<bool> starts(function.code.size());
  const FlowGraph graph(function);
  for (const FlowGraph::Block& block : graph.blocks()) starts[block.first] = true;
  return starts;
}

// Sets the functions that load each element of the access to the operand.
void set_loads(const Function& function, const Statement& statement, const Operand& to, Access& access) {
  for (std::uint32_t i = 0; i < access.width; ++i) {
    const Operand& element = to.kind == OperandKind::kVector ? function.operands[to.index + i] : to;
    // The scratch row of a sink has 64 bits a lane.
    access.load[i] =
        load_lanes(statement.type, element.kind == OperandKind::kRegister ? element.type : Type::kB64);
  }
}

// Sets the functions that store each element of the access. The sources of the step behind the first one are
// the elements.
void set_stores(const Statement& statement, const Step& step, Access& access) {
  for (std::size_t i = 0; i < access.width; ++i)
    access.store[i] = store_lanes(statement.type, step.source[i + 1].wide);
}

}  // namespace

void StepDecoder::decode(FunctionCode& function, const std::vector<bool>& is_folded,
                         const PhysicalRegisters& physical) {
  function_ = &function;
  rows_.begin(function, physical);
  const std::vector<Statement>& code = function.function->code;
  function.steps.reserve(function.instructions.size());
  const bool folds = function.instructions.size() < code.size();
  if (folds) function.folded.resize(function.instructions.size());
  const std::vector<bool> starts = folds ? block_starts(*function.function) : std::vector<bool>();
  const std::vector<bool> yields = waiting_branches(*function.function);
  std::vector<std::uint32_t> numbers;  // by statement: the step that executes it
  std::vector<Step> folded;            // of the present block, since its last step
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!folded.empty() && starts[i]) finish_block(folded);
    numbers.push_back(static_cast<std::uint32_t>(function.steps.size()));
    Step step = step_of(code[i]);
    step.yields = yields[i];
    step.is_small = !step.reads_clock && step.destinations <= 1 && step.sources <= 3;
    if (folds && is_folded[i]) {
      folded.push_back(step);
      continue;
    }
    function.steps.push_back(step);
    if (folded.empty()) continue;
    function.steps.back().computes_folded = true;
    function.folded[numbers.back()].before = std::move(folded);
    folded.clear();
  }
  for (Step& step : function.steps) {
    step.is_plain = step.kind == Step::Kind::kLanes && !step.computes_folded;
    if (step.kind != Step::Kind::kBranch) continue;
    step.target = numbers[step.target];
    if (step.reconvergence != Statement::kNowhere) step.reconvergence = numbers[step.reconvergence];
  }
}

// The last step of the block executes the folded steps behind it, too.
void StepDecoder::finish_block(std::vector<Step>& folded) {
  function_->steps.back().computes_folded = true;
  function_->folded[function_->steps.size() - 1].after = std::move(folded);
  folded.clear();
}

Step StepDecoder::step_of(const Statement& statement) {
  Step step;
  step.statement = &statement;
  step.kind = kind_of(statement);
  step.guard_negated = statement.guard_negated;
  if (statement.guarded()) step.guard = rows_.predicate(statement.guard);
  step.target = statement.target;
  step.reconvergence = statement.reconvergence;
  step.reads_clock = reads_clock(*function_->function, statement);
  switch (step.kind) {
    case Step::Kind::kLoad:
    case Step::Kind::kStore:
    case Step::Kind::kAtomic:
      memory(statement, step);
      break;
    case Step::Kind::kTexture:
    case Step::Kind::kSurfaceLoad:
    case Step::Kind::kSurfaceStore:
      texture(statement, step);
      break;
    case Step::Kind::kAsynchronousCopy:
    case Step::Kind::kBulkCopy:
      copy(statement, step);
      break;
    case Step::Kind::kAsynchronousStore:
      asynchronous_store(statement, step);
      break;
    case Step::Kind::kTensorCopy:
      tensor_copy(statement, step);
      break;
    case Step::Kind::kPhaseBarrier:
      phase_barrier(statement, step);
      break;
    case Step::Kind::kMatrixLoad:
    case Step::Kind::kMatrixStore:
    case Step::Kind::kMatrixProduct:
      step.index = static_cast<std::uint32_t>(code_.matrices.size());
      code_.matrices.push_back(matrix_step_of(*function_->function, statement, rows_,
                                              function_->instructions[function_->steps.size()]));
      break;
    case Step::Kind::kGroupProduct:
      step.index = static_cast<std::uint32_t>(code_.groups.size());
      code_.groups.push_back(group_step_of(*function_->function, statement, rows_));
      break;
    case Step::Kind::kCall:
    case Step::Kind::kIndirectCall:
      call(statement, step);
      break;
    case Step::Kind::kClusterArrive:
    case Step::Kind::kClusterWait:
    case Step::Kind::kGroupCommit:
    case Step::Kind::kNothing:
      break;
    default:
      operands(statement, step);
  }
  step.members = members_of(step);
  return step;
}

void StepDecoder::operands(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  if (step.kind == Step::Kind::kLanes) step.lanes = lane_operation(statement, operands);
  const bool wide = bits_of(statement.type) == 64;
  for (std::uint32_t i = 0; i < statement.operands; ++i) {
    const Operand& operand = operands[i];
    const bool destination = i < statement.destinations;
    if (operand.kind == OperandKind::kPredicate && !destination && operand.negated) step.negated = true;
    if (operand.kind != OperandKind::kVector) {
      const bool dropped = operand.kind == OperandKind::kSink && drops_sinks(statement, operand);
      add(dropped ? Operand{} : operand, destination, wide, step);
      continue;
    }
    for (std::uint32_t j = 0; j < operand.count; ++j) {
      const Operand& element = function_->function->operands[operand.index + j];
      const bool dropped = element.kind == OperandKind::kSink && drops_sinks(statement, operand);
      add(dropped ? Operand{} : element, destination, wide, step);
    }
  }
}

void StepDecoder::add(const Operand& operand, bool destination, bool wide, Step& step) {
  const Row row = rows_.row(operand, wide);
  if (destination)
    step.destination[step.destinations++] = row;
  else
    step.source[step.sources++] = row;
}

void StepDecoder::elements(const Operand& operand, bool destination, Step& step) {
  if (operand.kind != OperandKind::kVector) return add(operand, destination, false, step);
  for (std::uint32_t i = 0; i < operand.count; ++i)
    add(function_->function->operands[operand.index + i], destination, false, step);
}

void StepDecoder::address(const Operand& operand, Access& access, Step& step) {
  step.source[step.sources++] = address_row(operand, access);
}

Row StepDecoder::address_row(const Operand& operand, Access& access) {
  access.offset = operand.value;
  Row row;
  if (operand.kind == OperandKind::kRegister)
    row = rows_.row(operand, true);
  else if (operand.kind == OperandKind::kVariable)
    access.offset += rows_.address_of(operand.index);
  access.frame_relative = operand.kind == OperandKind::kLocal;
  access.uniform = operand.kind == OperandKind::kParameter && function_->function->entry &&
                   operand.value < function_->function->parameter_bytes;
  return row;
}

void StepDecoder::memory(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  const bool is_load = step.kind == Step::Kind::kLoad;
  const bool returns = statement.destinations > 0;
  Access access;
  access.space = statement.space;
  access.in_cluster = statement.space == Space::kGeneric || statement.has(kAnyBlock);
  access.bytes = static_cast<std::uint8_t>(bytes_of(statement.type));
  access.width = step.kind == Step::Kind::kAtomic ? 1 : statement.width;
  address(operands[returns ? 1 : 0], access, step);
  if (returns) elements(operands[0], true, step);
  // The cache policy behind the operands of a load or a store is not used.
  const std::uint32_t end = step.kind == Step::Kind::kAtomic ? statement.operands : 2U;
  for (std::uint32_t i = returns ? 2 : 1; i < end; ++i) elements(operands[i], false, step);
  if (is_load) {
    set_loads(*function_->function, statement, operands[0], access);
  } else if (step.kind == Step::Kind::kStore) {
    set_stores(statement, step, access);
  } else {
    access.atomic = atomic_lanes(statement, false);
    access.shared_atomic = atomic_lanes(statement, true);
    if (operands[0].kind == OperandKind::kSink) step.destination[0] = Row{};
  }
  if (access.space == Space::kGeneric) {
    access.resolved.fill(function_->instructions[function_->steps.size()]);
    access.resolved[1].space = MemorySpace::kShared;
    access.resolved[2].space = MemorySpace::kLocal;
  }
  keep(access, step);
}

void StepDecoder::keep(const Access& access, Step& step) {
  step.index = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(access);
}

// The operands are the destination, the source and the number of bytes. Behind them a cp.async has the number
// of bytes that it reads, and a bulk load has its barrier object and the blocks of a multicast.
void StepDecoder::copy(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  const bool stores = stores_in_bulk(statement.opcode);
  Access access;
  access.space = Space::kGlobal;
  Access shared;
  Access barrier;
  address(operands[stores ? 0 : 1], access, step);
  address(operands[stores ? 1 : 0], shared, step);
  access.shared_offset = shared.offset;
  if (step.kind == Step::Kind::kAsynchronousCopy) {
    access.bytes = static_cast<std::uint8_t>(operands[2].value);
    add(operands[3], false, false, step);
  } else {
    add(operands[2], false, false, step);
    if (!stores) address(operands[3], barrier, step);
    if (statement.has(kMulticast)) add(operands[4], false, false, step);
    access.barrier_offset = barrier.offset;
    if (statement.opcode == Opcode::kBulkReduce) access.atomic = atomic_lanes(statement, false);
  }
  keep(access, step);
}

void StepDecoder::asynchronous_store(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  Access access;
  Access barrier;
  access.space = Space::kShared;
  access.in_cluster = true;
  access.bytes = static_cast<std::uint8_t>(bytes_of(statement.type));
  access.width = statement.width;
  address(operands[0], access, step);
  elements(operands[1], false, step);
  if (statement.opcode == Opcode::kRedAsync)
    access.atomic = atomic_lanes(statement, true);
  else
    set_stores(statement, step, access);
  step.destination[0] = address_row(operands[2], barrier);
  access.barrier_offset = barrier.offset;
  keep(access, step);
}

// The map and the coordinates are one operand of the text. A load names its place in shared memory before
// them, and its barrier object and the blocks of a multicast behind them.
void StepDecoder::tensor_copy(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  const bool loads = statement.opcode == Opcode::kTensorLoad;
  Access access;
  Access shared;
  Access barrier;
  add(operands[loads ? 1 : 0], false, true, step);
  address(operands[loads ? 0 : 2], shared, step);
  access.shared_offset = shared.offset;
  if (loads) address(operands[3], barrier, step);
  access.barrier_offset = barrier.offset;
  if (statement.has(kMulticast)) add(operands[4], false, false, step);
  elements(operands[loads ? 2 : 1], true, step);
  keep(access, step);
}

void StepDecoder::phase_barrier(const Statement& statement, Step& step) {
  if (statement.opcode == Opcode::kMbarrierPending) return operands(statement, step);
  const Operand* const operands = function_->function->operands_of(statement);
  Access access;
  access.space = statement.space;
  access.in_cluster = statement.space == Space::kGeneric || statement.has(kAnyBlock);
  access.bytes = sizeof(std::uint64_t);
  address(operands[statement.destinations], access, step);
  if (statement.destinations > 0) add(operands[0], true, true, step);
  for (std::uint32_t i = statement.destinations + 1U; i < statement.operands; ++i)
    add(operands[i], false, false, step);
  keep(access, step);
}

// The handle is a register, or the index of the texture or surface variable.
void StepDecoder::texture(const Statement& statement, Step& step) {
  const Operand* const operands = function_->function->operands_of(statement);
  const bool reads = step.kind != Step::Kind::kSurfaceStore;
  const Operand& handle = operands[reads ? 1 : 0];
  step.target = handle.kind == OperandKind::kVariable ? handle.index : Statement::kNowhere;
  step.source[step.sources++] = handle.kind == OperandKind::kVariable ? Row{} : rows_.row(handle, true);
  if (reads) elements(operands[0], true, step);
  elements(operands[reads ? 2 : 1], false, step);
  if (reads) return;
  step.index = step.sources;  // the number of sources before the values
  const Operand& values = operands[2];
  if (values.kind != OperandKind::kVector) return add(values, true, false, step);
  for (std::uint32_t i = 0; i < values.count; ++i)
    add(function_->function->operands[values.index + i], true, false, step);
}

CallSite::Argument StepDecoder::argument(const Operand& operand, const FrameVariable& parameter) {
  CallSite::Argument result;
  result.callee = parameter.offset;
  result.bytes = parameter.bytes;
  result.in_area = operand.kind == OperandKind::kParameter;
  if (result.in_area)
    result.offset = static_cast<std::uint32_t>(operand.value);
  else
    result.row = rows_.row(operand, parameter.bytes == 8);
  return result;
}

void StepDecoder::call(const Statement& statement, Step& step) {
  const bool indirect = statement.has(kIndirect);
  const auto& returns =
      indirect ? module_.prototypes[statement.target].returns : module_.functions[statement.target].returns;
  const auto& parameters = indirect ? module_.prototypes[statement.target].parameters
                                    : module_.functions[statement.target].parameters;
  const Operand* const operands = function_->function->operands_of(statement);
  const std::uint32_t passed = statement.operands - (indirect ? 1U : 0U);
  CallSite site;
  for (std::uint32_t i = 0; i < passed; ++i) {
    if (i < statement.destinations)
      site.results.push_back(argument(operands[i], returns[i]));
    else
      site.arguments.push_back(argument(operands[i], parameters[i - statement.destinations]));
  }
  if (indirect) add(operands[passed], false, true, step);
  step.index = static_cast<std::uint32_t>(code_.calls.size());
  code_.calls.push_back(site);
}

}  // namespace heddle::ptx
