#pragma once
// A captured program becomes an application: its calls of the runtime, and a script that executes its
// kernels. Device memory has the same addresses as under capture.

#include <memory>
#include <string>

#include "stimuli/application/application.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

// Returns the application of a capture. A kernel has the name of the program's kernel without its parameters;
// kernels with equal names are numbered. The numbers of streams and events that the program destroys are used
// again. Events order the default stream and the other streams as CUDA does. Memory is freed after the host
// has waited for all streams, when a call frees it or at the end of the program. If the capture is exact,
// bytes that are copied to the host must be those of the capture.
//
// Throws config::Error, "NAME: call N: ...", for calls that no program can make.
Application capture_application(std::shared_ptr<const Capture> capture, const std::string& name);

bool is_capture(const std::string& file);  // decides by the file name, *.hcap

Application read_capture_application(const std::string& file);

}  // namespace heddle::capture
