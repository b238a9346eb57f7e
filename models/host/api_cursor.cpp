#include "models/host/api_cursor.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

const ApiCall* ApiCursor::next() {
  while (next_ < end_) {
    const ApiCall& call = program_.calls[next_++];
    if (call.kind == ApiCall::Kind::kRepeat && call.count == 0)
      skip_loop();
    else if (call.kind == ApiCall::Kind::kRepeat)
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

// Goes on behind the kEnd of the loop whose kRepeat was the last call.
void ApiCursor::skip_loop() {
  for (std::size_t depth = 1; depth > 0; ++next_) {
    const ApiCall::Kind kind = program_.calls[next_].kind;
    if (kind == ApiCall::Kind::kRepeat) ++depth;
    if (kind == ApiCall::Kind::kEnd) --depth;
  }
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
