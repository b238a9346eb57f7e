#pragma once
// Links modules of PTX that were compiled apart (nvcc -rdc=true), as nvlink does with machine code.

#include <string>
#include <vector>

namespace heddle::capture {

// Returns the text of one module with what all texts define. What one declares as .extern another one may
// define. Of definitions that are .weak or .common, the first one is taken. A name without .extern, .visible,
// .weak or .common belongs to its text, and another name takes its place where two texts have it. Throws
// config::Error, whose message starts with `name`, for a text that ends within a declaration.
std::string link_ptx(const std::vector<std::string>& texts, const std::string& name);

}  // namespace heddle::capture
