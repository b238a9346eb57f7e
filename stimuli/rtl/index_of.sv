// The number of the bit that is set in a vector with at most one bit set.
//
// Bit k of the number is set if the bit that is set is one of those whose number has bit k. These are constants.
module index_of #(
    parameter int WIDTH = 64,
    parameter int INDEX_BITS = 6  // enough for WIDTH - 1
) (
    input  logic [WIDTH-1:0]      one_hot_i,
    output logic [INDEX_BITS-1:0] index_o  // 0 if no bit is set
);

  // The bits whose number has bit k.
  function automatic logic [WIDTH-1:0] with_bit(int k);
    logic [WIDTH-1:0] bits;
    for (int i = 0; i < WIDTH; i++) bits[i] = ((i >> k) & 1) != 0;
    return bits;
  endfunction

  for (genvar k = 0; k < INDEX_BITS; k++) begin : number
    localparam logic [WIDTH-1:0] BITS = with_bit(k);
    assign index_o[k] = (one_hot_i & BITS) != '0;
  end

endmodule
