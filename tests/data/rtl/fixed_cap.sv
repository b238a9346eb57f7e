// A cap of blocks that never changes. The block counts the slices that have come.
module fixed_cap #(
    parameter int BLOCKS = 2
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [1:0]  event_i,
    output logic [31:0] cap_o,
    output logic        settled_o,
    output logic [31:0] slices_o
);

  assign cap_o = 32'(BLOCKS);
  assign settled_o = 1'b1;

  always_ff @(posedge clk) begin
    if (rst) slices_o <= '0;
    else if (event_i == 2'd1) slices_o <= slices_o + 32'd1;
  end

endmodule
