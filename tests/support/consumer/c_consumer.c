/* A program in C that runs an experiment of the installed data through the C interface. */
#include <heddle/c_api.h>
#include <stdio.h>

int main(void) {
  const int machine = heddle_open("vector_add", "--platform gtx480\n--set parameters.n=4096");
  uint64_t cycles = 0;
  if (machine == 0 || heddle_run(machine, 0) != HEDDLE_DONE ||
      heddle_counter(machine, "gpu.engine.active_cycles", &cycles) != HEDDLE_OK) {
    fprintf(stderr, "%s\n", heddle_error(machine));
    return 1;
  }
  printf("vector_add: %s\n", cycles > 1000 ? "more than 1000 cycles" : "too few cycles");
  return heddle_close(machine);
}
