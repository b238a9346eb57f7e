// A queue whose front is seen in the tick after the push.
module word_queue #(
    parameter int BITS = 8,
    parameter int DEPTH = 8
) (
    input  logic                     clk,
    input  logic                     rst_n,
    input  logic                     push,
    input  logic [BITS-1:0]          data,
    input  logic                     pop,
    output logic [BITS-1:0]          front,
    output logic [$clog2(DEPTH+1)-1:0] count
);
  logic [BITS-1:0] words[DEPTH];  // the front is word 0
  assign front = words[0];
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      count <= '0;
    end else begin
      count <= count + $bits(count)'(push) - $bits(count)'(pop);
    end
    for (int i = 0; i < DEPTH; i++) begin
      if (push && i == int'(count) - int'(pop)) words[i] <= data;
      else if (pop && i + 1 < DEPTH) words[i] <= words[i+1];
    end
  end
endmodule
