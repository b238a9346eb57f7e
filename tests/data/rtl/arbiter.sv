// A round-robin arbiter whose grants are counted inside, for tests of the libraries that Heddle makes.
`include "arbiter_width.svh"

module grant_counter #(
    parameter int WIDTH = 16
) (
    input logic clk,
    input logic rst_n,
    input logic step
);
  logic [WIDTH-1:0] count;
  logic [95:0] history;  // not reset
  always_ff @(posedge clk)
    if (!rst_n) count <= '0;
    else if (step) count <= count + 1'b1;
  always_ff @(posedge clk) if (step) history <= {history[94:0], step};
endmodule

module arbiter #(
    parameter int PORTS = 4
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic [PORTS-1:0] req_i,
    input  logic             enable_i,
    input  logic [2:0]       fault_i,
    input  logic [129:0]     wide_i,
    input  logic [3:0]       lanes_i [2],
    output logic [PORTS-1:0] grant_o,
    output logic [129:0]     wide_o,
    output logic [3:0]       sum_o,
    output logic [`ARBITER_WIDTH-1:0] width_o,
    output logic             loop_o
);
  logic [PORTS-1:0] last;
  always_comb begin
    grant_o = '0;
    for (int unsigned i = 0; i < 2 * PORTS; i++)
      if (grant_o == '0 && enable_i && req_i[i % PORTS] && (i >= PORTS || (PORTS'(1) << i) > last))
        grant_o[i % PORTS] = 1'b1;
  end
  always_ff @(posedge clk)
    if (!rst_n) last <= '0;
    else if (grant_o != '0) last <= grant_o;

  grant_counter #(.WIDTH(16)) grants (.clk, .rst_n, .step(grant_o != '0));
  for (genvar g = 0; g < 2; g++) begin : lane
    grant_counter #(.WIDTH(40)) lane_counter (.clk, .rst_n, .step(lanes_i[g][0]));
  end

  assign wide_o = ~wide_i;
  assign sum_o = lanes_i[0] + lanes_i[1];
  assign width_o = `ARBITER_WIDTH'(`ARBITER_WIDTH);

  // Faults that a test asks for.
  assign loop_o = fault_i == 3'd4 ? !loop_o : 1'b0;
  always_ff @(posedge clk)
    if (rst_n) begin
      if (fault_i == 3'd1) $fatal(1, "fault of port %0d", req_i);
      if (fault_i == 3'd2) $finish;
      if (fault_i == 3'd3) $stop;
      if (fault_i == 3'd6) $error("an error that counts");
      if (fault_i == 3'd7) $display("said by the block");
    end
endmodule
