#include "policies/page_policy/i_page_policy.h"

namespace heddle {

namespace {

class Open final : public PagePolicy {
 public:
  explicit Open(const PolicyParameters&) {}
  bool close(const RowUseView&) override { return false; }
};

HEDDLE_POLICY(PagePolicy, Open, "open", "rows stay open until another row or a refresh needs the bank",
              "Rixner et al., ISCA 2000", {});

}  // namespace

}  // namespace heddle
