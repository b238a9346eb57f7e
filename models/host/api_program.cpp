#include "models/host/api_program.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

bool moves_data(const ApiCall& call) {
  switch (call.kind) {
    case ApiCall::Kind::kCopyUp:
    case ApiCall::Kind::kCopyDown:
    case ApiCall::Kind::kCopyAcross:
    case ApiCall::Kind::kFill:
      return true;
    default:
      return false;
  }
}

bool goes_to_gpu(const ApiCall& call) {
  if (moves_data(call)) return true;
  switch (call.kind) {
    case ApiCall::Kind::kLaunch:
    case ApiCall::Kind::kRecord:
    case ApiCall::Kind::kWait:
      return true;
    default:
      return false;
  }
}

void check_range(const ApiBuffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > buffer.bytes || bytes > buffer.bytes - offset)
    throw std::runtime_error(
        fmt::format("{} bytes at {} of '{}', which has {}", bytes, offset, buffer.name, buffer.bytes));
}

std::vector<std::uint64_t> launches_per_execution(const ApiProgram& program) {
  std::vector<std::uint64_t> launches(program.kernels.size());
  std::vector<std::uint64_t> factor{1};
  for (const ApiCall& call : program.calls) {
    if (call.kind == ApiCall::Kind::kRepeat) factor.push_back(factor.back() * call.certain_rounds());
    if (call.kind == ApiCall::Kind::kEnd) factor.pop_back();
    if (call.kind == ApiCall::Kind::kLaunch && call.kernel < launches.size())
      launches[call.kernel] += factor.back();
  }
  return launches;
}

}  // namespace heddle
