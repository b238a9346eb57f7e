// A slice without storage. It passes each request on in the cycle in which it comes, and answers a read with its
// fill. It counts the requests that it takes, and adds up the numbers of their lines.
module forwarding_slice (
    input logic clk,
    input logic rst_n,

    input  logic        request_valid,
    output logic        request_ready,
    input  logic        request_write,
    input  logic [39:0] request_address,
    input  logic [7:0]  request_id,
    output logic        response_valid,
    input  logic        response_ready,
    output logic [7:0]  response_id,

    output logic        memory_valid,
    input  logic        memory_ready,
    output logic        memory_write,
    output logic [39:0] memory_address,
    output logic [7:0]  memory_id,
    input  logic        fill_valid,
    output logic        fill_ready,
    input  logic [7:0]  fill_id,

    output logic [31:0] reads,
    output logic [31:0] writes,
    output logic [63:0] read_lines,
    output logic [63:0] write_lines
);
  assign memory_valid = request_valid;
  assign request_ready = memory_ready;
  assign memory_write = request_write;
  assign memory_address = request_address;
  assign memory_id = request_id;
  assign response_valid = fill_valid;
  assign fill_ready = response_ready;
  assign response_id = fill_id;

  wire        taken = request_valid && request_ready;
  wire [63:0] line = 64'(request_address[39:7]);

  always_ff @(posedge clk)
    if (!rst_n) begin
      reads <= 0;
      writes <= 0;
      read_lines <= 0;
      write_lines <= 0;
    end else if (taken && request_write) begin
      writes <= writes + 1;
      write_lines <= write_lines + line;
    end else if (taken) begin
      reads <= reads + 1;
      read_lines <= read_lines + line;
    end
endmodule
