// Heddle for an HDL simulator: the functions of c_api.h by DPI. Link or load libheddle_c.so.
package heddle_pkg;

  // Results. What a function gives through an output counts only after HEDDLE_OK.
  // verilator lint_off UNUSEDPARAM
  localparam int HEDDLE_OK = 0;
  localparam int HEDDLE_DONE = 1;
  localparam int HEDDLE_BUSY = 2;
  localparam int HEDDLE_BAD_CALL = -1;
  localparam int HEDDLE_FAILED = -2;
  // verilator lint_on UNUSEDPARAM

  import "DPI-C" function int heddle_api_version();
  import "DPI-C" function string heddle_error(input int handle);
  import "DPI-C" function int heddle_close(input int handle);
  import "DPI-C" function int heddle_reset(input int handle);
  import "DPI-C" function string heddle_list(input int handle, input string what);

  // A machine.
  import "DPI-C" function int heddle_open(input string experiment, input string options);
  import "DPI-C" function int heddle_step(input int handle, input longint unsigned cycles);
  import "DPI-C" function int heddle_run(input int handle, input longint unsigned cycle);
  import "DPI-C" function int heddle_now(input int handle, input string clock, output longint unsigned cycle);
  import "DPI-C" function int heddle_counter(
      input int handle, input string name, output longint unsigned value);

  // A block of the memory path, alone.
  import "DPI-C" function int heddle_boundary_open(input string platform, input string block, input string options);
  import "DPI-C" function int heddle_boundary_send(
      input int handle, input longint unsigned id, input longint unsigned address, input int unsigned bytes,
      input int write);
  import "DPI-C" function int heddle_boundary_take(input int handle, output longint unsigned id);

  // A policy of the model, alone.
  import "DPI-C" function int heddle_policy_open(
      input string decision, input string policy, input int unsigned things);
  import "DPI-C" function int heddle_policy_set(
      input int handle, input string signal, input int unsigned element, input longint value);
  import "DPI-C" function int heddle_policy_choose(input int handle, output longint choice);
  import "DPI-C" function int heddle_policy_get(
      input int handle, input string signal, input int unsigned element, output longint value);
  import "DPI-C" function int heddle_policy_tick(input int handle);

  // The name at this place of a list such as "columns,activates".
  function automatic string heddle_name_at(input string list, input int place);
    int begin_at = 0;
    int found = 0;
    for (int i = 0; i <= list.len(); i++) begin
      if (i == list.len() || list.getc(i) == ",") begin
        if (found == place) return list.substr(begin_at, i - 1);
        found++;
        begin_at = i + 1;
      end
    end
    return "";
  endfunction

endpackage
