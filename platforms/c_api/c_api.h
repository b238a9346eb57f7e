/* The C interface of Heddle for somebody else's simulator: an HDL simulator through DPI, a Python script, a
 * program in any language that calls C. It has handles, integers and strings only. Installed, it is
 * <heddle/c_api.h>, and the library is libheddle_c.so.
 *
 *   int machine = heddle_open("vector_add", "--platform gtx480");
 *   if (machine == 0) fail(heddle_error(0));
 *   while (heddle_step(machine, 1000) == HEDDLE_OK) { ... }
 *   uint64_t cycles;
 *   heddle_counter(machine, "gpu.engine.active_cycles", &cycles);
 *   heddle_close(machine);
 *
 * A handle is a number above zero, and no number is used twice. Calls are made by one thread at a time. A
 * function that returns a result returns one of enum heddle_result; what it writes through a pointer is
 * unchanged unless the result is HEDDLE_OK. No exception leaves the library, and nothing is printed but
 * the log's warnings.
 */
#ifndef HEDDLE_C_API_H
#define HEDDLE_C_API_H

/* NOLINTBEGIN: this is C, and the linter knows C++. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version counts changes that an older caller would misunderstand; a new function does not change it. */
#define HEDDLE_C_API_VERSION 1

enum heddle_result {
  HEDDLE_OK = 0,
  HEDDLE_DONE = 1,      /* the run has reached its end */
  HEDDLE_BUSY = 2,      /* a boundary takes no request now, or has no response now */
  HEDDLE_BAD_CALL = -1, /* an argument or the time of the call is wrong; nothing has changed */
  HEDDLE_FAILED = -2    /* the simulation has failed; the handle is fit for reading and heddle_close() */
};

#if defined(__GNUC__)
#define HEDDLE_C_API __attribute__((visibility("default")))
#else
#define HEDDLE_C_API
#endif

HEDDLE_C_API int heddle_api_version(void); /* HEDDLE_C_API_VERSION of the library */

/* Returns the message of the handle's last call that did not go well, or "". Handle 0 has the message of the
 * last open that failed, and of the last call with a handle that is none. It is valid until the next call. */
HEDDLE_C_API const char* heddle_error(int handle);

HEDDLE_C_API int heddle_close(int handle);

/* Starts over: a machine or a boundary as after its open, at cycle 0 and with counters of zero; a policy
 * without memory. */
HEDDLE_C_API int heddle_reset(int handle);

/* Returns a table as text, a line for each entry and tabs between columns, or null after an error. It is
 * valid until the next call.
 *   "counters" of machines and boundaries: name, unit, description
 *   "clocks" of machines and boundaries: name, frequency in hertz
 *   "signals" of policies: name, in or out, kind, elements, description */
HEDDLE_C_API const char* heddle_list(int handle, const char* what);

/* --- A machine: a GPU with the applications of an experiment. ---
 * SystemC elaborates once in a process, so a process opens one machine, and nothing else with a time.
 * heddle_reset() runs it again. */

/* Opens an experiment, which is what `heddle run` takes: a name, a YAML file, a kernels list of traces, a
 * launch file, a captured program. `options` has an option of `heddle run` on each line, without quotes:
 *   --set sm.count=8      --policy sm_partitioner=token      --platform gtx480      --seed 3
 *   --variant token       which of the experiment's runs, by its label or its number from 1; required if
 *                         there are several
 * Null is no option. Returns 0 after an error. */
HEDDLE_C_API int heddle_open(const char* experiment, const char* options);

/* Simulates `cycles` core cycles of a machine, or cycles of the block's clock of a boundary. Returns
 * HEDDLE_DONE if a machine's run ends within them, which stops the clock there, or has ended before. A
 * machine that stands at a cycle has finished the cycles before it. */
HEDDLE_C_API int heddle_step(int handle, uint64_t cycles);

/* Simulates to this core cycle, or to the end of the run if it is 0. */
HEDDLE_C_API int heddle_run(int handle, uint64_t cycle);

/* Gives the cycle at which a clock domain stands, and the value of a counter by its path in stats.json. */
HEDDLE_C_API int heddle_now(int handle, const char* clock, uint64_t* cycle);
HEDDLE_C_API int heddle_counter(int handle, const char* name, uint64_t* value);

/* --- A boundary: a block of the memory path alone, in lockstep with somebody else's block. ---
 * The caller sends requests between two cycles, steps, and takes the responses that have come. A process may
 * have several boundaries, all opened before its first step. Their time is one: a step of one of them is a
 * step of all, so requests are sent to all of them before it. */

/* Opens "l2_0" to "l2_N", a slice of the L2 cache before a memory that answers in order after a fixed number
 * of cycles, or "dram0" to "dramN", a memory channel. `platform` is a name or a YAML file. `options` are, one
 * on each line: --set and --policy of `heddle run`, and --latency 100, of the memory behind a slice in cycles
 * of the L2's clock. Null is no option. Returns 0 after an error. The clock is "l2" or "dram". */
HEDDLE_C_API int heddle_boundary_open(const char* platform, const char* block, const char* options);

/* Sends a request in the cycle that comes next. Returns HEDDLE_BUSY if the block takes none then: one request
 * a cycle, no room, or 1024 requests whose responses were not taken. The bytes are whole sectors of 32 bytes
 * within a line of 128 bytes, for a channel within a burst. The address is physical and belongs to the block.
 * `write` is 0 or 1. */
HEDDLE_C_API int heddle_boundary_send(int handle, uint64_t id, uint64_t address, uint32_t bytes, int write);

/* Gives the id of the oldest response that was not taken, or returns HEDDLE_BUSY. A response comes in the
 * cycle in which whoever sends requests sees it, and can be taken after that cycle. */
HEDDLE_C_API int heddle_boundary_take(int handle, uint64_t* id);

/* --- A policy of the model, alone: the reference of an arbiter or a scheduler in RTL. ---
 * It has the signals of the role that a block in RTL has for the decision: `heddle list rtl-roles` and
 * heddle_list() describe them. A tick: set the inputs, choose, read the outputs, set `taken`, tick. */

/* `policy` is a name, or {name: fr-fcfs-cap, cap: 8}. `things` is what it chooses from: the bits of the
 * role's masks. Returns 0 after an error. */
HEDDLE_C_API int heddle_policy_open(const char* decision, const char* policy, uint32_t things);

/* Sets an element of an input, which keeps its value until it is set again; `taken`, `started` and `ended`
 * are zero after each tick. Of a mask, element 0 has the things 0 to 63 as bits, element 1 the next ones. Of
 * numbers, element i is that of thing i. A flag or a number has element 0. */
HEDDLE_C_API int heddle_policy_set(int handle, const char* signal, uint32_t element, int64_t value);

/* Gives the thing that the policy chooses for the present inputs, or -1 for none. It is called at most once
 * in a tick. */
HEDDLE_C_API int heddle_policy_choose(int handle, int64_t* choice);

/* Reads an input, or an output of the last choice. */
HEDDLE_C_API int heddle_policy_get(int handle, const char* signal, uint32_t element, int64_t* value);

/* Ends the tick. The policy learns from the mask `taken` what was done: one bit, or zero for nothing. With
 * what an RTL block has chosen in `taken`, the policy follows the block. */
HEDDLE_C_API int heddle_policy_tick(int handle);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif
