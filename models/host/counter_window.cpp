#include "models/host/counter_window.h"

#include <array>

#include "models/host/command.h"

namespace heddle {

using namespace registers;

void CounterWindow::show(const Group& root) {
  counters_.clear();
  names_.clear();
  root.visit([&](const Statistic& statistic) {
    if (statistic.is_formula()) return;
    counters_.push_back(statistic.counter);
    names_.push_back(statistic.path.substr(0, kNameBytes - 1));
  });
}

std::uint64_t CounterWindow::read(Address address) const {
  if (address < kCounterNames) {
    const std::uint64_t i = (address - kCounterValues) / 8;
    return i < counters_.size() ? counters_[i]->value() : 0;
  }
  const std::uint64_t i = (address - kCounterNames) / kNameBytes;
  if (i >= names_.size()) return 0;
  std::array<unsigned char, 8> bytes{};
  const Address offset = address % kNameBytes;
  for (Address j = 0; j < bytes.size() && offset + j < names_[i].size(); ++j)
    bytes[j] = static_cast<unsigned char>(names_[i][offset + j]);
  return load_u64(bytes.data());
}

}  // namespace heddle
