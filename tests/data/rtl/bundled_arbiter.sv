// The arbiter crossbar_round_robin with other pins: a packed structure, and a pin for each bit of its choice.
typedef struct packed {
  logic        enable;
  logic [31:0] taken;
  logic [31:0] requests;
} bundle_t;

module bundled_arbiter (
    input  logic    clk,
    input  logic    rst_n,
    input  bundle_t bundle_i,
    output logic    grant_0_o,
    output logic    grant_1_o,
    output logic    grant_2_o,
    output logic    grant_3_o,
    output logic    grant_4_o,
    output logic    grant_valid_o
);

  logic [63:0] choices, grants;
  wire unused = &{1'b0, choices, grants};

  crossbar_round_robin #(.PORTS(32)) arbiter (
      .clk, .rst_n,
      .requests_i(bundle_i.enable ? bundle_i.requests : '0),
      .taken_i(bundle_i.taken),
      .grant_o({grant_4_o, grant_3_o, grant_2_o, grant_1_o, grant_0_o}),
      .grant_valid_o,
      .choices_o(choices),
      .grants_o(grants));

endmodule
