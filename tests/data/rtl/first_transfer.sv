// The oldest transfer of a DMA engine. The block counts the bursts that the engine has sent.
module first_transfer #(
    parameter int TRANSFERS = 64
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [TRANSFERS-1:0] transfers_i,
    input  logic [TRANSFERS-1:0] taken_i,
    output logic [TRANSFERS-1:0] transfer_mask_o,
    output logic [31:0]          bursts_o
);

  assign transfer_mask_o = transfers_i & (~transfers_i + TRANSFERS'(1));

  always_ff @(posedge clk) begin
    if (rst) bursts_o <= '0;
    else if (taken_i != '0) bursts_o <= bursts_o + 32'd1;
  end

endmodule
