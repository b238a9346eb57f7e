#pragma once
// A traced program as an application: its copies, and one kernel for each trace file.

#include <string>

#include "stimuli/application/application.h"

namespace heddle {

// The calls of `kernelslist_file`, in its order: each copy synchronous on the default stream, into a buffer
// that is named for its address; each launch on the stream of its trace; then a wait for all. Buffers are as
// large as the largest copy, allocated before the first, and freed at the end. Streams are named
// "default" (CUDA's 0) and "stream-N". The application is named for the list's folder.
//
// Every kernel's header is read; its blocks are when its `program` is made. Kernels have no times:
// measured_on and kernel_time_ps stay empty. Throws config::Error with one problem, "file:line: message".
Application read_trace_application(const std::string& kernelslist_file);

// What that application is called.
std::string trace_name(const std::string& kernelslist_file);

}  // namespace heddle
