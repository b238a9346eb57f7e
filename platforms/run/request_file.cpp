#include "platforms/run/request_file.h"

#include <algorithm>
#include <iterator>

#include "models/stats/writers.h"

namespace heddle {

RequestFile::RequestFile(const std::string& path, Machines& machines) : spec_(machines.spec()), file_(path) {
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
  file_ << "application,process,request,arrival [ps],start [ps],end [ps],deadline [ps],outcome,in_time";
  for (const std::string& name : names_) file_ << ',' << quoted_csv("parameters." + name);
  file_ << '\n';
  for (std::size_t i = 0; i < machines.count(); ++i)
    machines[i].request_log().observe([this, &machines, i](const RequestRecord& record) {
      if (record.is_measured) write(machines.process_of(i, record.process), record);
    });
}

void RequestFile::write(std::size_t process, const RequestRecord& record) {
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
  row_.push_back('\n');
  file_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

void RequestFile::finish() {
  file_.finish();
}

}  // namespace heddle
