#pragma once
// Decision `page_policy`: whether a bank's row is closed with the column command that is about to use it.
// Asked at every read and write; a row that stays open is closed only for another row or for a refresh.

#include <cstdint>

#include "policies/registry.h"

namespace heddle {

struct RowUseView {
  std::uint32_t bank = 0;
  bool more_waiting = false;  // other requests for this row wait, reads or writes
};

class PagePolicy {
 public:
  static constexpr const char* kDecision = "page_policy";
  virtual ~PagePolicy() = default;
  // True: an automatic precharge closes the row. A function of the view alone.
  virtual bool close(const RowUseView& row) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(PagePolicy);

}  // namespace heddle
