// A counter for each of two clocks. The slow clock also takes the count of the fast one.
module two_clocks (
    input  logic        slow,
    input  logic        fast,
    input  logic        rst,
    input  logic        request_valid,
    input  logic [31:0] request_address,
    output logic        response_valid,
    output logic        memory_valid,
    output logic [31:0] memory_address,
    input  logic        fill_valid,
    output logic [31:0] slow_count,
    output logic [31:0] fast_count,
    output logic [31:0] seen
);
  logic unused;
  assign unused         = &{request_valid, request_address, fill_valid};
  assign response_valid = 1'b0;
  assign memory_valid   = 1'b0;
  assign memory_address = '0;
  always_ff @(posedge slow) slow_count <= rst ? '0 : slow_count + 1;
  always_ff @(posedge slow) seen <= fast_count;
  always_ff @(posedge fast) fast_count <= rst ? '0 : fast_count + 1;
endmodule
