#pragma once

namespace heddle {

// Sends SystemC's reports to the program's log: info and warning by severity; errors throw, as they do by
// default. Process-wide, as SystemC's report handler is.
void route_systemc_reports();

}  // namespace heddle
