#pragma once
// What the numbers of the C interface stand for. A Handle is one thing that a caller has opened. The
// HandleTable gives out the numbers.

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace heddle {

// A call with a wrong argument, or at a wrong time. Nothing has changed.
class BadCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Handle {
 public:
  virtual ~Handle() = default;

  virtual const char* kind() const = 0;  // "machine", for messages
  virtual void reset() = 0;
  virtual std::string list(const std::string& what) = 0;

  // The interface returns pointers into both texts.
  std::string error;  // of the last call that did not go well
  std::string text;   // the last table of list()

 protected:
  // Throws a BadCall: the kind of handle has no such table.
  [[noreturn]] void refuse_list(const std::string& what, const char* known) const;
};

// A Handle with a time.
class SimulationHandle : public Handle {
 public:
  // Simulates so many cycles, or to a cycle. Returns whether the run has ended.
  virtual bool step(std::uint64_t cycles) = 0;
  virtual bool run_to(std::uint64_t cycle) = 0;
  virtual bool run_to_end() = 0;
  virtual std::uint64_t now(const std::string& clock) = 0;
  virtual std::uint64_t counter(const std::string& name) = 0;
};

class HandleTable {
 public:
  int add(std::unique_ptr<Handle> handle);
  void remove(int number);
  Handle* find(int number);  // null if there is none

 private:
  std::map<int, std::unique_ptr<Handle>> handles_;
  int last_ = 0;
};

}  // namespace heddle
