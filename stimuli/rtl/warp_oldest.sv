// A warp scheduler: the candidate that started first issues.
module warp_oldest #(
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
    output logic [63:0]               issues_o       // counts cycles in which a warp issued
);

  oldest_of #(.WIDTH(SLOTS), .AGE_BITS(AGE_BITS), .INDEX_BITS($clog2(SLOTS))) search (
      .asks_i(candidates_i), .ages_i(ages_i), .index_o(pick_o));

  assign pick_valid_o = candidates_i != '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      choices_o <= '0;
      issues_o  <= '0;
    end else begin
      if (candidates_i != '0) choices_o <= choices_o + 64'd1;
      if (taken_i != '0) issues_o <= issues_o + 64'd1;
    end
  end

endmodule
