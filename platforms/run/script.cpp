#include "platforms/run/script.h"

#include <fmt/format.h>

#include <boost/process.hpp>
#include <iostream>

#include "models/core/config/data_path.h"
#include "platforms/run/output.h"

namespace heddle {

int run_script(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string program = find_script(name);
  std::cout.flush();
  std::error_code error;
  boost::process::child child(program, boost::process::args(arguments), error);
  if (!error) child.wait(error);
  if (error) throw OutputError(fmt::format("cannot start {}: {}", program, error.message()));
  return child.exit_code();
}

}  // namespace heddle
