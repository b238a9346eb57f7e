// The arbiter of one output of a crossbar: the request that was issued first. Of requests that were issued in
// the same cycle, the lowest input is granted.
module crossbar_oldest #(
    parameter int PORTS = 32,
    parameter int AGE_BITS = 5
) (
    input  logic                      clk,
    input  logic                      rst_n,
    input  logic [PORTS-1:0]          requests_i,     // inputs whose packet wants this output
    input  logic [PORTS*AGE_BITS-1:0] ages_i,         // rank of each request by its issue; 0: the oldest
    input  logic [PORTS-1:0]          taken_i,        // one hot: the input that is granted; 0: none
    output logic [$clog2(PORTS)-1:0]  grant_o,
    output logic                      grant_valid_o,  // there is a request
    output logic [63:0]               choices_o,      // counts cycles with a request
    output logic [63:0]               grants_o        // counts cycles with a grant
);

  oldest_of #(.WIDTH(PORTS), .AGE_BITS(AGE_BITS), .INDEX_BITS($clog2(PORTS))) search (
      .asks_i(requests_i), .ages_i(ages_i), .index_o(grant_o));

  assign grant_valid_o = requests_i != '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      choices_o <= '0;
      grants_o  <= '0;
    end else begin
      if (requests_i != '0) choices_o <= choices_o + 64'd1;
      if (taken_i != '0) grants_o <= grants_o + 64'd1;
    end
  end

endmodule
