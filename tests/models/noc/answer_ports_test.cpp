#include "models/noc/answer_ports.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

MemoryRequest read_of(std::uint32_t sm, std::uint32_t bytes = 128) {
  MemoryRequest made;
  made.sm = SmId{sm};
  made.bytes = bytes;
  made.kind = RequestKind::kLoad;
  return made;
}

// Two SMs are a group.
NocSpec spec(std::uint32_t sm_port_bytes, std::uint32_t group_port_bytes) {
  NocSpec made;
  made.sm_port_bytes = sm_port_bytes;
  made.merge.of = MergeSpec::Of::kTpc;
  made.merge.gpcs = {2, 1, 1};
  made.merge.port_bytes = group_port_bytes;
  return made;
}

TEST(AnswerPorts, AnSmTakesItsBytesACycle) {
  const NocSpec noc = spec(64, 0);
  AnswerPorts ports(noc, 4);
  EXPECT_EQ(ports.free(SmId{0}), Cycle{0});
  ports.pass(read_of(0), Cycle{10});
  EXPECT_EQ(ports.free(SmId{0}), Cycle{12});
  EXPECT_EQ(ports.free(SmId{1}), Cycle{0});
  ports.reset();
  EXPECT_EQ(ports.free(SmId{0}), Cycle{0});
}

TEST(AnswerPorts, TheSmsOfAGroupShareItsPort) {
  const NocSpec noc = spec(0, 192);
  AnswerPorts ports(noc, 4);
  ports.pass(read_of(0), Cycle{10});
  EXPECT_EQ(ports.free(SmId{1}), Cycle{10}) << "64 bytes of this cycle are left";
  ports.pass(read_of(1), Cycle{10});
  EXPECT_EQ(ports.free(SmId{1}), Cycle{11});
  ports.pass(read_of(1), Cycle{11});
  EXPECT_EQ(ports.free(SmId{0}), Cycle{12}) << "three lines of 128 bytes have taken two cycles";
  EXPECT_EQ(ports.free(SmId{2}), Cycle{0}) << "it belongs to another group";
}

TEST(AnswerPorts, AnAnswerToAWriteCarriesNoData) {
  const NocSpec noc = spec(64, 128);
  AnswerPorts ports(noc, 4);
  MemoryRequest write = read_of(0);
  write.kind = RequestKind::kStore;
  ports.pass(write, Cycle{10});
  EXPECT_EQ(ports.free(SmId{0}), Cycle{11});
  EXPECT_EQ(ports.free(SmId{1}), Cycle{0});
}

}  // namespace
}  // namespace heddle
