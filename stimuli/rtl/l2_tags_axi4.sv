// A small L2 slice between two AXI4 ports: the tags of l2_tags and a memory for the lines.
//
// Every burst is of one whole line: INCR, from the line's address on, with full beats. Any other burst is
// answered with SLVERR and does nothing. One burst is served at a time; reads and writes take turns if both
// wait. A miss is served by at most two bursts at the other port: the victim is written, then the line is
// read. An error of either is passed on with the answer of the burst that needed it.
//
// No valid depends on a ready, and what stands beside a valid does not change while it waits.
module l2_tags_axi4 #(
    parameter int ADDRESS_BITS = 40,
    parameter int DATA_BITS = 256,
    parameter int LINE_BYTES = 128,
    parameter int SETS = 64,         // a power of two, 2 or more
    parameter int WAYS = 8,          // a power of two, 2 or more
    parameter int ID_BITS = 8
) (
    input  logic                    clk,
    input  logic                    rst_n,

    // ---- the subordinate port, towards the requester
    input  logic                    s_awvalid_i,
    output logic                    s_awready_o,
    input  logic [ID_BITS-1:0]      s_awid_i,
    input  logic [ADDRESS_BITS-1:0] s_awaddr_i,
    input  logic [7:0]              s_awlen_i,
    input  logic [2:0]              s_awsize_i,
    input  logic [1:0]              s_awburst_i,
    input  logic                    s_wvalid_i,
    output logic                    s_wready_o,
    input  logic [DATA_BITS-1:0]    s_wdata_i,
    input  logic [DATA_BITS/8-1:0]  s_wstrb_i,
    input  logic                    s_wlast_i,
    output logic                    s_bvalid_o,
    input  logic                    s_bready_i,
    output logic [ID_BITS-1:0]      s_bid_o,
    output logic [1:0]              s_bresp_o,
    input  logic                    s_arvalid_i,
    output logic                    s_arready_o,
    input  logic [ID_BITS-1:0]      s_arid_i,
    input  logic [ADDRESS_BITS-1:0] s_araddr_i,
    input  logic [7:0]              s_arlen_i,
    input  logic [2:0]              s_arsize_i,
    input  logic [1:0]              s_arburst_i,
    output logic                    s_rvalid_o,
    input  logic                    s_rready_i,
    output logic [ID_BITS-1:0]      s_rid_o,
    output logic [DATA_BITS-1:0]    s_rdata_o,
    output logic [1:0]              s_rresp_o,
    output logic                    s_rlast_o,

    // ---- the manager port, towards memory; its ids are all 0
    output logic                    m_awvalid_o,
    input  logic                    m_awready_i,
    output logic [ADDRESS_BITS-1:0] m_awaddr_o,
    output logic [7:0]              m_awlen_o,
    output logic [2:0]              m_awsize_o,
    output logic [1:0]              m_awburst_o,
    output logic                    m_wvalid_o,
    input  logic                    m_wready_i,
    output logic [DATA_BITS-1:0]    m_wdata_o,
    output logic [DATA_BITS/8-1:0]  m_wstrb_o,
    output logic                    m_wlast_o,
    input  logic                    m_bvalid_i,
    output logic                    m_bready_o,
    input  logic [1:0]              m_bresp_i,
    output logic                    m_arvalid_o,
    input  logic                    m_arready_i,
    output logic [ADDRESS_BITS-1:0] m_araddr_o,
    output logic [7:0]              m_arlen_o,
    output logic [2:0]              m_arsize_o,
    output logic [1:0]              m_arburst_o,
    input  logic                    m_rvalid_i,
    output logic                    m_rready_o,
    input  logic [DATA_BITS-1:0]    m_rdata_i,
    input  logic [1:0]              m_rresp_i,
    input  logic                    m_rlast_i,

    output logic [63:0]             hits_o,         // counts
    output logic [63:0]             misses_o,
    output logic [63:0]             write_backs_o
);

  localparam int BEATS = LINE_BYTES * 8 / DATA_BITS;
  localparam int BEAT_BITS = $clog2(BEATS);
  localparam int OFFSET_BITS = $clog2(LINE_BYTES);
  localparam int SET_BITS = $clog2(SETS);
  localparam int WAY_BITS = $clog2(WAYS);
  localparam logic [7:0] LEN = 8'(BEATS - 1);
  localparam logic [2:0] SIZE = 3'($clog2(DATA_BITS / 8));
  localparam logic [1:0] INCR = 2'b01;
  localparam logic [1:0] OKAY = 2'b00;
  localparam logic [1:0] SLVERR = 2'b10;
  localparam logic [BEAT_BITS-1:0] LAST_BEAT = BEAT_BITS'(BEATS - 1);

  // ---- the burst that is served

  typedef enum logic [2:0] {
    IDLE,
    LOOK_UP,   // the tags are asked
    WAIT,      // and have not answered
    LOAD,      // a beat of the line is read from the memory of lines
    SEND,      // and sent to the requester
    RECEIVE,   // beats come from the requester
    ANSWER     // the write is answered
  } state_t;

  state_t                  state;
  logic                    write;
  logic                    wrong;     // it is not of one line
  logic                    failed;    // memory had an error
  logic [ID_BITS-1:0]      id;
  logic [ADDRESS_BITS-1:0] address;
  logic [7:0]              left;      // beats after this one
  logic [BEAT_BITS-1:0]    beat;
  logic [WAY_BITS-1:0]     way;       // of its line
  logic                    turn;      // of two that wait, a write goes first

  // ---- the tags

  logic                    looks_up;
  logic                    waits;
  assign looks_up = state == LOOK_UP;
  assign waits    = state == WAIT;

  logic                    request_ready;
  logic                    answer_valid;
  logic [WAY_BITS-1:0]     answer_way;
  logic                    command_valid;
  logic                    command_ready;
  logic                    command_write;
  logic [ADDRESS_BITS-1:0] command_address;
  logic [WAY_BITS-1:0]     command_way;
  logic                    unused_hit;
  logic                    unused_id;
  logic                    unused_fill;
  l2_tags #(.ADDRESS_BITS(ADDRESS_BITS), .LINE_BYTES(LINE_BYTES), .SETS(SETS), .WAYS(WAYS), .ID_BITS(1)) tag_unit (
      .clk(clk), .rst_n(rst_n),
      .request_valid_i(looks_up), .request_ready_o(request_ready), .request_address_i(address),
      .request_write_i(write), .request_id_i(1'b0),
      .answer_valid_o(answer_valid), .answer_ready_i(waits), .answer_id_o(unused_id),
      .answer_hit_o(unused_hit), .answer_way_o(answer_way),
      .memory_valid_o(command_valid), .memory_ready_i(command_ready), .memory_write_o(command_write),
      .memory_address_o(command_address), .memory_way_o(command_way),
      .fill_valid_i(1'b1), .fill_ready_o(unused_fill),  // a read is taken when its line has come
      .hits_o(hits_o), .misses_o(misses_o), .write_backs_o(write_backs_o));

  logic takes_write;
  logic takes_read;
  always_comb begin
    takes_write = state == IDLE && s_awvalid_i && (turn || !s_arvalid_i);
    takes_read  = state == IDLE && s_arvalid_i && !takes_write;
    s_awready_o = takes_write;
    s_arready_o = takes_read;
  end

  logic write_is_wrong;
  logic read_is_wrong;
  assign write_is_wrong = s_awlen_i != LEN || s_awsize_i != SIZE || s_awburst_i != INCR ||
                          s_awaddr_i[OFFSET_BITS-1:0] != '0;
  assign read_is_wrong  = s_arlen_i != LEN || s_arsize_i != SIZE || s_arburst_i != INCR ||
                          s_araddr_i[OFFSET_BITS-1:0] != '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state <= IDLE;
      turn  <= 1'b0;
    end else begin
      case (state)
        IDLE: begin
          if (takes_write) state <= write_is_wrong ? RECEIVE : LOOK_UP;
          if (takes_read) state <= read_is_wrong ? SEND : LOOK_UP;
          if (takes_write || takes_read) turn <= takes_read;
        end
        LOOK_UP: if (request_ready) state <= WAIT;
        WAIT:    if (answer_valid) state <= write ? RECEIVE : LOAD;
        LOAD:    state <= SEND;
        SEND:    if (s_rready_i) state <= (left == '0) ? IDLE : wrong ? SEND : LOAD;
        RECEIVE: if (s_wvalid_i && s_wlast_i) state <= ANSWER;
        default: if (s_bready_i) state <= IDLE;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    if (takes_write || takes_read) begin
      write   <= takes_write;
      wrong   <= takes_write ? write_is_wrong : read_is_wrong;
      id      <= takes_write ? s_awid_i : s_arid_i;
      address <= takes_write ? s_awaddr_i : s_araddr_i;
      left    <= s_arlen_i;
      beat    <= '0;
      failed  <= 1'b0;
    end else if (state == SEND && s_rready_i) begin
      left <= left - 8'd1;
      beat <= beat + BEAT_BITS'(1);
    end else if (state == RECEIVE && s_wvalid_i) begin
      beat <= beat + BEAT_BITS'(1);
    end else if ((m_rvalid_i && m_rready_o && m_rresp_i != OKAY) ||
                 (m_bvalid_i && m_bready_o && m_bresp_i != OKAY)) begin
      failed <= 1'b1;
    end
    if (state == WAIT) way <= answer_way;
  end

  // ---- the bursts to memory

  typedef enum logic [2:0] {
    NONE,
    ADDRESS_WRITE,
    LOAD_BEAT,      // a beat of the victim is read from the memory of lines
    SEND_BEAT,      // and sent
    AWAIT_WRITE,    // the write is answered
    ADDRESS_READ,
    TAKE_BEATS      // the beats of the line come
  } transfer_t;

  transfer_t            transfer;
  logic [BEAT_BITS-1:0] m_beat;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      transfer <= NONE;
    end else begin
      case (transfer)
        NONE:          if (command_valid) transfer <= command_write ? ADDRESS_WRITE : ADDRESS_READ;
        ADDRESS_WRITE: if (m_awready_i) transfer <= LOAD_BEAT;
        LOAD_BEAT:     transfer <= SEND_BEAT;
        SEND_BEAT:     if (m_wready_i) transfer <= m_wlast_o ? AWAIT_WRITE : LOAD_BEAT;
        AWAIT_WRITE:   if (m_bvalid_i) transfer <= NONE;
        ADDRESS_READ:  if (m_arready_i) transfer <= TAKE_BEATS;
        default:       if (m_rvalid_i && m_rlast_i) transfer <= NONE;
      endcase
    end
    if (transfer == NONE) m_beat <= '0;
    else if ((m_wvalid_o && m_wready_i) || (m_rvalid_i && m_rready_o)) m_beat <= m_beat + BEAT_BITS'(1);
  end

  assign command_ready = (transfer == AWAIT_WRITE && m_bvalid_i) ||
                         (transfer == TAKE_BEATS && m_rvalid_i && m_rlast_i);

  // ---- the memory of lines: a beat a word, one port, a write enable for each byte, a read that takes one tick

  logic [DATA_BITS-1:0]                   line_beat;  // what was read in the tick before
  logic [SET_BITS+WAY_BITS+BEAT_BITS-1:0] line_address;
  logic [SET_BITS-1:0]                    set;
  logic                                   fills;      // a beat comes from memory
  logic [DATA_BITS/8-1:0]                 line_write;
  logic [DATA_BITS-1:0]                   line_data;
  assign set = address[OFFSET_BITS+:SET_BITS];
  always_comb begin
    fills        = m_rvalid_i && m_rready_o;
    line_address = {set, (transfer == NONE) ? {way, beat} : {command_way, m_beat}};
    line_data    = fills ? m_rdata_i : s_wdata_i;
    line_write   = '0;
    if (fills) line_write = '1;
    else if (state == RECEIVE && s_wvalid_i && !wrong) line_write = s_wstrb_i;
  end
  logic [DATA_BITS-1:0] lines[SETS*WAYS*BEATS];
  always_ff @(posedge clk) begin
    for (int i = 0; i < DATA_BITS / 8; i++)
      if (line_write[i]) lines[line_address][i*8+:8] <= line_data[i*8+:8];
    if (state == LOAD || transfer == LOAD_BEAT) line_beat <= lines[line_address];
  end

  // ---- the outputs

  logic [1:0] response;
  assign response   = (wrong || failed) ? SLVERR : OKAY;
  assign s_rvalid_o = state == SEND;
  assign s_rid_o    = id;
  assign s_rdata_o  = line_beat;
  assign s_rresp_o  = response;
  assign s_rlast_o  = left == '0;
  assign s_wready_o = state == RECEIVE;
  assign s_bvalid_o = state == ANSWER;
  assign s_bid_o    = id;
  assign s_bresp_o  = response;

  assign m_awvalid_o = transfer == ADDRESS_WRITE;
  assign m_awaddr_o  = command_address;
  assign m_awlen_o   = LEN;
  assign m_awsize_o  = SIZE;
  assign m_awburst_o = INCR;
  assign m_wvalid_o  = transfer == SEND_BEAT;
  assign m_wdata_o   = line_beat;
  assign m_wstrb_o   = '1;
  assign m_wlast_o   = m_beat == LAST_BEAT;
  assign m_bready_o  = transfer == AWAIT_WRITE;
  assign m_arvalid_o = transfer == ADDRESS_READ;
  assign m_araddr_o  = command_address;
  assign m_arlen_o   = LEN;
  assign m_arsize_o  = SIZE;
  assign m_arburst_o = INCR;
  assign m_rready_o  = transfer == TAKE_BEATS;

endmodule
