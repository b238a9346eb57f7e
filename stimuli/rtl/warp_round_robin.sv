// A warp scheduler: loose round robin. The next candidate by slot issues, after the slot that issued last.
module warp_round_robin #(
    parameter int SLOTS = 64
) (
    input  logic                     clk,
    input  logic                     rst_n,
    input  logic [SLOTS-1:0]         candidates_i,  // warps that can issue
    input  logic [SLOTS-1:0]         taken_i,       // one hot: the warp that issues in this cycle; 0: none
    output logic [$clog2(SLOTS)-1:0] pick_o,
    output logic                     pick_valid_o,  // there is a candidate
    output logic [63:0]              choices_o,     // counts cycles with a candidate
    output logic [63:0]              issues_o       // counts cycles in which a warp issued
);

  logic [SLOTS-1:0] last;  // one hot: the slot that issued last

  first_after #(.WIDTH(SLOTS), .INDEX_BITS($clog2(SLOTS))) search (
      .bits_i(candidates_i), .position_i(last), .index_o(pick_o));

  assign pick_valid_o = candidates_i != '0;

  // The highest slot counts as the last one before any warp has issued, so the search begins at slot 0.
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      last      <= {1'b1, {(SLOTS - 1) {1'b0}}};
      choices_o <= '0;
      issues_o  <= '0;
    end else begin
      if (candidates_i != '0) choices_o <= choices_o + 64'd1;
      if (taken_i != '0) begin
        last     <= taken_i;
        issues_o <= issues_o + 64'd1;
      end
    end
  end

endmodule
