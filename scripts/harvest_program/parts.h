#pragma once
// The parts of the harvest, each in a file of its own. A part writes its rows in a fixed order.

#include "scripts/harvest_program/session.h"

namespace harvest {

void measure_launches(Session& session);
void measure_memory(Session& session);
void measure_atomics(Session& session);
void measure_instructions(Session& session);
void measure_kernels(Session& session);
void measure_programs(Session& session);
void measure_pairs(Session& session);
void measure_starts(Session& session);
void measure_processes(Session& session);

// The program as a second process, which measure_processes starts. Returns the exit code.
int run_child(const char* task, bool quick);

}  // namespace harvest
