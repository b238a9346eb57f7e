#pragma once
// A recorded application as YAML for the application reader (stimuli/README.md, "Applications").

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/import/recorded_application.h"

namespace heddle::imported {

// The host's own time for a call, which a gap of the record includes: the part of a gap that is CPU time of
// the application is what this leaves.
struct HostTimes {
  std::uint64_t launch_ps = 0;
  std::uint64_t copy_ps = 0;
  std::uint64_t return_ps = 0;  // from the end of the GPU's work to the return of the call that waited for it
};

struct TextOptions {
  std::string name;         // of the application: see plain_name
  std::string source;       // where it was recorded
  std::string measured_on;  // a platform
  HostTimes host;
  // A gap that is shorter in the mean of its executions is left to the platform's own latencies.
  std::uint64_t least_gap_ps = 0;
  // By kernel: a time for it other than its mean, because the platform's latencies alone take that long; 0:
  // the mean.
  std::vector<std::uint64_t> raised_ps;
};

// What the text has of the record, and what it leaves out.
struct TextSummary {
  std::uint64_t calls = 0;             // written, loops included
  std::uint64_t cpu_ps = 0;            // CPU time of one execution
  std::uint64_t left_out_gaps_ps = 0;  // gaps that are shorter than the least one
  std::uint64_t host_ps = 0;           // what is taken off longer gaps for the host's own calls
};

// Returns names of the kernels that are legal and distinct, by their number.
std::vector<std::string> kernel_names(const RecordedApplication& application);

// Writes the application. The same record gives the same bytes.
std::string application_text(const RecordedApplication& application, const TextOptions& options,
                             TextSummary& summary);

// Returns a time with its unit, exact: "12.5us".
std::string time_text(std::uint64_t ps);

// Returns `text` as the content of a comment: one line of at most 160 printable characters.
std::string comment_text(const std::string& text);

// Returns a name as a YAML key or value: in quotes if YAML could read it as anything but this text.
std::string yaml_name(const std::string& name);

// Returns a text in quotes, with everything escaped that YAML does not take as it is.
std::string yaml_text(const std::string& text);

}  // namespace heddle::imported
