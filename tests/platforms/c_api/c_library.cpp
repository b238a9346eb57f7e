#include "tests/platforms/c_api/c_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>

#include "tests/support/paths.h"

namespace heddle::test {

template <class Function>
void CLibrary::find(Function& function, const char* name) {
  function = library_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library_, name));
  if (function != nullptr) return;
  std::cerr << ::dlerror() << std::endl;
  std::abort();
}

CLibrary::CLibrary() : library_(::dlopen(c_library().c_str(), RTLD_NOW | RTLD_LOCAL)) {
  find(api_version, "heddle_api_version");
  find(error, "heddle_error");
  find(close, "heddle_close");
  find(reset, "heddle_reset");
  find(list, "heddle_list");
  find(open, "heddle_open");
  find(step, "heddle_step");
  find(run, "heddle_run");
  find(now, "heddle_now");
  find(counter, "heddle_counter");
  find(boundary_open, "heddle_boundary_open");
  find(boundary_send, "heddle_boundary_send");
  find(boundary_take, "heddle_boundary_take");
  find(policy_open, "heddle_policy_open");
  find(policy_set, "heddle_policy_set");
  find(policy_choose, "heddle_policy_choose");
  find(policy_get, "heddle_policy_get");
  find(policy_tick, "heddle_policy_tick");
}

}  // namespace heddle::test
