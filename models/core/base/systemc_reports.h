#pragma once

namespace heddle {

// Sends SystemC's reports of severity info and warning to the program's log. Errors throw, as they do by
// default. The report handler is one for the whole process.
void route_systemc_reports();

}  // namespace heddle
