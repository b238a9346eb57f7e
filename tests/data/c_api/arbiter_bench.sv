// Arbiters and a scheduler of stimuli/rtl, and a mutant of an arbiter, each beside the model's policy in a
// checker that is bound to it. The two round-robin arbiters get the same requests, and the bench prints the
// cycle in which they differ first, by itself.
module arbiter_bench;

  localparam int PORTS = 32;
  localparam int SLOTS = 64;
  localparam longint unsigned CYCLES = 10100;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [PORTS-1:0] requests = '0;
  logic [PORTS*5-1:0] ages = '0;
  logic [PORTS*5-1:0] age_planes;  // as the blocks want them: bit 0 of all first
  logic room = 1'b0;  // the output has room for the packet
  logic [4:0] grant, mutant_grant, oldest_grant;
  logic valid, mutant_valid, oldest_valid;
  logic [PORTS-1:0] taken, mutant_taken, oldest_taken;
  longint unsigned cycle = 0;
  longint first = -1;

  always #5 clk = ~clk;

  assign taken = (valid && room) ? PORTS'(1) << grant : '0;
  assign mutant_taken = (mutant_valid && room) ? PORTS'(1) << mutant_grant : '0;
  assign oldest_taken = (oldest_valid && room) ? PORTS'(1) << oldest_grant : '0;

  crossbar_round_robin #(.PORTS(PORTS)) arbiter (
      .clk, .rst_n, .requests_i(requests), .taken_i(taken), .grant_o(grant), .grant_valid_o(valid),
      .choices_o(), .grants_o());
  crossbar_mutant #(.PORTS(PORTS)) mutant (
      .clk, .rst_n, .requests_i(requests), .taken_i(mutant_taken), .grant_o(mutant_grant),
      .grant_valid_o(mutant_valid), .choices_o(), .grants_o());
  crossbar_oldest #(.PORTS(PORTS), .AGE_BITS(5)) oldest (
      .clk, .rst_n, .requests_i(requests), .ages_i(age_planes), .taken_i(oldest_taken), .grant_o(oldest_grant),
      .grant_valid_o(oldest_valid), .choices_o(), .grants_o());

  // A warp lives in each slot. Now and then one ends, and another one starts in its slot as the youngest.
  logic [SLOTS-1:0] candidates = '0;
  logic [SLOTS*6-1:0] ranks = '0;
  logic [SLOTS*6-1:0] rank_planes;
  logic [5:0] pick;
  logic pick_valid;
  logic [SLOTS-1:0] issued;

  always_comb begin
    for (int i = 0; i < PORTS; i++) for (int b = 0; b < 5; b++) age_planes[b*PORTS+i] = ages[i*5+b];
    for (int i = 0; i < SLOTS; i++) for (int b = 0; b < 6; b++) rank_planes[b*SLOTS+i] = ranks[i*6+b];
  end

  assign issued = pick_valid ? SLOTS'(1) << pick : '0;

  warp_greedy #(.SLOTS(SLOTS), .AGE_BITS(6)) scheduler (
      .clk, .rst_n, .candidates_i(candidates), .ages_i(rank_planes), .taken_i(issued), .pick_o(pick),
      .pick_valid_o(pick_valid), .choices_o(), .issues_o(), .repeats_o());

  initial for (int i = 0; i < SLOTS; i++) ranks[i*6+:6] = 6'(i);

  function automatic logic [SLOTS*6-1:0] restarted(input logic [SLOTS*6-1:0] old, input int slot);
    restarted = old;
    for (int i = 0; i < SLOTS; i++)
      if (old[i*6+:6] > old[slot*6+:6]) restarted[i*6+:6] = old[i*6+:6] - 6'd1;
    restarted[slot*6+:6] = 6'(SLOTS - 1);
  endfunction

  always @(posedge clk) begin
    if (rst_n && first < 0 && (valid != mutant_valid || (valid && grant != mutant_grant))) first = cycle;
    cycle <= cycle + 1;
    rst_n <= cycle >= 3;
    requests <= $urandom() & $urandom();
    for (int i = 0; i < PORTS; i++) ages[i*5+:5] <= 5'($urandom());
    room <= $urandom_range(3) != 0;
    candidates <= {$urandom(), $urandom()} & {$urandom(), $urandom()};
    if ($urandom_range(4) == 0) ranks <= restarted(ranks, $urandom_range(SLOTS - 1));
    if (cycle == CYCLES) begin
      $display("the arbiters differ first in cycle %0d", first);
      $finish;
    end
  end

endmodule

bind crossbar_round_robin heddle_arbiter_checker #(.THINGS(PORTS)) model (
    .clk(clk), .rst_n(rst_n), .ask_i(1'b1), .masks_i(requests_i), .numbers_i('0), .grant_i(grant_o),
    .grant_valid_i(grant_valid_o), .taken_i(taken_i));
bind crossbar_mutant heddle_arbiter_checker #(.THINGS(PORTS), .STOPS(1'b0)) model (
    .clk(clk), .rst_n(rst_n), .ask_i(1'b1), .masks_i(requests_i), .numbers_i('0), .grant_i(grant_o),
    .grant_valid_i(grant_valid_o), .taken_i(taken_i));
bind crossbar_oldest heddle_arbiter_checker #(
    .POLICY("oldest-first"), .THINGS(PORTS), .NUMBERS(1), .NUMBER_BITS(AGE_BITS), .PLANES(1'b1)) model (
    .clk(clk), .rst_n(rst_n), .ask_i(1'b1), .masks_i(requests_i), .numbers_i(ages_i), .grant_i(grant_o),
    .grant_valid_i(grant_valid_o), .taken_i(taken_i));
bind warp_greedy heddle_arbiter_checker #(
    .DECISION("warp_scheduler"), .POLICY("gto"), .THINGS(SLOTS), .MASKS(2), .MASK_NAMES("candidates,live"),
    .NUMBERS(1), .NUMBER_BITS(AGE_BITS), .PLANES(1'b1)) model (
    .clk(clk), .rst_n(rst_n), .ask_i(candidates_i != '0), .masks_i({{SLOTS{1'b1}}, candidates_i}),
    .numbers_i(ages_i), .grant_i(pick_o), .grant_valid_i(pick_valid_o), .taken_i(taken_i));
