// The functions of c_api.h. Each finds its handle, and turns what is thrown into a result and a message.

#include "platforms/c_api/c_api.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "platforms/c_api/boundary_handle.h"
#include "platforms/c_api/handle.h"
#include "platforms/c_api/machine_handle.h"
#include "platforms/c_api/policy_handle.h"

namespace {

using heddle::BadCall;
using heddle::BoundaryHandle;
using heddle::Handle;
using heddle::HandleTable;
using heddle::MachineHandle;
using heddle::PolicyHandle;
using heddle::SimulationHandle;

// Nothing is destroyed when the process ends: SystemC may be gone by then.
HandleTable& table() {
  static HandleTable& handles = *new HandleTable;
  return handles;
}

std::string& open_error() {
  static std::string& error = *new std::string;
  return error;
}

// Calls the function, and returns its result. After an exception the message is in `error`.
template <class Function>
int guarded(std::string& error, const Function& function) noexcept {
  try {
    return function();
  } catch (const BadCall& bad) {
    error = bad.what();
  } catch (const heddle::PolicyError& bad) {
    error = bad.what();
  } catch (const heddle::config::Error& bad) {
    error = bad.what();
  } catch (const sc_core::sc_report& report) {
    error = report.get_msg();
    return HEDDLE_FAILED;
  } catch (const std::exception& failure) {
    error = failure.what();
    return HEDDLE_FAILED;
  } catch (...) {
    error = "an error without a message";
    return HEDDLE_FAILED;
  }
  return HEDDLE_BAD_CALL;
}

std::string text_of(const char* text, const char* what) {
  if (text == nullptr) throw BadCall(fmt::format("{} is null", what));
  return text;
}

template <class Number>
Number& place_of(Number* pointer) {
  if (pointer == nullptr) throw BadCall("the pointer for the result is null");
  return *pointer;
}

// Opens what `make` returns. Returns its number, or 0.
template <class Make>
int open(const Make& make) noexcept {
  int number = 0;
  guarded(open_error(), [&] {
    number = table().add(make());
    return HEDDLE_OK;
  });
  return number;
}

// Calls the function with the handle of this number, which must be one of this class.
template <class Class, class Function>
int with(int number, const char* needs, const Function& function) noexcept {
  Handle* const handle = table().find(number);
  return guarded(handle == nullptr ? open_error() : handle->error, [&] {
    if (handle == nullptr) throw BadCall(fmt::format("{} is no open handle", number));
    auto* const own = dynamic_cast<Class*>(handle);
    if (own == nullptr)
      throw BadCall(fmt::format("the handle is a {}; the call needs {}", handle->kind(), needs));
    return function(*own);
  });
}

constexpr const char* kAny = "any handle";
constexpr const char* kSimulation = "a machine or a boundary";
constexpr const char* kBoundary = "a boundary";
constexpr const char* kPolicy = "a policy";

int result_of(bool done) {
  return done ? HEDDLE_DONE : HEDDLE_OK;
}

}  // namespace

// SystemC calls it from a main() of its own, which a process that loads this library does not use. A program
// that has one keeps its own.
extern "C" __attribute__((weak, visibility("default"))) int sc_main(int, char**) {
  return 0;
}

int heddle_api_version(void) {
  return HEDDLE_C_API_VERSION;
}

const char* heddle_error(int handle) {
  const Handle* const found = table().find(handle);
  return found == nullptr ? open_error().c_str() : found->error.c_str();
}

int heddle_close(int handle) {
  return with<Handle>(handle, kAny, [&](Handle&) {
    table().remove(handle);
    return HEDDLE_OK;
  });
}

int heddle_reset(int handle) {
  return with<Handle>(handle, kAny, [](Handle& own) {
    own.reset();
    return HEDDLE_OK;
  });
}

