#include "models/sm/spec/sm_spec.h"

#include <utility>

#include "models/sm/spec/cycle_spec.h"

namespace heddle {

namespace {

const ExecutionSpec* execution_of(const TimedSmSpec&) {
  return nullptr;
}
const ExecutionSpec* execution_of(const Boxed<CycleSmSpec>& spec) {
  return &*spec;
}

void add_stage(TimedSmSpec&, std::uint32_t) {}
void add_stage(Boxed<CycleSmSpec>& boxed, std::uint32_t cycles) {
  CycleSmSpec& spec = *boxed;
  spec.dispatch_latency += cycles;
  spec.memory_latency += cycles;
  spec.shared_latency += cycles;
}

}  // namespace

const ExecutionSpec* SmSpec::execution() const {
  return std::visit([](const auto& spec) { return execution_of(spec); }, model);
}

ExecutionSpec* SmSpec::execution() {
  return const_cast<ExecutionSpec*>(std::as_const(*this).execution());
}

void SmSpec::add_mapping_stage(std::uint32_t cycles) {
  std::visit([cycles](auto& spec) { add_stage(spec, cycles); }, model);
}

}  // namespace heddle
