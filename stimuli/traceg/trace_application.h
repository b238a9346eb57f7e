#pragma once
// This file reads a traced program as an application: its copies, and one kernel for each trace file.

#include <string>

#include "stimuli/application/application.h"
#include "stimuli/application/launch_ranges.h"

namespace heddle {

// Returns the application of `kernelslist_file`. Its calls are in the order of the list. Each copy is
// synchronous, on the default stream, and uses a buffer that is named after its address. Each launch is on
// the stream of its trace. At the end the program waits for all streams. A buffer is as large as its largest
// copy; it is allocated before its first copy and freed at the end. Stream 0 of CUDA is named "default",
// stream N "stream-N". The application is named after the folder of the list.
//
// The header of every trace is read at once, and the blocks of a kernel are read when its `program` is made.
// Kernels have no times: measured_on stays empty, and each time is 0. Launches that `ranges` do not hold are
// left out, and so is everything behind the last one that they hold. `cache` is the folder in which the
// blocks of each trace are stored, or empty (TraceProgram). Throws config::Error with one problem,
// "file:line: message".
Application read_trace_application(const std::string& kernelslist_file, const LaunchRanges& ranges = {},
                                   const std::string& cache = "");

// Returns the name of that application.
std::string trace_name(const std::string& kernelslist_file);

}  // namespace heddle
