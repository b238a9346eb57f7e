#pragma once
// These functions write a recorded application as the YAML file of an application. stimuli/APPLICATIONS.md,
// "Applications", describes such files.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/recorded/recorded_application.h"

namespace heddle::imported {

// The time that the platform's host takes for its own part of a call. A recorded gap contains it, so it is
// subtracted from the gap; the rest of the gap is CPU time of the application.
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
  // A gap becomes CPU time only if its mean over all rounds of its loop is at least this long. Shorter gaps
  // are not written, because the platform's latencies of calls cause gaps of that length by themselves.
  std::uint64_t least_gap_ps = 0;
  // By kernel: the time to write instead of the recorded mean, for a kernel whose mean is shorter than the
  // platform's launch latencies; 0 writes the mean.
  std::vector<std::uint64_t> raised_ps;
};

// These sums say how much of the recording the YAML file contains, and how much it omits.
struct TextSummary {
  std::uint64_t calls = 0;             // written, loops included
  std::uint64_t cpu_ps = 0;            // CPU time of one execution
  std::uint64_t left_out_gaps_ps = 0;  // gaps that are shorter than the least one
  std::uint64_t host_ps = 0;           // what is taken off longer gaps for the host's own calls
};

// Returns a name for each kernel, by the number of the kernel. The application reader accepts all names, and
// no two are equal.
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
