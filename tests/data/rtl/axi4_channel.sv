// A memory of fixed latency behind AXI4, which answers in order. It stores nothing: a byte has the value of its
// address, as what Heddle writes has. FAULT makes it err from its tenth read on.
module axi4_channel #(
    parameter int DATA_BITS = 128,
    parameter int LATENCY = 20,
    parameter int ID_BITS = 4,
    parameter int FAULT = 0  // 1: data of the next beat, 2: another id, 3: no answer, 4: no last beat, 5: an error
) (
    input  logic                 clk,
    input  logic                 rst,

    input  logic                 awvalid,
    output logic                 awready,
    input  logic [ID_BITS-1:0]   awid,
    input  logic [39:0]          awaddr,
    input  logic [7:0]           awlen,
    input  logic                 wvalid,
    output logic                 wready,
    input  logic [DATA_BITS-1:0] wdata,
    input  logic                 wlast,
    output logic                 bvalid,
    input  logic                 bready,
    output logic [ID_BITS-1:0]   bid,
    output logic [1:0]           bresp,

    input  logic                 arvalid,
    output logic                 arready,
    input  logic [ID_BITS-1:0]   arid,
    input  logic [39:0]          araddr,
    input  logic [7:0]           arlen,
    output logic                 rvalid,
    input  logic                 rready,
    output logic [ID_BITS-1:0]   rid,
    output logic [DATA_BITS-1:0] rdata,
    output logic [1:0]           rresp,
    output logic                 rlast,

    output logic [31:0]          reads,
    output logic [31:0]          writes
);
  localparam int BYTES = DATA_BITS / 8;

  // One write at a time.
  logic write_address;
  logic write_data;
  logic unused;
  assign unused  = &{wdata, awaddr, awlen};
  assign awready = !write_address;
  assign wready  = !write_data;
  assign bvalid  = write_address && write_data;
  assign bresp   = 2'b00;
  always_ff @(posedge clk) begin
    if (rst) begin
      write_address <= 1'b0;
      write_data    <= 1'b0;
      writes        <= '0;
    end else begin
      if (awvalid && awready) begin
        write_address <= 1'b1;
        bid           <= awid;
      end
      if (wvalid && wready && wlast) write_data <= 1'b1;
      if (bvalid && bready) begin
        write_address <= 1'b0;
        write_data    <= 1'b0;
        writes        <= writes + 1;
      end
    end
  end

  // One read at a time.
  logic               busy;
  logic [31:0]        left;   // ticks until the first beat
  logic [39:0]        address;
  logic [7:0]         beats;  // after this one
  logic [ID_BITS-1:0] id;
  logic               errs;
  assign errs    = reads >= 10;
  assign arready = !busy;
  assign rvalid  = busy && left == '0 && !(errs && FAULT == 3);
  assign rid     = (errs && FAULT == 2) ? id + ID_BITS'(1) : id;
  assign rresp   = (errs && FAULT == 5) ? 2'b10 : 2'b00;
  assign rlast   = beats == '0 && !(errs && FAULT == 4);
  for (genvar i = 0; i < DATA_BITS / 64; i++) begin : word
    assign rdata[i*64+:64] = 64'(address) + 64'(i * 8) + ((errs && FAULT == 1) ? 64'(BYTES) : 64'd0);
  end
  always_ff @(posedge clk) begin
    if (rst) begin
      busy  <= 1'b0;
      reads <= '0;
    end else if (arvalid && arready) begin
      busy    <= 1'b1;
      left    <= LATENCY;
      address <= araddr;
      beats   <= arlen;
      id      <= arid;
    end else if (busy && left != '0) begin
      left <= left - 1;
    end else if (rvalid && rready) begin
      address <= address + 40'(BYTES);
      beats   <= beats - 8'd1;
      if (beats == '0) begin
        busy  <= 1'b0;
        reads <= reads + 1;
      end
    end
  end
endmodule
