// Kernels alone, over sizes. Each starts with cold caches, as it does in a simulation.

#include "scripts/harvest_program/parts.h"
#include "scripts/harvest_program/works.h"

namespace harvest {

namespace {

void measure(Session& session, const Work& work) {
  session.row("kernel", "name=" + work.name + " " + work.parameters, "us",
              session.repeat([&] { return session.time_us(work.launch, Caches::kCold); }));
  require_right(work);
}

}  // namespace

void measure_kernels(Session& session) {
  const unsigned less = session.quick() ? 8 : 0;  // sizes are powers of two
  const unsigned sms = session.sms();
  for (const unsigned size : {16U, 18U, 20U, 22U}) {
    const unsigned n = 1U << (size - less);
    measure(session, make_vector_add(n));
    measure(session, make_triad(n / 2, 8 * sms));
    measure(session, make_reduction(n, 4 * sms));
    measure(session, make_histogram(n, 4 * sms));
  }
  for (const unsigned size : {16U, 18U, 20U}) measure(session, make_black_scholes(1U << (size - less)));
  for (const unsigned side : {128U, 256U, 512U}) measure(session, make_matrix_multiply(side >> less / 4));
  for (const unsigned rounds : {64U, 256U, 1024U})
    measure(session, make_multiply_add(4 * sms, 256, rounds >> less / 4));
}

}  // namespace harvest
