// The first set bit of a vector after a position, with a wrap to the lowest set bit.
//
// This needs two searches for a lowest set bit: one among the bits after the position, and one among all bits.
// The first search counts if it finds something.
module first_after #(
    parameter int WIDTH = 64,
    parameter int INDEX_BITS = 6  // enough for WIDTH - 1
) (
    input  logic [WIDTH-1:0]      bits_i,
    input  logic [WIDTH-1:0]      position_i,  // one hot
    output logic [INDEX_BITS-1:0] index_o      // 0 if no bit is set
);

  logic [WIDTH-1:0] after;   // the bits after the position
  logic [WIDTH-1:0] asked;   // the bits of the search that counts
  logic [WIDTH-1:0] lowest;  // one hot: the lowest of them

  always_comb begin
    after  = bits_i & ~(position_i | (position_i - WIDTH'(1)));
    asked  = (after != '0) ? after : bits_i;
    lowest = asked & (~asked + WIDTH'(1));
  end

  index_of #(.WIDTH(WIDTH), .INDEX_BITS(INDEX_BITS)) number (.one_hot_i(lowest), .index_o(index_o));

endmodule
