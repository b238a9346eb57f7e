#pragma once
// A captured program as an application: its calls of the runtime, and a script that executes its kernels. On
// the device everything lies where it lay under capture.

#include <memory>
#include <string>

#include "stimuli/application/application.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

// Kernels are named as in the program, without their parameters; those that would be called alike are
// numbered. Streams and events that the program destroys are used again. The default stream waits for the
// others and they for it, by events, as CUDA has it. What a call frees, and what the program leaves, is freed
// after a wait for everything. Where the capture is exact, bytes that come down must be those of the capture.
//
// Throws config::Error, "NAME: call N: ...", for calls that no program can have made.
Application capture_application(std::shared_ptr<const Capture> capture, const std::string& name);

bool is_capture(const std::string& file);  // by its name: *.hcap

Application read_capture_application(const std::string& file);

}  // namespace heddle::capture
