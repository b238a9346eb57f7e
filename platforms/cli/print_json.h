#pragma once
// The output of --json.

#include <nlohmann/json_fwd.hpp>

namespace heddle {

// Prints one object on one line of standard output. Bytes that are no UTF-8, such as a command line can have,
// become U+FFFD.
void print_json(const nlohmann::ordered_json& json);

}  // namespace heddle
