#include "models/core/base/systemc_reports.h"

#include <systemc>

#include "models/core/base/log.h"

namespace heddle {

namespace {

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const Severity severity = report.get_severity() == sc_core::SC_INFO      ? Severity::kDebug
                            : report.get_severity() == sc_core::SC_WARNING ? Severity::kWarning
                                                                           : Severity::kError;
  if (severity != Severity::kError)
    HEDDLE_LOG(severity, "systemc", "{}: {}", report.get_msg_type(), report.get_msg());
  if (actions & sc_core::SC_THROW) throw report;
  if (actions & sc_core::SC_STOP) sc_core::sc_stop();
  if (actions & sc_core::SC_ABORT) sc_core::sc_abort();
}

}  // namespace

void route_systemc_reports() {
  sc_core::sc_report_handler::set_handler(handle);
}

}  // namespace heddle
