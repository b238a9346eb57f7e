#pragma once
// What must hold for the requests of any server.

#include <vector>

#include "models/host/requests/request_log.h"
#include "models/host/requests/request_spec.h"

namespace heddle::test {

// Expects that the records of a server, which has ended, are those of requests that arrived in order, were
// each served, shed or cut off once, and were served one after the other within the limit of the queue.
// `ready_ps` is the time from which they arrive, and `totals` is what a RequestLog has counted of them.
void expect_requests_close(const RequestSpec& spec, std::vector<RequestRecord> records,
                           std::uint64_t ready_ps, const RequestTotals& totals);

// Expects that the parts of the response add up to it, and that they are there if the request was served.
void expect_account_adds_up(const RequestRecord& record);

}  // namespace heddle::test
