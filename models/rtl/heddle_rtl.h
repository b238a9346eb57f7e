/* The C interface of a library that holds one RTL block, such as one that Verilator made. Heddle loads the
 * library at run time. The library exports one function, heddle_rtl(), and hides every other symbol, so that
 * libraries that were made by different tools can be loaded side by side. Anything may implement the
 * interface.
 *
 * A library holds any number of instances of its block. Instances share nothing that changes. An instance is
 * used by one thread at a time.
 *
 * A tick of a clock is two evaluations. The caller sets the inputs and the clock low and calls eval(), so
 * that combinational outputs follow. It then sets the clock high, and perhaps inputs that depend on those
 * outputs, and calls eval() again: the registers take what the inputs of this evaluation give.
 */
#ifndef HEDDLE_RTL_H
#define HEDDLE_RTL_H

/* NOLINTBEGIN: this is C, and the linter knows C++. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version counts changes that an older reader would misunderstand. A field that is added at the end of a
 * struct changes its size and not the version. */
#define HEDDLE_RTL_VERSION 1

enum heddle_rtl_direction {
  HEDDLE_RTL_INPUT = 0,   /* a pin that the caller writes */
  HEDDLE_RTL_OUTPUT = 1,  /* a pin that the caller reads after eval() */
  HEDDLE_RTL_INTERNAL = 2 /* a published variable inside the block, which the caller only reads */
};

/* A pin or a published variable of one instance. The value lies in words of `word_bytes` bytes, 1, 2, 4 or 8,
 * in the host's byte order, the lowest bits first. There is one word if `bits` fits one, and more only with
 * words of 4 bytes. Bits above `bits` are zero; the caller keeps them so in inputs. */
typedef struct heddle_rtl_signal {
  const char*
      name; /* a pin by its name, such as "req_i"; a variable by scopes below the top, such as "fifo.count" */
  uint32_t bits; /* 1 or more */
  uint32_t word_bytes;
  uint32_t direction; /* heddle_rtl_direction */
  uint32_t reserved;  /* 0 */
  void* value;        /* valid until destroy() */
} heddle_rtl_signal;

typedef struct heddle_rtl_block heddle_rtl_block; /* an instance; the library defines it */

/* Functions that return int return 0 on success. After another value message() says what happened, and the
 * instance is fit only for message() and destroy(). No function throws, aborts or exits. */
typedef struct heddle_rtl_api {
  uint32_t version; /* HEDDLE_RTL_VERSION */
  uint32_t size;    /* sizeof(heddle_rtl_api) when the library was made */
  const char* top;  /* name of the top module */
  const char* tool; /* what made the library, such as "Verilator 5.006" */

  /* Makes an instance, or returns null if memory is short. What the RTL does not reset gets values that
   * depend on the seed alone. The instance has not been evaluated. */
  heddle_rtl_block* (*create)(uint64_t seed);
  void (*destroy)(heddle_rtl_block* block);
  int (*eval)(heddle_rtl_block* block);
  /* Returns the signals of the instance and their number, always in the same order. */
  const heddle_rtl_signal* (*signals)(heddle_rtl_block* block, size_t* count);
  /* Begins a waveform in a file, whose format the ending says (.vcd or .fst) if the library supports it. It
   * follows create() before the first eval(). trace_dump() writes what has changed, at a time in picoseconds
   * that never decreases. The three are null if the library has no waveforms. */
  int (*trace_open)(heddle_rtl_block* block, const char* file);
  int (*trace_dump)(heddle_rtl_block* block, uint64_t time_ps);
  int (*trace_close)(heddle_rtl_block* block);
  /* Returns the message of the last error with the RTL's file and line where they are known; "" without one.
   * It is valid until the next call for the instance. */
  const char* (*message)(heddle_rtl_block* block);
} heddle_rtl_api;

/* The exported function. Its result is valid while the library is loaded. */
typedef const heddle_rtl_api* (*heddle_rtl_entry)(void);
#define HEDDLE_RTL_ENTRY "heddle_rtl"
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const heddle_rtl_api*
heddle_rtl(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif
