#include "platforms/cli/print_json.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace heddle {

void print_json(const nlohmann::ordered_json& json) {
  std::cout << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
}

}  // namespace heddle
