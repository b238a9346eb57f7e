// The number of blocks of each of several kernels on an SM: Algorithm 1 of Warped-Slicer, Section IV.
//
// Each kernel starts with one block. In each round the kernel with the smallest performance, of equals the
// first, gets the next larger number of blocks with a better performance. If there is none, or if the SM has
// no room for all of these blocks, the kernel is full and gets no more. The unit is done when all kernels are
// full. If one block of each kernel does not fit, there is no result.
//
// The unit adds or compares one pair of amounts or performances a tick. The performance curves lie in a memory whose read takes
// one tick. A performance is the 64 bits of a non-negative IEEE double; such numbers compare as unsigned
// integers do.
module water_filling_unit #(
    parameter int KERNELS = 8,         // the most kernels; 2 or more
    parameter int BLOCKS = 64,         // the most blocks of a curve; a power of two from 8 on
    parameter int RESOURCE_BITS = 32,  // of an amount of a resource
    parameter int KERNEL_BITS = $clog2(KERNELS),
    parameter int BLOCK_BITS = $clog2(BLOCKS)
) (
    input  logic                   clk,
    input  logic                   rst_n,
    input  logic                   write_i,
    input  logic [1:0]             write_kind_i,    // see the localparams below
    input  logic [KERNEL_BITS-1:0] write_kernel_i,
    input  logic [BLOCK_BITS-1:0]  write_index_i,   // blocks - 1, or the number of a resource
    input  logic [63:0]            write_value_i,
    input  logic                   start_i,         // after all writes
    input  logic [KERNEL_BITS:0]   kernels_i,       // 1 or more, valid with start_i
    output logic                   done_o,          // for one tick
    output logic                   feasible_o,      // from then on: one block of each kernel fits
    input  logic [KERNEL_BITS-1:0] read_kernel_i,
    output logic [BLOCK_BITS:0]    blocks_o,        // from then on: the blocks of this kernel
    output logic [63:0]            problems_o,      // counts results
    output logic [63:0]            raises_o         // counts rounds in which a kernel got more blocks
);

  localparam logic [1:0] PERFORMANCE = 2'd0;  // one entry of a curve
  localparam logic [1:0] NEED = 2'd1;         // what one block needs of a resource
  localparam logic [1:0] LIMIT = 2'd2;        // what the SM has of a resource
  localparam logic [1:0] ENTRIES = 2'd3;      // the number of entries of a curve

  localparam int RESOURCES = 5;  // threads, warps, registers, shared memory, block slots
  localparam logic [2:0] LAST_RESOURCE = 3'(RESOURCES - 1);

  // ---- what is written

  logic [63:0]                             curves[KERNELS*BLOCKS];  // by kernel, then by blocks - 1
  logic [63:0]                             read_performance;        // what was read in the tick before
  logic [RESOURCE_BITS-1:0]                needs[KERNELS*8];        // by kernel, then by resource
  logic [RESOURCES-1:0][RESOURCE_BITS-1:0] limits;
  logic [KERNELS-1:0][BLOCK_BITS:0]        entries;

  logic [KERNEL_BITS+BLOCK_BITS-1:0] read_address;
  always_ff @(posedge clk) begin
    if (write_i && write_kind_i == PERFORMANCE) curves[{write_kernel_i, write_index_i}] <= write_value_i;
    read_performance <= curves[read_address];
  end

  always_ff @(posedge clk) begin
    if (write_i) begin
      case (write_kind_i)
        NEED: needs[{write_kernel_i, write_index_i[2:0]}] <= write_value_i[RESOURCE_BITS-1:0];
        LIMIT: limits[write_index_i[2:0]] <= write_value_i[RESOURCE_BITS-1:0];
        ENTRIES: entries[write_kernel_i] <= write_value_i[BLOCK_BITS:0];
        default: ;
      endcase
    end
  end

  // ---- the algorithm

  typedef enum logic [3:0] {
    IDLE,
    FIT_FIRST,     // adds the need of the first block of `kernel` for `resource`
    SCAN_READ,     // reads the performance of `kernel`
    SCAN_COMPARE,  // compares it with the smallest one so far
    CHOOSE,        // begins a round for `worst`, if there is one
    NEXT_READ,     // reads the performance of `worst` with one block more than `next`
    NEXT_COMPARE,  // compares it with the performance of `worst`
    FIT_MORE,      // adds the need of one more block of `worst` for `resource`
    RAISE,         // gives `worst` its blocks
    DONE
  } state_t;

  state_t                                  state;
  logic [KERNEL_BITS:0]                    kernels;   // of this problem
  logic [KERNEL_BITS-1:0]                  kernel;
  logic [2:0]                              resource;
  logic [KERNELS-1:0][BLOCK_BITS:0]        blocks;
  logic [KERNELS-1:0]                      full;
  logic                                    found;     // a kernel that is not full
  logic [KERNEL_BITS-1:0]                  worst;     // of these, the one with the smallest performance
  logic [63:0]                             smallest;  // its performance
  logic [BLOCK_BITS:0]                     next;      // the number of blocks that is tried for it
  logic [BLOCK_BITS:0]                     fitted;    // the number of its blocks that fit so far
  logic [RESOURCES-1:0][RESOURCE_BITS-1:0] used;      // by the blocks of all kernels
  logic [RESOURCES-1:0][RESOURCE_BITS-1:0] raised;    // the same, with `fitted` blocks of `worst`

  logic last_kernel;
  assign last_kernel = {1'b0, kernel} == kernels - (KERNEL_BITS + 1)'(1);

  // One adder and one comparator serve FIT_FIRST and FIT_MORE. The sum is one bit wider than an amount, so
  // that it cannot wrap.
  logic [KERNEL_BITS-1:0] adding;  // the kernel whose block is added
  logic [RESOURCE_BITS:0] sum;
  logic                   fits;
  always_comb begin
    adding = (state == FIT_FIRST) ? kernel : worst;
    sum    = {1'b0, raised[resource]} + {1'b0, needs[{adding, resource}]};
    fits   = sum <= {1'b0, limits[resource]};
  end

  logic                  reads_next;
  logic [BLOCK_BITS-1:0] read_index;  // of the performance that is read
  always_comb begin
    reads_next   = state == NEXT_READ;
    read_index   = BLOCK_BITS'(reads_next ? next : blocks[kernel] - (BLOCK_BITS + 1)'(1));
    read_address = {reads_next ? worst : kernel, read_index};
  end

  assign done_o   = state == DONE;
  assign blocks_o = blocks[read_kernel_i];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state      <= IDLE;
      feasible_o <= 1'b0;
      problems_o <= '0;
      raises_o   <= '0;
    end else begin
      case (state)
        IDLE: begin
          kernels  <= kernels_i;
          kernel   <= '0;
          resource <= '0;
          used     <= '0;
          raised   <= '0;
          full     <= '0;
          found    <= 1'b0;
          if (start_i) state <= FIT_FIRST;
        end

        FIT_FIRST: begin
          used[resource]   <= sum[RESOURCE_BITS-1:0];
          raised[resource] <= sum[RESOURCE_BITS-1:0];
          blocks[kernel]   <= (BLOCK_BITS + 1)'(1);
          feasible_o       <= fits;
          if (!fits) begin
            state <= DONE;
          end else if (resource != LAST_RESOURCE) begin
            resource <= resource + 3'd1;
          end else begin
            resource <= '0;
            kernel   <= last_kernel ? '0 : kernel + KERNEL_BITS'(1);
            if (last_kernel) state <= SCAN_READ;
          end
        end

        SCAN_READ: state <= SCAN_COMPARE;

        SCAN_COMPARE: begin
          if (!full[kernel] && (!found || read_performance < smallest)) begin
            found    <= 1'b1;
            worst    <= kernel;
            smallest <= read_performance;
          end
          kernel <= last_kernel ? '0 : kernel + KERNEL_BITS'(1);
          state  <= last_kernel ? CHOOSE : SCAN_READ;
        end

        CHOOSE: begin
          found  <= 1'b0;
          next   <= blocks[worst];
          fitted <= blocks[worst];
          raised <= used;
          state  <= found ? NEXT_READ : DONE;
        end

        NEXT_READ: begin
          next <= next + (BLOCK_BITS + 1)'(1);
          if (next == entries[worst]) begin
            full[worst] <= 1'b1;
            state       <= SCAN_READ;
          end else begin
            state <= NEXT_COMPARE;
          end
        end

        NEXT_COMPARE: state <= (read_performance > smallest) ? FIT_MORE : NEXT_READ;

        FIT_MORE: begin
          raised[resource] <= sum[RESOURCE_BITS-1:0];
          resource         <= (fits && resource != LAST_RESOURCE) ? resource + 3'd1 : '0;
          if (!fits) begin
            full[worst] <= 1'b1;
            state       <= SCAN_READ;
          end else if (resource == LAST_RESOURCE) begin
            fitted <= fitted + (BLOCK_BITS + 1)'(1);
            if (fitted + (BLOCK_BITS + 1)'(1) == next) state <= RAISE;
          end
        end

        RAISE: begin
          used          <= raised;
          blocks[worst] <= next;
          raises_o      <= raises_o + 64'd1;
          state         <= SCAN_READ;
        end

        DONE: begin
          problems_o <= problems_o + 64'd1;
          state      <= IDLE;
        end

        default: state <= IDLE;
      endcase
    end
  end

endmodule
