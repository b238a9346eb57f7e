#pragma once
// A HandOver brings requests whose prompts one batch server has read to another one, which generates the rest
// of their answers. Keys and values of a prompt go over a link, one request after the other. Times are
// picoseconds of simulated time. Pure logic.

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace heddle {

struct HandOverSpec {
  std::uint32_t from = 0;        // the number of the process that reads the prompts
  std::uint64_t latency_ps = 0;  // from the end of a transfer to the arrival
  std::uint64_t token_ps = 0;    // of the link, for the keys and values of one token
};

class HandOver {
 public:
  struct Item {
    std::uint64_t arrival_ps = 0;
    std::uint64_t came_ps = 0;         // when the request arrived where its prompt was read
    std::uint64_t first_token_ps = 0;  // when it had its first token
    double prompt = 0;                 // tokens
    double output = 0;                 // tokens of the whole answer
  };

  explicit HandOver(const HandOverSpec& spec) : spec_(spec) {}

  // The first server calls this when a request has its first token and will have more. The request arrived at
  // the first server at `came_ps`. `now_ps` does not decrease from call to call.
  void give(double prompt, double output, std::uint64_t came_ps, std::uint64_t now_ps);
  void end();  // no further request will be given

  // The next request that arrives, or null if none is known.
  const Item* next() const { return items_.empty() ? nullptr : &items_.front(); }
  void take() { items_.pop_front(); }
  bool may_come() const { return !has_ended_; }  // whether requests may come that are not known yet

  // `changed` is called when a request has been given, and at the end.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }
  void reset();

 private:
  const HandOverSpec spec_;
  std::deque<Item> items_;
  std::uint64_t link_free_ps_ = 0;
  bool has_ended_ = false;
  std::function<void()> changed_;
};

}  // namespace heddle