const char* heddle_list(int handle, const char* what) {
  const char* found = nullptr;
  with<Handle>(handle, kAny, [&](Handle& own) {
    own.text = own.list(text_of(what, "the name of the table"));
    found = own.text.c_str();
    return HEDDLE_OK;
  });
  return found;
}

int heddle_open(const char* experiment, const char* options) {
  return open([&] {
    return MachineHandle::open(text_of(experiment, "the experiment"), options == nullptr ? "" : options);
  });
}

int heddle_step(int handle, uint64_t cycles) {
  return with<SimulationHandle>(handle, kSimulation,
                                [&](SimulationHandle& own) { return result_of(own.step(cycles)); });
}

int heddle_run(int handle, uint64_t cycle) {
  return with<SimulationHandle>(handle, kSimulation, [&](SimulationHandle& own) {
    return result_of(cycle == 0 ? own.run_to_end() : own.run_to(cycle));
  });
}

int heddle_now(int handle, const char* clock, uint64_t* cycle) {
  return with<SimulationHandle>(handle, kSimulation, [&](SimulationHandle& own) {
    place_of(cycle) = own.now(text_of(clock, "the name of the clock"));
    return HEDDLE_OK;
  });
}

int heddle_counter(int handle, const char* name, uint64_t* value) {
  return with<SimulationHandle>(handle, kSimulation, [&](SimulationHandle& own) {
    place_of(value) = own.counter(text_of(name, "the name of the counter"));
    return HEDDLE_OK;
  });
}

int heddle_boundary_open(const char* platform, const char* block, const char* options) {
  return open([&] {
    return BoundaryHandle::open(text_of(platform, "the platform"), text_of(block, "the block"),
                                options == nullptr ? "" : options);
  });
}

int heddle_boundary_send(int handle, uint64_t id, uint64_t address, uint32_t bytes, int write) {
  return with<BoundaryHandle>(handle, kBoundary, [&](BoundaryHandle& own) {
    if (write != 0 && write != 1)
      throw BadCall(fmt::format("a request is a write (1) or none (0), not {}", write));
    return own.send({id, address, bytes, write == 1}) ? HEDDLE_OK : HEDDLE_BUSY;
  });
}

int heddle_boundary_take(int handle, uint64_t* id) {
  return with<BoundaryHandle>(handle, kBoundary, [&](BoundaryHandle& own) {
    uint64_t& place = place_of(id);
    const std::optional<std::uint64_t> taken = own.take();
    if (taken) place = *taken;
    return taken ? HEDDLE_OK : HEDDLE_BUSY;
  });
}

int heddle_policy_open(const char* decision, const char* policy, uint32_t things) {
  return open([&] {
    return PolicyHandle::open(text_of(decision, "the decision"), text_of(policy, "the policy"), things);
  });
}

int heddle_policy_set(int handle, const char* signal, uint32_t element, int64_t value) {
  return with<PolicyHandle>(handle, kPolicy, [&](PolicyHandle& own) {
    own.policy().set(own.signal(text_of(signal, "the signal")), element, value);
    return HEDDLE_OK;
  });
}

int heddle_policy_choose(int handle, int64_t* choice) {
  return with<PolicyHandle>(handle, kPolicy, [&](PolicyHandle& own) {
    int64_t& place = place_of(choice);
    const std::uint32_t chosen = own.policy().choose();
    place = chosen == heddle::RolePolicy::kNone ? -1 : static_cast<int64_t>(chosen);
    return HEDDLE_OK;
  });
}

int heddle_policy_get(int handle, const char* signal, uint32_t element, int64_t* value) {
  return with<PolicyHandle>(handle, kPolicy, [&](PolicyHandle& own) {
    place_of(value) = own.policy().get(own.signal(text_of(signal, "the signal")), element);
    return HEDDLE_OK;
  });
}

int heddle_policy_tick(int handle) {
  return with<PolicyHandle>(handle, kPolicy, [](PolicyHandle& own) {
    own.policy().tick();
    return HEDDLE_OK;
  });
}
