// The arbiter of one output of a crossbar: round robin from the input after the one that was granted last. A
// packet for which the output has no room is asked for again, so only a grant moves the position.
module crossbar_round_robin #(
    parameter int PORTS = 32
) (
    input  logic                     clk,
    input  logic                     rst_n,
    input  logic [PORTS-1:0]         requests_i,     // inputs whose packet wants this output
    input  logic [PORTS-1:0]         taken_i,        // one hot: the input that is granted; 0: none
    output logic [$clog2(PORTS)-1:0] grant_o,
    output logic                     grant_valid_o,  // there is a request
    output logic [63:0]              choices_o,      // counts cycles with a request
    output logic [63:0]              grants_o        // counts cycles with a grant
);

  logic [PORTS-1:0] last;  // one hot: the input that was granted last

  first_after #(.WIDTH(PORTS), .INDEX_BITS($clog2(PORTS))) search (
      .bits_i(requests_i), .position_i(last), .index_o(grant_o));

  assign grant_valid_o = requests_i != '0;

  // The highest input counts as the last one before the first grant, so the search begins at input 0.
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      last      <= {1'b1, {(PORTS - 1) {1'b0}}};
      choices_o <= '0;
      grants_o  <= '0;
    end else begin
      if (requests_i != '0) choices_o <= choices_o + 64'd1;
      if (taken_i != '0) begin
        last     <= taken_i;
        grants_o <= grants_o + 64'd1;
      end
    end
  end

endmodule
