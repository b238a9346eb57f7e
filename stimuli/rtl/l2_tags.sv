// The tags of a small L2 slice: set associative, with the least recently used way replaced, written back and
// allocated by reads and writes alike.
//
// Requests, answers, memory commands and fills have a handshake each: a word passes in a tick in which valid
// and ready are both set. No valid depends on a ready, and a word does not change while it waits.
//
// A hit is answered in the tick after its request has come, and one request can come in each tick. A miss
// stands still in the second stage: a dirty victim is written back, the line is read, and the answer follows
// the fill. Requests behind it wait, so answers have the order of the requests.
module l2_tags #(
    parameter int ADDRESS_BITS = 40,
    parameter int LINE_BYTES = 128,
    parameter int SETS = 64,         // a power of two, 2 or more
    parameter int WAYS = 8,          // a power of two, 2 or more
    parameter int ID_BITS = 8        // of the number that an answer repeats
) (
    input  logic                    clk,
    input  logic                    rst_n,

    input  logic                    request_valid_i,
    output logic                    request_ready_o,
    input  logic [ADDRESS_BITS-1:0] request_address_i,
    input  logic                    request_write_i,
    input  logic [ID_BITS-1:0]      request_id_i,

    output logic                    answer_valid_o,
    input  logic                    answer_ready_i,
    output logic [ID_BITS-1:0]      answer_id_o,
    output logic [$clog2(WAYS)-1:0] answer_way_o,      // where the line lies
    output logic                    answer_hit_o,

    output logic                    memory_valid_o,
    input  logic                    memory_ready_i,
    output logic                    memory_write_o,    // a write back; else a read, which a fill follows
    output logic [ADDRESS_BITS-1:0] memory_address_o,  // of the line
    output logic [$clog2(WAYS)-1:0] memory_way_o,      // where it lies, or will lie

    input  logic                    fill_valid_i,      // the line of the last read has come
    output logic                    fill_ready_o,

    output logic [63:0]             hits_o,            // counts
    output logic [63:0]             misses_o,
    output logic [63:0]             write_backs_o
);

  localparam int OFFSET_BITS = $clog2(LINE_BYTES);
  localparam int SET_BITS = $clog2(SETS);
  localparam int WAY_BITS = $clog2(WAYS);
  localparam int TAG_BITS = ADDRESS_BITS - SET_BITS - OFFSET_BITS;

  typedef enum logic [1:0] {
    LOOK_UP,     // the tags of the request are compared
    WRITE_BACK,  // the victim is sent to memory
    READ,        // the line is asked of memory
    FILL         // the line is awaited
  } state_t;

  // ---- the second stage: the request that has come, and the tags of its set

  state_t                                state;
  logic                                  busy;   // there is a request
  logic [TAG_BITS-1:0]                   tag;
  logic [SET_BITS-1:0]                   set;
  logic                                  write;
  logic [ID_BITS-1:0]                    id;

  logic [SETS-1:0][WAYS-1:0]             valid;
  logic [SETS-1:0][WAYS-1:0]             dirty;
  logic [SETS-1:0][WAYS*WAY_BITS-1:0]    ranks;  // of each way by its last use, 0 the latest
  logic [WAYS*TAG_BITS-1:0]              tags[SETS];

  logic [WAYS*TAG_BITS-1:0]              set_tags;
  logic [WAYS*WAY_BITS-1:0]              set_ranks;
  logic [WAYS-1:0]                       set_valid;
  logic [WAYS-1:0]                       set_dirty;
  assign set_tags  = tags[set];
  assign set_ranks = ranks[set];
  assign set_valid = valid[set];
  assign set_dirty = dirty[set];

  logic                hit;
  logic [WAY_BITS-1:0] hit_way;
  logic [WAY_BITS-1:0] victim;  // the lowest way without a line, else the way with the highest rank
  always_comb begin
    hit     = 1'b0;
    hit_way = '0;
    victim  = '0;
    for (int way = 0; way < WAYS; way++) begin
      if (set_valid[way] && set_tags[way*TAG_BITS+:TAG_BITS] == tag) begin
        hit     = 1'b1;
        hit_way = WAY_BITS'(way);
      end
      if (set_ranks[way*WAY_BITS+:WAY_BITS] == WAY_BITS'(WAYS - 1)) victim = WAY_BITS'(way);
    end
    for (int way = WAYS - 1; way >= 0; way--) begin
      if (!set_valid[way]) victim = WAY_BITS'(way);
    end
  end

  logic unused;  // a request is for a line, wherever in the line its address is
  assign unused = &request_address_i[OFFSET_BITS-1:0];

  // ---- what happens in this tick

  logic answer_room;  // the register of the answer is free, or becomes free
  logic hits;         // a hit is answered
  logic misses;       // a miss begins
  logic fills;        // a line comes
  logic leaves;       // the request leaves the second stage
  always_comb begin
    answer_room     = !answer_valid_o || answer_ready_i;
    hits            = busy && state == LOOK_UP && hit && answer_room;
    misses          = busy && state == LOOK_UP && !hit;
    fill_ready_o    = state == FILL && answer_room;
    fills           = fill_valid_i && fill_ready_o;
    leaves          = hits || fills;
    request_ready_o = !busy || leaves;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 1'b0;
    end else if (request_ready_o) begin
      busy <= request_valid_i;
    end
    if (request_ready_o) begin
      {tag, set} <= request_address_i[ADDRESS_BITS-1:OFFSET_BITS];
      write      <= request_write_i;
      id         <= request_id_i;
    end
  end

  // ---- the miss

  logic [WAY_BITS-1:0] way;  // the victim of the miss
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state <= LOOK_UP;
    end else begin
      case (state)
        LOOK_UP:    if (misses) state <= (set_valid[victim] && set_dirty[victim]) ? WRITE_BACK : READ;
        WRITE_BACK: if (memory_ready_i) state <= READ;
        READ:       if (memory_ready_i) state <= FILL;
        default:    if (fills) state <= LOOK_UP;
      endcase
    end
    if (misses) way <= victim;
  end

  always_comb begin
    memory_valid_o   = state == WRITE_BACK || state == READ;
    memory_write_o   = state == WRITE_BACK;
    memory_way_o     = way;
    memory_address_o = {memory_write_o ? set_tags[int'(way)*TAG_BITS+:TAG_BITS] : tag, set, {OFFSET_BITS{1'b0}}};
  end

  // ---- the state of the set after a hit or a fill

  logic [WAY_BITS-1:0]      used;        // the way that is used
  logic [WAYS-1:0]          used_mask;
  logic [WAY_BITS-1:0]      used_rank;
  logic [WAYS*WAY_BITS-1:0] next_ranks;
  logic [WAYS*TAG_BITS-1:0] next_tags;
  always_comb begin
    used       = fills ? way : hit_way;
    used_mask  = WAYS'(1) << used;
    used_rank  = set_ranks[int'(used)*WAY_BITS+:WAY_BITS];
    next_ranks = set_ranks;
    next_tags  = set_tags;
    for (int i = 0; i < WAYS; i++) begin
      if (WAY_BITS'(i) == used) begin
        next_ranks[i*WAY_BITS+:WAY_BITS] = '0;
        next_tags[i*TAG_BITS+:TAG_BITS]  = tag;
      end else if (set_ranks[i*WAY_BITS+:WAY_BITS] < used_rank) begin
        next_ranks[i*WAY_BITS+:WAY_BITS] = set_ranks[i*WAY_BITS+:WAY_BITS] + WAY_BITS'(1);
      end
    end
  end

  logic [WAYS*WAY_BITS-1:0] first_ranks;  // way 0 is the latest one at first
  for (genvar i = 0; i < WAYS; i++) begin : first_rank
    assign first_ranks[i*WAY_BITS+:WAY_BITS] = WAY_BITS'(i);
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid <= '0;
      dirty <= '0;
      ranks <= {SETS{first_ranks}};
    end else if (leaves) begin
      valid[set] <= set_valid | used_mask;
      dirty[set] <= write ? (set_dirty | used_mask) : hits ? set_dirty : (set_dirty & ~used_mask);
      ranks[set] <= next_ranks;
    end
    if (fills) tags[set] <= next_tags;
  end

  // ---- answers and counts

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      answer_valid_o <= 1'b0;
      hits_o         <= '0;
      misses_o       <= '0;
      write_backs_o  <= '0;
    end else begin
      if (answer_room) answer_valid_o <= leaves;
      if (hits) hits_o <= hits_o + 64'd1;
      if (misses) misses_o <= misses_o + 64'd1;
      if (state == WRITE_BACK && memory_ready_i) write_backs_o <= write_backs_o + 64'd1;
    end
    if (leaves) begin
      answer_id_o  <= id;
      answer_hit_o <= hits;
      answer_way_o <= used;
    end
  end

endmodule
