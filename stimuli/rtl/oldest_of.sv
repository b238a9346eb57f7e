// The requester with the smallest age among those that ask. Of equal ages the lower number wins.
//
// The ages are compared bit by bit, the highest bit first: if a requester that is left has a 0 there, all that
// have a 1 drop out. Bit planes make each of these steps one operation on whole vectors.
module oldest_of #(
    parameter int WIDTH = 64,
    parameter int AGE_BITS = 6,
    parameter int INDEX_BITS = 6  // enough for WIDTH - 1
) (
    input  logic [WIDTH-1:0]          asks_i,
    input  logic [WIDTH*AGE_BITS-1:0] ages_i,  // bit 0 of all ages, requester 0 in the lowest bit, then bit 1
    output logic [INDEX_BITS-1:0]     index_o  // 0 if nobody asks
);

  logic [WIDTH-1:0] left;    // requesters that have not dropped out
  logic [WIDTH-1:0] zeros;   // of these, those that have a 0 in this bit of their age
  logic [WIDTH-1:0] oldest;  // one hot

  always_comb begin
    left = asks_i;
    zeros = '0;
    for (int i = AGE_BITS - 1; i >= 0; i--) begin
      zeros = left & ~ages_i[i*WIDTH+:WIDTH];
      if (zeros != '0) left = zeros;
    end
    oldest = left & (~left + WIDTH'(1));
  end

  index_of #(.WIDTH(WIDTH), .INDEX_BITS(INDEX_BITS)) number (.one_hot_i(oldest), .index_o(index_o));

endmodule
