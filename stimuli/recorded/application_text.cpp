#include "stimuli/recorded/application_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle::imported {

namespace {

constexpr const char* kData = "data";
constexpr const char* kOther = "other";
constexpr const char* kOrder = "order";  // the event that keeps a call behind another stream's

std::string size_text(const std::array<std::uint64_t, 3>& size) {
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

class TextWriter {
 public:
  TextWriter(const RecordedApplication& application, const TextOptions& options, TextSummary& summary)
      : application_(application),
        options_(options),
        summary_(summary),
        names_(kernel_names(application)),
        many_streams_(application.streams.size() > 1) {}

  std::string write() {
    head();
    buffers();
    kernels();
    program();
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void head() {
    std::uint64_t launches = 0;
    for (const RecordedKernel& kernel : application_.kernels) launches += kernel.times.launches;
    line("application: {}", yaml_name(options_.name));
    line("description: {}",
         yaml_text(fmt::format("{} launches of {} kernels in {}, of which {} without any work on the GPU",
                               launches, application_.kernels.size(), time_text(application_.span_ps),
                               time_text(application_.gaps_ps))));
    line("source: {}", yaml_text(options_.source));
    line("measured_on: {}", yaml_text(options_.measured_on));
  }

  std::uint64_t data_bytes() const {
    std::uint64_t most = application_.fills.most_bytes;
    for (const CopyTotals& copies : application_.copies) most = std::max(most, copies.most_bytes);
    return most;
  }
  const CopyTotals& copies(CopyKind kind) const {
    return application_.copies[static_cast<std::size_t>(kind)];
  }

  void buffers() {
    if (data_bytes() == 0) return;
    line("buffers:");
    line("  {}: {}B  # the most bytes of a copy or a fill; a record does not tell one buffer from another",
         kData, data_bytes());
    if (copies(CopyKind::kAcross).count > 0)
      line("  {}: {}B  # the most bytes of a copy on the device", kOther,
           copies(CopyKind::kAcross).most_bytes);
  }

  void kernels() {
    line("kernels:");
    for (std::size_t i = 0; i < application_.kernels.size(); ++i) kernel(i);
  }

  void kernel(std::size_t number) {
    const KernelShape& shape = application_.kernels[number].shape;
    const KernelTimes& times = application_.kernels[number].times;
    line("  {}:  # {}", yaml_name(names_[number]), comment_text(shape.name));
    line("    blocks: {}  # recorded: a grid of {}", shape.blocks(), size_text(shape.grid));
    line("    threads: {}  # recorded: a block of {}", shape.threads(), size_text(shape.block));
    line("    registers: {}  # recorded", shape.registers);
    if (shape.static_shared + shape.dynamic_shared > 0)
      line("    shared_memory: {}B  # recorded: {} B static, {} B dynamic",
           shape.static_shared + shape.dynamic_shared, shape.static_shared, shape.dynamic_shared);
    std::string where = fmt::format("mean of {} launches, {} to {}", times.launches,
                                    time_text(times.least_ps), time_text(times.most_ps));
    if (times.overlapped > 0) where += fmt::format("; {} started beside other work", times.overlapped);
    const std::uint64_t raised = number < options_.raised_ps.size() ? options_.raised_ps[number] : 0;
    if (raised > 0)
      where = fmt::format("the least that the platform's latencies allow; recorded: {}, {}",
                          time_text(times.mean_ps()), where);
    line("    time: {}  # {}", time_text(raised > 0 ? raised : times.mean_ps()), where);
  }

  void program() {
    line("program:");
    if (data_bytes() > 0) line("  - allocate: {}", kData);
    if (copies(CopyKind::kAcross).count > 0) line("  - allocate: {}", kOther);
    items(application_.program.items(), 1, "  ");
    line("  - synchronise: all");
    if (data_bytes() > 0) line("  - free: {}", kData);
    if (copies(CopyKind::kAcross).count > 0) line("  - free: {}", kOther);
  }

  // `executions` is the product of the rounds of the loops around the items.
  void items(const std::vector<FoldedItem>& items, std::uint64_t executions, const std::string& indent) {
    for (const FoldedItem& item : items) {
      if (item.loop == nullptr) {
        call(application_.calls[item.call], item.gap_ps, executions, indent);
        continue;
      }
      ++summary_.calls;
      line("{}- repeat: {}", indent, item.loop->rounds);
      line("{}  body:", indent);
      this->items(item.loop->body, executions * item.loop->rounds, indent + "    ");
    }
  }

  void call(const RecordedCall& call, std::uint64_t gaps_ps, std::uint64_t executions,
            const std::string& indent) {
    const bool waits = pause(call, gaps_ps, executions, indent);
    if (!waits && call.after != RecordedCall::kNone) {
      line("{}- {{record: {}{}}}", indent, kOrder, stream_key(call.after));
      line("{}- {{wait: {}{}}}", indent, kOrder, stream_key(call.stream));
      summary_.calls += 2;
    }
    ++summary_.calls;
    const std::string stream = stream_key(call.stream);
    switch (call.kind) {
      case RecordedCall::Kind::kLaunch:
        line("{}- {{launch: {}{}}}", indent, yaml_name(names_[call.kernel]), stream);
        break;
      case RecordedCall::Kind::kFill:
        line("{}- {{fill: {}, with: {}, bytes: {}B{}}}", indent, kData, call.value, call.bytes, stream);
        break;
      case RecordedCall::Kind::kCopy:
        if (call.copy == CopyKind::kAcross)
          line("{}- {{copy_across: {}, to: {}, bytes: {}B{}}}", indent, kData, kOther, call.bytes, stream);
        else
          line("{}- {{{}: {}, bytes: {}B, asynchronous: true{}}}", indent,
               call.copy == CopyKind::kUp ? "copy_up" : "copy_down", kData, call.bytes, stream);
        break;
    }
  }

  // Writes the gap before a call, if it is long enough to be the host's work. Returns whether it was written.
  bool pause(const RecordedCall& call, std::uint64_t gaps_ps, std::uint64_t executions,
             const std::string& indent) {
    const std::uint64_t mean = (gaps_ps + executions / 2) / executions;
    const HostTimes& host = options_.host;
    const std::uint64_t own =
        host.return_ps + (call.kind == RecordedCall::Kind::kLaunch ? host.launch_ps : host.copy_ps);
    if (mean == 0 || mean < options_.least_gap_ps || mean <= own) {
      summary_.left_out_gaps_ps += gaps_ps;
      return false;
    }
    line("{}- synchronise: all", indent);
    line("{}- cpu: {}", indent, time_text(mean - own));
    summary_.calls += 2;
    summary_.cpu_ps += (mean - own) * executions;
    summary_.host_ps += own * executions;
    return true;
  }

  std::string stream_key(std::uint32_t stream) const {
    return many_streams_ ? fmt::format(", stream: s{}", application_.streams[stream]) : std::string();
  }

  const RecordedApplication& application_;
  const TextOptions& options_;
  TextSummary& summary_;
  const std::vector<std::string> names_;
  const bool many_streams_;
  std::string text_;
};

}  // namespace

std::string application_text(const RecordedApplication& application, const TextOptions& options,
                             TextSummary& summary) {
  summary = {};
  return TextWriter(application, options, summary).write();
}

}  // namespace heddle::imported
