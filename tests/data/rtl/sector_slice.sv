// The model's L2 slice for reads of one sector, in the same cycles: lines of 128 bytes in four sectors, one way,
// fills of a sector, and one request for each fill. Memory takes longer than a hit.
module sector_slice #(
    parameter int ADDRESS_BITS = 32,
    parameter int SETS = 16,
    parameter int HIT_LATENCY = 10,
    parameter int REPLIES = 18,     // that wait, those within the hit latency included
    parameter int DRAM_QUEUE = 8,
    parameter int ID_BITS = 8
) (
    input  logic                    clk,
    input  logic                    rst_n,

    input  logic                    request_valid_i,
    output logic                    request_ready_o,
    input  logic [ADDRESS_BITS-1:0] request_address_i,
    input  logic [ID_BITS-1:0]      request_id_i,

    output logic                    response_valid_o,
    input  logic                    response_ready_i,
    output logic [ID_BITS-1:0]      response_id_o,

    output logic                    memory_valid_o,
    input  logic                    memory_ready_i,
    output logic [ADDRESS_BITS-1:0] memory_address_o,
    output logic [$clog2(SETS)+1:0] memory_id_o,       // set and sector

    input  logic                    fill_valid_i,
    output logic                    fill_ready_o,
    input  logic [$clog2(SETS)+1:0] fill_id_i
);
  localparam int SET_BITS = $clog2(SETS);
  localparam int TAG_BITS = ADDRESS_BITS - 7 - SET_BITS;
  localparam int COUNT_BITS = $clog2(REPLIES + 1);

  logic [31:0]         now;
  logic [TAG_BITS-1:0] tags[SETS];
  logic [3:0]          valid[SETS];    // sectors
  logic [3:0]          pending[SETS];
  logic                used[SETS];
  logic [ID_BITS-1:0]  waiting[SETS*4];  // for a sector

  logic [TAG_BITS-1:0] tag;
  logic [SET_BITS-1:0] set;
  logic [1:0]          sector;
  logic [4:0]          unused;
  assign {tag, set, sector, unused} = request_address_i;

  // ---- a fill comes
  logic                  fills;
  logic [SET_BITS-1:0]   fill_set;
  logic [1:0]            fill_sector;
  logic [COUNT_BITS-1:0] hit_count;
  logic [COUNT_BITS-1:0] fill_count;
  assign {fill_set, fill_sector} = fill_id_i;
  assign fill_ready_o = int'(hit_count) + int'(fill_count) < REPLIES;
  assign fills        = fill_valid_i && fill_ready_o;

  // ---- a reply leaves: the one that is due first, of equals that of a fill
  logic [31:0]        hit_due;
  logic [ID_BITS-1:0] hit_id;
  logic [31:0]        old_fill_due;
  logic [ID_BITS-1:0] old_fill_id;
  logic               has_fill;
  logic [31:0]        fill_due;
  logic [ID_BITS-1:0] fill_id;
  logic               takes_hit;
  logic               replies;
  always_comb begin
    has_fill         = fill_count != '0 || fills;
    fill_due         = (fill_count != '0) ? old_fill_due : now;
    fill_id          = (fill_count != '0) ? old_fill_id : waiting[fill_id_i];
    takes_hit        = hit_count != '0 && (!has_fill || hit_due < fill_due);
    response_valid_o = (takes_hit && hit_due <= now) || (!takes_hit && has_fill);
    response_id_o    = takes_hit ? hit_id : fill_id;
    replies          = response_valid_o && response_ready_i;
  end

  // ---- a request accesses the tags, after the fill
  logic [3:0]                      set_valid;
  logic [3:0]                      set_pending;
  logic                            found;
  logic                            room;
  logic                            hits;
  logic                            misses;
  logic [$clog2(DRAM_QUEUE+1)-1:0] queued;
  always_comb begin
    set_valid   = valid[set];
    set_pending = pending[set];
    if (fills && fill_set == set) begin
      set_valid[fill_sector]   = 1'b1;
      set_pending[fill_sector] = 1'b0;
    end
    found  = used[set] && tags[set] == tag;
    room   = request_valid_i && int'(hit_count) + int'(fill_count) + int'(fills) - int'(replies) < REPLIES;
    hits   = room && found && set_valid[sector];
    misses = room && int'(queued) < DRAM_QUEUE && (found ? !set_valid[sector] && !set_pending[sector] : set_pending == '0);
    request_ready_o = hits || misses;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      now <= '0;
      for (int i = 0; i < SETS; i++) begin
        used[i]    <= 1'b0;
        valid[i]   <= '0;
        pending[i] <= '0;
      end
    end else begin
      now <= now + 32'd1;
      if (fills) begin
        valid[fill_set][fill_sector]   <= 1'b1;
        pending[fill_set][fill_sector] <= 1'b0;
      end
      if (misses) begin
        used[set]    <= 1'b1;
        valid[set]   <= found ? set_valid : '0;
        pending[set] <= set_pending | (4'd1 << sector);
      end
    end
    if (misses) begin
      tags[set]              <= tag;
      waiting[{set, sector}] <= request_id_i;
    end
  end

  // ---- the queues
  word_queue #(.BITS(32 + ID_BITS), .DEPTH(REPLIES)) hit_queue (
      .clk(clk), .rst_n(rst_n), .push(hits), .data({now + 32'(HIT_LATENCY), request_id_i}),
      .pop(replies && takes_hit), .front({hit_due, hit_id}), .count(hit_count));

  logic passes_fill;  // a fill is answered in its tick
  assign passes_fill = fills && fill_count == '0 && replies && !takes_hit;
  word_queue #(.BITS(32 + ID_BITS), .DEPTH(REPLIES)) fill_queue (
      .clk(clk), .rst_n(rst_n), .push(fills && !passes_fill), .data({now, waiting[fill_id_i]}),
      .pop(replies && !takes_hit && !passes_fill), .front({old_fill_due, old_fill_id}), .count(fill_count));

  logic [ADDRESS_BITS+SET_BITS+1:0] request;
  logic [ADDRESS_BITS+SET_BITS+1:0] old_request;
  logic                             passes_miss;  // a request to memory leaves in its tick
  assign request     = {request_address_i, set, sector};
  assign passes_miss = misses && queued == '0 && memory_ready_i;
  word_queue #(.BITS(ADDRESS_BITS + SET_BITS + 2), .DEPTH(DRAM_QUEUE)) memory_queue (
      .clk(clk), .rst_n(rst_n), .push(misses && !passes_miss), .data(request),
      .pop(queued != '0 && memory_ready_i), .front(old_request), .count(queued));
  assign memory_valid_o                  = misses || queued != '0;
  assign {memory_address_o, memory_id_o} = (queued != '0) ? old_request : request;
endmodule
