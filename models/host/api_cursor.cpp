#include "models/host/api_cursor.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

const ApiCall* ApiCursor::next() {
  while (next_ < program_.calls.size()) {
    const ApiCall& call = program_.calls[next_++];
    if (call.kind == ApiCall::Kind::kRepeat)
      loops_.push_back({next_ - 1});
    else if (call.kind != ApiCall::Kind::kEnd)
      return &call;
    else if (again(loops_.back()))
      next_ = loops_.back().repeat + 1;
    else
      loops_.pop_back();
  }
  return nullptr;
}

bool ApiCursor::again(Loop& loop) {
  const ApiCall& repeat = program_.calls[loop.repeat];
  ++loop.rounds;
  if (repeat.action == ApiCall::kNoAction) return loop.rounds < repeat.count;
  if (!script_->again(repeat.action, memory_)) return false;
  if (loop.rounds < repeat.count) return true;
  throw std::runtime_error(fmt::format("a loop does not end: it has gone round {} times", repeat.count));
}

}  // namespace heddle
