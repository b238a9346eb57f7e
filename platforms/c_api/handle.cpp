#include "platforms/c_api/handle.h"

#include <fmt/format.h>

namespace heddle {

void Handle::refuse_list(const std::string& what, const char* known) const {
  throw BadCall(fmt::format("a {} has no table '{}'; known: {}", kind(), what, known));
}

int HandleTable::add(std::unique_ptr<Handle> handle) {
  handles_.emplace(++last_, std::move(handle));
  return last_;
}

void HandleTable::remove(int number) {
  handles_.erase(number);
}

Handle* HandleTable::find(int number) {
  const auto found = handles_.find(number);
  return found == handles_.end() ? nullptr : found->second.get();
}

}  // namespace heddle
