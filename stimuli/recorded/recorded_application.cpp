#include "stimuli/recorded/recorded_application.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace heddle::imported {

std::uint32_t ApplicationBuilder::kernel(const KernelShape& shape) {
  const auto [place, is_new] = kernels_.emplace(shape, static_cast<std::uint32_t>(result_.kernels.size()));
  if (is_new) result_.kernels.push_back({shape, {}});
  return place->second;
}

void ApplicationBuilder::launch(std::uint32_t kernel, std::uint64_t stream, Span span) {
  check(span);
  ++launches_;
  KernelTimes& times = result_.kernels[kernel].times;
  const std::uint64_t time = span.end_ps - span.start_ps;
  times.least_ps = times.launches == 0 ? time : std::min(times.least_ps, time);
  times.most_ps = std::max(times.most_ps, time);
  if (time > std::numeric_limits<std::uint64_t>::max() - times.sum_ps)
    throw std::invalid_argument("the launches of its kernel take more than 10^7 s together");
  times.sum_ps += time;
  ++times.launches;
  if (has_event_ && span.start_ps < last_end_ps_) ++times.overlapped;
  RecordedCall call;
  call.kernel = kernel;
  add(call, stream, span);
}

void ApplicationBuilder::copy(CopyKind kind, std::uint64_t bytes, std::uint64_t stream, Span span) {
  RecordedCall call;
  call.kind = RecordedCall::Kind::kCopy;
  call.copy = kind;
  call.bytes = bytes;
  transfer(result_.copies[static_cast<std::size_t>(kind)], call, stream, span);
}

void ApplicationBuilder::fill(std::uint8_t value, std::uint64_t bytes, std::uint64_t stream, Span span) {
  RecordedCall call;
  call.kind = RecordedCall::Kind::kFill;
  call.value = value;
  call.bytes = bytes;
  transfer(result_.fills, call, stream, span);
}

// Adds a copy or a fill, and counts it in its totals.
void ApplicationBuilder::transfer(CopyTotals& totals, const RecordedCall& call, std::uint64_t stream,
                                  Span span) {
  check(span);
  if (call.bytes == 0) {
    ++result_.empty_copies;
    return;
  }
  ++totals.count;
  totals.bytes += call.bytes;
  totals.most_bytes = std::max(totals.most_bytes, call.bytes);
  totals.time_ps += span.end_ps - span.start_ps;
  add(call, stream, span);
}

void ApplicationBuilder::check(Span span) const {
  if (span.end_ps < span.start_ps) throw std::invalid_argument("it ends before it starts");
  if (has_event_ && span.start_ps < last_start_ps_)
    throw std::invalid_argument("it starts before the event that stands before it");
}

std::uint32_t ApplicationBuilder::stream_index(std::uint64_t stream) {
  const auto [place, is_new] = streams_.emplace(stream, static_cast<std::uint32_t>(result_.streams.size()));
  if (is_new) result_.streams.push_back(stream);
  return place->second;
}

void ApplicationBuilder::add(RecordedCall call, std::uint64_t stream, Span span) {
  call.stream = stream_index(stream);
  std::uint64_t gap = 0;
  if (!has_event_) {
    first_start_ps_ = span.start_ps;
  } else if (span.start_ps >= last_end_ps_) {
    gap = span.start_ps - last_end_ps_;
    if (last_stream_ != call.stream) call.after = last_stream_;
  }
  if (!has_event_ || span.end_ps >= last_end_ps_) {
    last_end_ps_ = span.end_ps;
    last_stream_ = call.stream;
  }
  has_event_ = true;
  last_start_ps_ = span.start_ps;
  result_.gaps_ps += gap;
  result_.span_ps = last_end_ps_ - first_start_ps_;
  const auto [place, is_new] = calls_.emplace(call, static_cast<std::uint32_t>(result_.calls.size()));
  if (is_new) result_.calls.push_back(call);
  result_.program.add(place->second, gap);
}

}  // namespace heddle::imported
