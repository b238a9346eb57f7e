// The counts of the token scheduler of CUsched, Section III-C, and its two choices: the kernel that gets the
// next SM, and the SM that is taken from its kernel.
//
// There is one count for each context. A command of one tick sets a count or adds to it. A choice is a scan
// over items that come one a tick; `last_i` marks the last item, and the answer stands one tick later.
//   - A scan for a candidate sends the context of each kernel that wants an SM. The highest count wins, and of
//     equal counts the first item.
//   - A scan for a victim sends each SM that a kernel holds. Only SMs of contexts whose count is less than
//     `below_i` can be chosen. The lowest count wins, then an SM that is preempted already, then the fewest
//     running blocks, then the first item.
module token_unit #(
    parameter int CONTEXTS = 64,
    parameter int COUNT_BITS = 16,   // of a count, in two's complement
    parameter int RUNNING_BITS = 16, // of a number of running blocks
    parameter int INDEX_BITS = 16,   // enough to number the items of a scan
    parameter int CONTEXT_BITS = $clog2(CONTEXTS)
) (
    input  logic                           clk,
    input  logic                           rst_n,
    input  logic [2:0]                     command_i,    // 0: none, 1: set, 2: add, 3: candidate, 4: victim
    input  logic [CONTEXT_BITS-1:0]        context_i,    // of the count, or of the item
    input  logic signed [COUNT_BITS-1:0]   value_i,      // of commands 1 and 2
    input  logic                           preempted_i,  // of a victim
    input  logic [RUNNING_BITS-1:0]        running_i,    // blocks of a victim
    input  logic signed [COUNT_BITS:0]     below_i,      // wider than a count, because it is a difference
    input  logic                           last_i,
    output logic                           done_o,       // for one tick: the two below are the answer
    output logic                           found_o,
    output logic [INDEX_BITS-1:0]          index_o,      // of the chosen item in its scan
    output logic [63:0]                    candidates_o, // counts scans for a candidate
    output logic [63:0]                    victims_o     // counts scans for a victim that found one
);

  localparam logic [2:0] SET = 3'd1;
  localparam logic [2:0] ADD = 3'd2;
  localparam logic [2:0] CANDIDATE = 3'd3;
  localparam logic [2:0] VICTIM = 3'd4;

  logic [CONTEXTS-1:0][COUNT_BITS-1:0] counts;
  logic signed [COUNT_BITS-1:0]        count;  // of context_i
  assign count = counts[context_i];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      counts <= '0;
    end else if (command_i == SET) begin
      counts[context_i] <= value_i;
    end else if (command_i == ADD) begin
      counts[context_i] <= count + value_i;
    end
  end

  // The best item so far of the scan that runs.
  logic                         found;
  logic signed [COUNT_BITS-1:0] best_count;
  logic                         best_preempted;
  logic [RUNNING_BITS-1:0]      best_running;
  logic [INDEX_BITS-1:0]        best_index;
  logic [INDEX_BITS-1:0]        item;  // the number of the item that is at the inputs

  logic scans;   // there is an item at the inputs
  logic better;  // it is better than the best so far
  always_comb begin
    scans  = 1'b0;
    better = 1'b0;
    if (command_i == CANDIDATE) begin
      scans  = 1'b1;
      better = !found || count > best_count;
    end else if (command_i == VICTIM) begin
      scans = 1'b1;
      if ((COUNT_BITS + 1)'(count) < below_i) begin
        if (!found || count < best_count) better = 1'b1;
        else if (count != best_count) better = 1'b0;
        else if (preempted_i != best_preempted) better = preempted_i;
        else better = running_i < best_running;
      end
    end
  end

  // The first item of a scan follows a reset or the tick with `done_o`, or comes in that tick; in all three
  // cases nothing has been found before.
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      found <= 1'b0;
      item  <= '0;
    end else if (scans) begin
      found <= !last_i && (found || better);
      item  <= last_i ? '0 : item + INDEX_BITS'(1);
      if (better) begin
        best_count     <= count;
        best_preempted <= preempted_i;
        best_running   <= running_i;
        best_index     <= item;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_o       <= 1'b0;
      found_o      <= 1'b0;
      candidates_o <= '0;
      victims_o    <= '0;
    end else begin
      done_o  <= scans && last_i;
      found_o <= found || better;
      if (scans && last_i) begin
        if (command_i == CANDIDATE) candidates_o <= candidates_o + 64'd1;
        else if (found || better) victims_o <= victims_o + 64'd1;
      end
    end
  end
  assign index_o = best_index;

endmodule
