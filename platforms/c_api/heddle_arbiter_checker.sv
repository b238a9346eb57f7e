// Compares an arbiter or a scheduler in RTL with a policy of the model, cycle by cycle. It is bound to the RTL:
//
//   bind my_arbiter heddle_arbiter_checker #(.THINGS(32), .NUMBERS(1), .NUMBER_BITS(5)) model (
//       .clk(clk), .rst_n(rst_n), .ask_i(1'b1),
//       .masks_i(req_i), .numbers_i(ages_i), .grant_i(grant_o), .grant_valid_i(|req_i), .taken_i(taken_i));
//
// At each rising edge of the clock outside of the reset in which `ask_i` is 1, the policy gets the inputs and
// chooses. Its choice is compared with the grant; a grant that is not valid is none. The policy then learns
// from `taken_i` what was done, so it follows the RTL after a difference. The first difference is
// printed with the cycle and both choices, and is an error; those that follow are counted.
module heddle_arbiter_checker
  import heddle_pkg::*;
#(
    parameter string DECISION = "crossbar_arbiter",
    parameter string POLICY = "round-robin",  // a name, or {name: ..., parameter: value}
    parameter int THINGS = 32,                // what is chosen from: bits of a mask
    // Masks of the role, in the order of `masks_i` from its lowest bits on.
    parameter int MASKS = 1,
    parameter string MASK_NAMES = "requests",
    // Numbers of the role, each with THINGS elements of NUMBER_BITS bits, in the order of `numbers_i`. With 0
    // the policy gets no numbers, and `numbers_i` is tied to 0.
    parameter int NUMBERS = 0,
    parameter string NUMBER_NAMES = "ages",
    parameter int NUMBER_BITS = 1,
    parameter bit SIGNED_NUMBERS = 1'b0,
    parameter bit PLANES = 1'b0,  // bit 0 of all elements comes first, then bit 1 of all, and so on
    parameter int GRANT_BITS = THINGS > 1 ? $clog2(THINGS) : 1,
    parameter bit STOPS = 1'b1  // the first difference is a $error, too; else it is only printed
) (
    input logic                                                          clk,
    input logic                                                          rst_n,
    input logic                                                          ask_i,
    input logic [MASKS*THINGS-1:0]                                       masks_i,
    input logic [(NUMBERS > 0 ? NUMBERS : 1)*THINGS*NUMBER_BITS-1:0]     numbers_i,
    input logic [GRANT_BITS-1:0]                                         grant_i,
    input logic                                                          grant_valid_i,
    input logic [THINGS-1:0]                                             taken_i  // one hot, or 0
);

  // The checker is no hardware: its variables change at once.
  // verilator lint_off BLKSEQ
  int handle;
  string mask_names[MASKS];
  string number_names[NUMBERS > 0 ? NUMBERS : 1];
  longint unsigned cycles;       // rising edges since the start of the simulation
  longint unsigned choices;      // those in which the policy was asked
  longint unsigned differences;
  longint unsigned first_cycle;  // of the first difference

  initial begin
    handle = heddle_policy_open(DECISION, POLICY, THINGS);
    if (handle == 0) $fatal(1, "heddle: %s", heddle_error(0));
    for (int i = 0; i < MASKS; i++) mask_names[i] = heddle_name_at(MASK_NAMES, i);
    for (int i = 0; i < NUMBERS; i++) number_names[i] = heddle_name_at(NUMBER_NAMES, i);
  end

  function automatic void must(input int result);
    if (result != HEDDLE_OK) $fatal(1, "heddle: %s", heddle_error(handle));
  endfunction

  function automatic void set_mask(input string name, input logic [THINGS-1:0] mask);
    logic [THINGS-1:0] rest;
    rest = mask;
    for (int word = 0; word * 64 < THINGS; word++) begin
      must(heddle_policy_set(handle, name, word, 64'(rest)));
      rest = rest >> 64;
    end
  endfunction

  function automatic void set_numbers(input string name, input logic [THINGS*NUMBER_BITS-1:0] numbers);
    for (int i = 0; i < THINGS; i++) begin
      logic [NUMBER_BITS-1:0] number;
      for (int b = 0; b < NUMBER_BITS; b++) number[b] = PLANES ? numbers[b*THINGS+i] : numbers[i*NUMBER_BITS+b];
      must(heddle_policy_set(handle, name, i, SIGNED_NUMBERS ? 64'($signed(number)) : 64'(number)));
    end
  endfunction

  function automatic void report_difference(input longint wanted, input longint granted);
    differences++;
    if (differences > 1) return;
    first_cycle = cycles;
    $display("%m: cycle %0d: the model's %s chooses %0d, the RTL %0d; masks %h", cycles, POLICY, wanted, granted,
             masks_i);
    if (STOPS) $error("the RTL differs from the model");
  endfunction

  function automatic void ask();
    longint wanted;
    longint granted;
    for (int i = 0; i < MASKS; i++) set_mask(mask_names[i], masks_i[i*THINGS+:THINGS]);
    for (int i = 0; i < NUMBERS; i++)
      set_numbers(number_names[i], numbers_i[i*THINGS*NUMBER_BITS+:THINGS*NUMBER_BITS]);
    must(heddle_policy_choose(handle, wanted));
    granted = grant_valid_i ? 64'(grant_i) : -64'sd1;
    choices++;
    if (wanted != granted) report_difference(wanted, granted);
    set_mask("taken", taken_i);
    must(heddle_policy_tick(handle));
  endfunction

  always @(posedge clk) begin
    if (!rst_n) must(heddle_reset(handle));
    else if (ask_i) ask();
    cycles++;
  end

  final begin
    if (differences == 0) $display("%m: %0d choices, no difference", choices);
    else $display("%m: %0d choices, %0d differences, the first in cycle %0d", choices, differences, first_cycle);
  end

endmodule
