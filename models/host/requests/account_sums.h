#pragma once
// AccountSums say what the slowest requests of a server have in common. Pure logic.

#include <cstdint>
#include <vector>

#include "models/host/requests/request_account.h"

namespace heddle {

// The sums of accounts by the length of the response, in buckets of 1/64 of an octave, for what a share of
// the requests has in common. Its memory does not depend on the number of requests.
class AccountSums {
 public:
  struct Sum {
    std::uint64_t requests = 0;
    double response_ps = 0;
    std::vector<double> queue_ps;    // by part and cause, see place_of()
    std::vector<double> service_ps;  // the same
  };

  void add(std::uint64_t response_ps, const RequestAccount& account);
  std::uint64_t requests() const { return requests_; }
  // Returns the sum over the slowest requests: so many that they are at least this share of all, and whole
  // buckets.
  Sum slowest(double share) const;

 private:
  struct Bucket {
    std::uint32_t key = 0;
    Sum sum;
  };
  std::uint64_t requests_ = 0;
  std::vector<Bucket> buckets_;  // in the order of keys
};

}  // namespace heddle
