// A warp scheduler: greedy, then oldest. The slot that issued last issues again while its warp can; otherwise
// the candidate that started first issues.
//
// The unit remembers the slot and not the warp. A warp that starts in the slot of a warp that has ended is
// preferred as that warp was.
module warp_greedy #(
    parameter int SLOTS = 64,
    parameter int AGE_BITS = 6
) (
    input  logic                      clk,
    input  logic                      rst_n,
    input  logic [SLOTS-1:0]          candidates_i,  // warps that can issue
    input  logic [SLOTS*AGE_BITS-1:0] ages_i,        // rank of each slot's warp by its start; 0: the oldest
    input  logic [SLOTS-1:0]          taken_i,       // one hot: the warp that issues in this cycle; 0: none
    output logic [$clog2(SLOTS)-1:0]  pick_o,
    output logic                      pick_valid_o,  // there is a candidate
    output logic [63:0]               choices_o,     // counts cycles with a candidate
    output logic [63:0]               issues_o,      // counts cycles in which a warp issued
    output logic [63:0]               repeats_o      // counts those in which the slot is that of the last issue
);

  localparam int INDEX_BITS = $clog2(SLOTS);

  logic [SLOTS-1:0]      last;    // one hot: the slot that issued last
  logic [INDEX_BITS-1:0] greedy;  // its index
  logic [INDEX_BITS-1:0] oldest;  // the candidate that started first

  oldest_of #(.WIDTH(SLOTS), .AGE_BITS(AGE_BITS), .INDEX_BITS(INDEX_BITS)) search (
      .asks_i(candidates_i), .ages_i(ages_i), .index_o(oldest));

  index_of #(.WIDTH(SLOTS), .INDEX_BITS(INDEX_BITS)) number (.one_hot_i(last), .index_o(greedy));

  assign pick_o       = ((candidates_i & last) != '0) ? greedy : oldest;
  assign pick_valid_o = candidates_i != '0;

  // Slot 0 counts as the last one before any warp has issued.
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      last      <= SLOTS'(1);
      choices_o <= '0;
      issues_o  <= '0;
      repeats_o <= '0;
    end else begin
      if (candidates_i != '0) choices_o <= choices_o + 64'd1;
      if (taken_i != '0) begin
        last     <= taken_i;
        issues_o <= issues_o + 64'd1;
        if (taken_i == last) repeats_o <= repeats_o + 64'd1;
      end
    end
  end

endmodule
