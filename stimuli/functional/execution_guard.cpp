#include "stimuli/functional/execution_guard.h"

#include <fmt/format.h>

#include <utility>

namespace heddle {

ExecutionGuard::ExecutionGuard(std::string what, const RunLimit& limit)
    : what_(std::move(what)), limit_(limit), start_(std::chrono::steady_clock::now()) {}

void ExecutionGuard::check(std::uint64_t warp_instructions, const std::function<std::string()>& where) const {
  if (InterruptFlag::is_set()) throw InterruptedRun("interrupted in " + where());
  if (limit_.warp_instructions != 0 && warp_instructions > limit_.warp_instructions)
    throw LimitReached(fmt::format("more than {} warp instructions, the limit of this {}: {}",
                                   limit_.warp_instructions, what_, where()));
  if (limit_.seconds <= 0) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  if (taken.count() > limit_.seconds)
    throw LimitReached(
        fmt::format("more than {} s, the limit of this {}: {}", limit_.seconds, what_, where()));
}

}  // namespace heddle
