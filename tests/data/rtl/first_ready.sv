// The bank that gets the command slot: column commands first, and among the banks of a kind the one whose next request
// is the oldest.
module first_ready #(
    parameter int BANKS = 64,
    parameter int AGE_BITS = 6
) (
    input  logic                      clk,
    input  logic [BANKS-1:0]          columns_i,
    input  logic [BANKS-1:0]          activates_i,
    input  logic [BANKS-1:0]          precharges_i,
    input  logic [BANKS*AGE_BITS-1:0] ages_i,  // bit 0 of all ages first
    output logic [BANKS-1:0]          bank_mask_o
);

  logic unused;
  assign unused = clk;

  always_comb begin
    bank_mask_o = (columns_i != '0) ? columns_i : activates_i | precharges_i;
    for (int i = AGE_BITS - 1; i >= 0; i--) begin
      if ((bank_mask_o & ~ages_i[i*BANKS+:BANKS]) != '0) bank_mask_o &= ~ages_i[i*BANKS+:BANKS];
    end
  end

endmodule
