#pragma once
// This file reads the times of arrivals from CSV. The first line names the columns, without quotes: one is
// `time [UNIT]` with ps, ns, us, ms or s, the others are parameters. Times count from the moment at which the
// server is ready, are 0 or more and do not decrease. Each other line is a request.
//
//   time [ms],tokens,batch
//   0,128,1
//   2.5,512,2

#include <memory>
#include <string>

#include "models/host/requests/request_spec.h"

namespace heddle {

// Throws config::Error, with file and line, for the first problem of the file.
std::shared_ptr<const ArrivalTable> read_arrivals(const std::string& file);

}  // namespace heddle
