#pragma once
// Which processes have work, and which of their commands can be submitted.

#include <algorithm>
#include <optional>

#include "policies/submission/i_submission.h"

namespace heddle {

constexpr double kPsPerUs = 1e6;

// A head that is ready.
struct Candidate {
  std::uint32_t process = 0;
  std::uint32_t stream = 0;
  const HeadView* head = nullptr;

  SubmissionDecision submit(std::uint64_t blocks = 0) const {
    return {true, process, stream, blocks, SubmissionDecision::kNever};
  }
};

constexpr bool any_head(const HeadView&) {
  return true;
}
inline bool is_launch(const HeadView& head) {
  return head.kind == HeadView::Kind::kLaunch;
}
inline bool is_no_launch(const HeadView& head) {
  return !is_launch(head);
}

// Returns the oldest ready head of the process for which `suits` holds.
template <class Suits>
std::optional<Candidate> oldest_head(const SubmissionView& view, std::uint32_t process, Suits suits) {
  std::optional<Candidate> oldest;
  const ProcessView& own = view.processes[process];
  if (own.waiting == 0) return oldest;
  for (std::uint32_t stream = 0; stream < own.streams.size(); ++stream) {
    const StreamView& queue = own.streams[stream];
    if (queue.waiting == 0 || !queue.head.ready || !suits(queue.head)) continue;
    if (!oldest || queue.head.arrival < oldest->head->arrival)
      oldest = Candidate{process, stream, &queue.head};
  }
  return oldest;
}

// Returns the oldest of all such heads of the processes for which `takes` holds.
template <class Takes, class Suits>
std::optional<Candidate> oldest_of(const SubmissionView& view, Takes takes, Suits suits) {
  std::optional<Candidate> oldest;
  for (std::uint32_t process = 0; process < view.processes.size(); ++process) {
    if (view.processes[process].waiting == 0 || !takes(view.processes[process])) continue;
    const std::optional<Candidate> head = oldest_head(view, process, suits);
    if (head && (!oldest || head->head->arrival < oldest->head->arrival)) oldest = head;
  }
  return oldest;
}

// Returns the number of blocks of the next piece of a launch. A piece consists of as many whole waves of
// blocks as take at most `ps` by estimate, with the time of the launch itself, and of at least one wave. If
// the time of a wave is not known, a piece is one wave. A launch that may not be cut is one piece.
inline std::uint64_t piece_within(const HeadView& head, std::uint64_t ps) {
  if (!head.may_be_cut) return head.blocks;
  std::uint64_t waves = 1;
  if (head.wave_ps > 0 && ps > head.launch_ps)
    waves = std::max<std::uint64_t>(1, (ps - head.launch_ps) / head.wave_ps);
  return waves >= head.waves(head.blocks) ? head.blocks : waves * head.wave;
}

// Whether the process has a command on the GPU or one that can go there. A process whose commands all wait
// for an event that its program has not recorded yet has no work.
inline bool has_work(const SubmissionView& view, std::uint32_t process) {
  return view.processes[process].in_flight > 0 || oldest_head(view, process, any_head).has_value();
}

// Whether the process has a launch on the GPU or one that can go there.
inline bool has_launch(const SubmissionView& view, std::uint32_t process) {
  return view.processes[process].launches_in_flight > 0 || oldest_head(view, process, is_launch).has_value();
}

// Returns the highest priority among the open processes, if there is one.
inline std::optional<std::int32_t> top_priority(const SubmissionView& view) {
  std::optional<std::int32_t> top;
  for (const ProcessView& process : view.processes)
    if ((process.open || process.waiting > 0) && (!top || process.priority > *top)) top = process.priority;
  return top;
}

}  // namespace heddle
