#include "platforms/run/request_file.h"

#include <algorithm>
#include <iterator>

#include "models/stats/writers.h"

namespace heddle {

RequestFile::RequestFile(const std::string& path, Machines& machines)
    : spec_(machines.spec()), machines_(machines), file_(path), applications_(spec_.processes.size()) {
  for (const HostProcessSpec& process : spec_.processes)
    if (process.requests)
      for (const RequestParameter& parameter : process.requests->parameters)
        if (std::find(names_.begin(), names_.end(), parameter.name) == names_.end())
          names_.push_back(parameter.name);
  for (const HostProcessSpec& process : spec_.processes) {
    std::vector<std::size_t>& places = parameters_.emplace_back(names_.size(), kNone);
    for (std::size_t i = 0; process.requests && i < process.requests->parameters.size(); ++i) {
      const auto name = std::find(names_.begin(), names_.end(), process.requests->parameters[i].name);
      places[static_cast<std::size_t>(name - names_.begin())] = i;
    }
  }
  for (std::size_t process = 0; process < spec_.processes.size(); ++process) {
    const auto has_name = [&](const HostProcessSpec& other) {
      return other.program.name == spec_.processes[process].program.name;
    };
    const auto end = spec_.processes.begin() + static_cast<std::ptrdiff_t>(process);
    const auto before = std::count_if(spec_.processes.begin(), end, has_name);
    applications_[process] = spec_.processes[process].program.name;
    if (before > 0) applications_[process] += fmt::format("#{}", before + 1);
  }
  has_tokens_ =
      std::any_of(spec_.processes.begin(), spec_.processes.end(),
                  [](const HostProcessSpec& process) { return process.requests && process.requests->batch; });
  write_header();
  for (std::size_t i = 0; i < machines.count(); ++i)
    machines[i].request_log().observe([this, i](const RequestRecord& record) {
      if (record.is_measured) write(i, record);
    });
}

void RequestFile::write_header() {
  file_ << "application,process,request,arrival [ps],start [ps],end [ps],deadline [ps],outcome,in_time";
  for (const std::string& name : names_) file_ << ',' << quoted_csv("parameters." + name);
  if (has_tokens_) file_ << ",tokens,first_token [ps],longest_gap [ps],evictions";
  file_ << ",queue [ps]";
  for (std::size_t i = 0; i < kRequestParts; ++i) {
    const auto part = static_cast<RequestPart>(i);
    for (std::size_t process = 0; process < (has_cause(part) ? applications_.size() : 1); ++process) {
      const std::string cause = has_cause(part) ? "." + applications_[process] : "";
      columns_.push_back({part, process, fmt::format("{}{} [ps]", name_of(part), cause)});
    }
  }
  for (const PartColumn& column : columns_) file_ << ',' << quoted_csv(column.title);
  for (const PartColumn& column : columns_) file_ << ',' << quoted_csv("queue." + column.title);
  file_ << ",mostly,mostly_application,mostly [ps]\n";
}

// Returns the number of the column's process on the machine; none if it is on another instance.
std::optional<std::uint32_t> RequestFile::cause_of(const PartColumn& column, std::size_t machine) const {
  if (!has_cause(column.part)) return 0;
  for (std::uint32_t own = 0; own < machines_[machine].spec().processes.size(); ++own)
    if (machines_.process_of(machine, own) == column.process) return own;
  return std::nullopt;
}

// Appends the parts of the service, those of the queue, and the largest part of the whole response.
void RequestFile::write_account(std::size_t machine, const RequestAccount& account) {
  const auto cell = [this](std::uint64_t ps) { fmt::format_to(std::back_inserter(row_), ",{}", ps); };
  cell(account.queue.sum());
  std::uint64_t most = 0;
  const PartColumn* column_of_most = &columns_.front();
  const auto time_of = [&](const PartTimes& times, const PartColumn& column) {
    const std::optional<std::uint32_t> cause = cause_of(column, machine);
    return cause ? times.of(column.part, *cause) : 0;
  };
  for (const PartColumn& column : columns_) cell(time_of(account.service, column));
  for (const PartColumn& column : columns_) {
    cell(time_of(account.queue, column));
    const std::uint64_t response = time_of(account.service, column) + time_of(account.queue, column);
    if (response > most) column_of_most = &column;
    most = std::max(most, response);
  }
  const bool names_cause = has_cause(column_of_most->part);
  fmt::format_to(std::back_inserter(row_), ",{},{},{}", name_of(column_of_most->part),
                 names_cause ? quoted_csv(applications_[column_of_most->process]) : "", most);
}

void RequestFile::write(std::size_t machine, const RequestRecord& record) {
  const std::size_t process = machines_.process_of(machine, record.process);
  row_.clear();
  fmt::format_to(std::back_inserter(row_), "{},{},{},{}", quoted_csv(spec_.processes[process].program.name),
                 process, record.number, record.arrival_ps);
  const auto append = [this](bool is_known, std::uint64_t ps) {
    row_.push_back(',');
    if (is_known) fmt::format_to(std::back_inserter(row_), "{}", ps);
  };
  append(record.outcome == RequestOutcome::kServed, record.start_ps);
  append(true, record.end_ps);
  append(record.deadline_ps != 0, record.deadline_ps);
  fmt::format_to(std::back_inserter(row_), ",{},{}", name_of(record.outcome), record.is_in_time() ? 1 : 0);
  for (const std::size_t parameter : parameters_[process]) {
    row_.push_back(',');
    if (parameter != kNone) fmt::format_to(std::back_inserter(row_), "{}", record.values[parameter]);
  }
  if (has_tokens_) {
    const TokenRecord tokens = record.tokens.value_or(TokenRecord{});
    append(record.tokens.has_value(), tokens.tokens);
    append(record.tokens.has_value(), tokens.first_ps);
    append(record.tokens.has_value(), tokens.longest_gap_ps);
    append(record.tokens.has_value(), tokens.evictions);
  }
  if (record.account != nullptr)
    write_account(machine, *record.account);
  else
    row_.append(std::string(2 * columns_.size() + 4, ','));
  row_.push_back('\n');
  file_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

void RequestFile::finish() {
  file_.finish();
}

}  // namespace heddle
