#pragma once
// The library of the C interface, loaded as a simulator loads it.

#include <cstdint>
#include <string>

#include "platforms/c_api/c_api.h"

namespace heddle::test {

// The functions of c_api.h by their names without "heddle_".
struct CLibrary {
  CLibrary();  // ends the test process if the library cannot be loaded

  decltype(&::heddle_api_version) api_version;
  decltype(&::heddle_error) error;
  decltype(&::heddle_close) close;
  decltype(&::heddle_reset) reset;
  decltype(&::heddle_list) list;
  decltype(&::heddle_open) open;
  decltype(&::heddle_step) step;
  decltype(&::heddle_run) run;
  decltype(&::heddle_now) now;
  decltype(&::heddle_counter) counter;
  decltype(&::heddle_boundary_open) boundary_open;
  decltype(&::heddle_boundary_send) boundary_send;
  decltype(&::heddle_boundary_take) boundary_take;
  decltype(&::heddle_policy_open) policy_open;
  decltype(&::heddle_policy_set) policy_set;
  decltype(&::heddle_policy_choose) policy_choose;
  decltype(&::heddle_policy_get) policy_get;
  decltype(&::heddle_policy_tick) policy_tick;

 private:
  template <class Function>
  void find(Function& function, const char* name);
  void* library_;
};

}  // namespace heddle::test
