#include "models/dram/standards/dram_standard.h"

namespace heddle {

namespace {

using Command = DramCommand;
using Level = DramLevel;

// A channel of 128 bits has two pseudo-channels of 64 bits, which share the row bus and the column bus. In
// legacy mode it is one channel of 128 bits.
DramStandard hbm2() {
  DramStandard s;
  s.name = "hbm2";
  s.doc =
      "pseudo-channels, stack ids, a bus each for row and column commands, refresh of all banks or of one";
  s.source = "JEDEC JESD235, as the models of Ramulator 2.1, DRAMSys and DRAMsim3 quote it";
  s.pseudo_channels = 2;
  s.stack_ids = 4;
  s.groups = 4;
  s.banks_per_group = 4;
  s.burst = "burst";
  s.read_latency = "cl";
  s.write_latency = "wl";
  s.refresh_interval = "refi";
  s.refresh_time = "rfc";
  s.bank_refresh_interval = "refisb";
  s.bank_refresh_time = "rfcsb";
  // The suffix s is for commands to different bank groups, l for commands to the same one, and r for commands
  // to different stack ids.
  s.parameters = {
      {"burst", "CK", "time of a burst on the data bus"},
      {"cl", "CK", "read to its first data beat"},
      {"wl", "CK", "write to its first data beat"},
      {"rcdrd", "CK", "activate to read"},
      {"rcdwr", "CK", "activate to write"},
      {"rp", "CK", "precharge to activate"},
      {"ras", "CK", "activate to precharge"},
      {"rc", "CK", "activate to activate of one bank", "ras + rp"},
      {"rrds", "CK", "activate to activate, other bank group"},
      {"rrdl", "CK", "activate to activate, same bank group"},
      {"ccds", "CK", "column command to the next of its kind, other bank group"},
      {"ccdl", "CK", "column command to the next of its kind, same bank group"},
      {"ccdr", "CK", "column command to the next of its kind, other stack id", "ccds"},
      {"wtrs", "CK", "end of write data to read, other bank group"},
      {"wtrl", "CK", "end of write data to read, same bank group"},
      {"rtw", "CK", "read to write", "cl + burst - wl + 2"},
      {"wr", "CK", "end of write data to precharge"},
      {"rtp", "CK", "read to precharge"},
      {"faw", "CK", "window of at most 4 activates"},
      {"refi", "CK", "mean time between refreshes of all banks"},
      {"rfc", "CK", "time of one refresh of all banks"},
      {"refisb", "CK", "mean time between refreshes of single banks"},
      {"rfcsb", "CK", "time of one refresh of a single bank"},
      {"rrefd", "CK", "refresh of a bank to a refresh or an activate of another bank"},
  };
  s.commands = {
      {Command::kActivate, CommandBus::kRow, Level::kBank, 2},
      {Command::kPrecharge, CommandBus::kRow, Level::kBank},
      {Command::kPrechargeAll, CommandBus::kRow, Level::kPseudoChannel},
      {Command::kRead, CommandBus::kColumn, Level::kBank},
      {Command::kReadAuto, CommandBus::kColumn, Level::kBank},
      {Command::kWrite, CommandBus::kColumn, Level::kBank},
      {Command::kWriteAuto, CommandBus::kColumn, Level::kBank},
      {Command::kRefresh, CommandBus::kRow, Level::kPseudoChannel},
      {Command::kRefreshBank, CommandBus::kRow, Level::kBank},
  };
  s.rules = {
      {"tRC", Command::kActivate, Command::kActivate, Level::kBank, "rc"},
      {"tRRDL", Command::kActivate, Command::kActivate, Level::kBankGroup, "rrdl"},
      {"tRRDS", Command::kActivate, Command::kActivate, Level::kPseudoChannel, "rrds"},
      {"tRAS", Command::kActivate, Command::kPrecharge, Level::kBank, "ras"},
      {"tRAS", Command::kActivate, Command::kPrechargeAll, Level::kPseudoChannel, "ras"},
      {"tRC", Command::kActivate, Command::kRefresh, Level::kPseudoChannel, "rc"},
      {"tRC", Command::kActivate, Command::kRefreshBank, Level::kBank, "rc"},
      {"tRRDL", Command::kActivate, Command::kRefreshBank, Level::kBankGroup, "rrdl"},
      {"tRRDS", Command::kActivate, Command::kRefreshBank, Level::kPseudoChannel, "rrds"},
      {"tRP", Command::kPrecharge, Command::kActivate, Level::kBank, "rp"},
      {"tRP", Command::kPrecharge, Command::kRefresh, Level::kPseudoChannel, "rp"},
      {"tRP", Command::kPrecharge, Command::kRefreshBank, Level::kBank, "rp"},
      {"tRP", Command::kPrechargeAll, Command::kActivate, Level::kPseudoChannel, "rp"},
      {"tRP", Command::kPrechargeAll, Command::kRefresh, Level::kPseudoChannel, "rp"},
      {"tRP", Command::kPrechargeAll, Command::kRefreshBank, Level::kPseudoChannel, "rp"},
      {"tRCDRD", Command::kActivate, Command::kRead, Level::kBank, "rcdrd"},
      {"tRCDWR", Command::kActivate, Command::kWrite, Level::kBank, "rcdwr"},
      {"tCCDL", Command::kRead, Command::kRead, Level::kBankGroup, "ccdl"},
      {"tCCDS", Command::kRead, Command::kRead, Level::kPseudoChannel, "ccds"},
      {"tCCDR", Command::kRead, Command::kRead, Level::kRank, "ccdr", true},
      {"tCCDL", Command::kWrite, Command::kWrite, Level::kBankGroup, "ccdl"},
      {"tCCDS", Command::kWrite, Command::kWrite, Level::kPseudoChannel, "ccds"},
      {"tCCDR", Command::kWrite, Command::kWrite, Level::kRank, "ccdr", true},
      {"tWTRL", Command::kWrite, Command::kRead, Level::kBankGroup, "wl + burst + wtrl"},
      {"tWTRS", Command::kWrite, Command::kRead, Level::kPseudoChannel, "wl + burst + wtrs"},
      {"tRTW", Command::kRead, Command::kWrite, Level::kPseudoChannel, "rtw"},
      {"tRTP", Command::kRead, Command::kPrecharge, Level::kBank, "rtp"},
      {"tWR", Command::kWrite, Command::kPrecharge, Level::kBank, "wl + burst + wr"},
      {"tRTP", Command::kRead, Command::kPrechargeAll, Level::kPseudoChannel, "rtp"},
      {"tWR", Command::kWrite, Command::kPrechargeAll, Level::kPseudoChannel, "wl + burst + wr"},
      {"tRTP+tRP", Command::kReadAuto, Command::kActivate, Level::kBank, "rtp + rp"},
      {"tRTP+tRP", Command::kReadAuto, Command::kRefresh, Level::kPseudoChannel, "rtp + rp"},
      {"tRTP+tRP", Command::kReadAuto, Command::kRefreshBank, Level::kBank, "rtp + rp"},
      {"tWR+tRP", Command::kWriteAuto, Command::kActivate, Level::kBank, "wl + burst + wr + rp"},
      {"tWR+tRP", Command::kWriteAuto, Command::kRefresh, Level::kPseudoChannel, "wl + burst + wr + rp"},
      {"tWR+tRP", Command::kWriteAuto, Command::kRefreshBank, Level::kBank, "wl + burst + wr + rp"},
      {"tRFC", Command::kRefresh, Command::kActivate, Level::kPseudoChannel, "rfc"},
      {"tRFC", Command::kRefresh, Command::kPrechargeAll, Level::kPseudoChannel, "rfc"},
      {"tRFC", Command::kRefresh, Command::kRefresh, Level::kPseudoChannel, "rfc"},
      {"tRFC", Command::kRefresh, Command::kRefreshBank, Level::kPseudoChannel, "rfc"},
      {"tRFCSB", Command::kRefreshBank, Command::kActivate, Level::kBank, "rfcsb"},
      {"tRFCSB", Command::kRefreshBank, Command::kRefreshBank, Level::kBank, "rfcsb"},
      {"tRFCSB", Command::kRefreshBank, Command::kRefresh, Level::kPseudoChannel, "rfcsb"},
      {"tRREFD", Command::kRefreshBank, Command::kActivate, Level::kPseudoChannel, "rrefd"},
      {"tRREFD", Command::kRefreshBank, Command::kRefreshBank, Level::kPseudoChannel, "rrefd"},
  };
  s.windows = {{"tFAW", 4, "faw"}};
  s.limits = {
      {"ras", "rcdrd", "a row is read while it is open"},
      {"rc", "ras + rp", "a bank is precharged before its next activate"},
      {"rrdl", "rrds", "banks of one group are no faster than banks of different groups"},
      {"ccdl", "ccds", "banks of one group are no faster than banks of different groups"},
      {"ccdr", "ccds", "different stack ids are no faster than one"},
      {"wtrl", "wtrs", "banks of one group are no faster than banks of different groups"},
      {"faw", "rrds", "the window holds more than one activate"},
      {"ccds", "burst", "bursts of two reads may not overlap on the data bus"},
      {"ccdl", "burst", "bursts of two reads may not overlap on the data bus"},
      {"rtw", "cl + burst - wl", "the bursts of a read and of a write may not overlap on the data bus"},
      {"rfc", "rfcsb", "a refresh of all banks is no faster than one of a single bank"},
      {"rfcsb", "rrefd", "a bank is no faster than the next bank"},
      {"refi", "rfc + rc + rc + rcdrd + rtw + wl + burst + wr + 1",
       "a refresh and a request must fit between two refreshes"},
      {"refi", "rfc + rc + rc + rcdwr + rtw + wl + burst + wr + 1",
       "a refresh and a request must fit between two refreshes"},
      {"refisb", "rrefd + rc + rtw + wl + burst + wr + 1",
       "a bank must be closed and refreshed before the next one's refresh"},
  };
  return s;
}

// A channel of 64 bits has two pseudo-channels of 32 bits with bursts of eight transfers, four in a command
// clock. Commands on the row bus take half a clock of HBM2's; an activate, which takes one and a half, holds
// the bus for two here.
DramStandard hbm3() {
  DramStandard s = hbm2();
  s.name = "hbm3";
  s.source = "JEDEC JESD238, as the models of Ramulator 2.1 quote it";
  return s;
}

HEDDLE_DRAM_STANDARD(Hbm2, hbm2());
HEDDLE_DRAM_STANDARD(Hbm3, hbm3());

}  // namespace

}  // namespace heddle
