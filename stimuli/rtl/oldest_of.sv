// The requester with the smallest age among those that ask, as a tree of comparators. Of equal ages the lower
// number wins.
//
// The nodes of the tree are numbered like a heap: node 1 is the root, the children of node n are 2n and
// 2n + 1, and the requesters are the last nodes. The left child therefore always stands for lower numbers.
module oldest_of #(
    parameter int WIDTH = 64,
    parameter int AGE_BITS = 6,
    parameter int INDEX_BITS = 6  // enough for WIDTH - 1
) (
    input  logic [WIDTH-1:0]          asks_i,
    input  logic [WIDTH*AGE_BITS-1:0] ages_i,  // requester 0 in the lowest bits
    output logic [INDEX_BITS-1:0]     index_o  // 0 if nobody asks
);

  localparam int LEAVES = 1 << INDEX_BITS;

  // Of each node: whether a requester below it asks, and the oldest of these.
  logic                  asks [2*LEAVES];
  logic [AGE_BITS-1:0]   age  [2*LEAVES];
  logic [INDEX_BITS-1:0] index[2*LEAVES];

  always_comb begin
    for (int i = 0; i < LEAVES; i++) begin
      asks[LEAVES+i]  = i < WIDTH && asks_i[i];
      age[LEAVES+i]   = i < WIDTH ? ages_i[i*AGE_BITS+:AGE_BITS] : '0;
      index[LEAVES+i] = INDEX_BITS'(i);
    end
    for (int n = LEAVES - 1; n >= 1; n--) begin
      asks[n] = asks[2*n] || asks[2*n+1];
      if (asks[2*n+1] && (!asks[2*n] || age[2*n+1] < age[2*n])) begin
        age[n]   = age[2*n+1];
        index[n] = index[2*n+1];
      end else begin
        age[n]   = age[2*n];
        index[n] = index[2*n];
      end
    end
    index_o = asks[1] ? index[1] : '0;
  end

endmodule
