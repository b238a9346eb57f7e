#pragma once
// Decision `page_policy`: whether a column command closes the row that it uses. The memory controller asks at
// every read and write. A row that stays open is closed later for another row or for a refresh.

#include <cstdint>

#include "policies/registry.h"

namespace heddle {

struct RowUseView {
  std::uint32_t bank = 0;
  bool more_waiting = false;  // whether other requests for this row wait, reads or writes
};

class PagePolicy : public Policy {
 public:
  static constexpr const char* kDecision = "page_policy";
  static bool is_asked(const GpuDescription& gpu) { return gpu.has_dram; }
  static constexpr const char* kNeeds = "a dram section";

  // True: an automatic precharge closes the row. The answer depends on the view alone.
  virtual bool close(const RowUseView& row) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(PagePolicy);

}  // namespace heddle
