// SystemC elaborates once in a process. Every test of this program is therefore run in a process of its own.

#include <gtest/gtest.h>

#include <cstdlib>
#include <systemc>

namespace {

void fail_on_warning(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING) ADD_FAILURE() << "SystemC warns: " << report.what();
  if (report.get_severity() == sc_core::SC_FATAL) ADD_FAILURE() << "SystemC: " << report.what();
  if (actions & sc_core::SC_THROW) throw sc_core::sc_report(report);
  if (actions & sc_core::SC_STOP) sc_core::sc_stop();
  if (actions & sc_core::SC_ABORT) sc_core::sc_abort();
}

}  // namespace

extern "C" int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sc_core::sc_report_handler::set_handler(fail_on_warning);
  return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
