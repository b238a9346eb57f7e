#include "models/dram/standards/dram_standard.h"

namespace heddle {

namespace {

using Command = DramCommand;
using Level = DramLevel;

DramStandard gddr5() {
  DramStandard s;
  s.name = "gddr5";
  s.doc = "bank groups, one command bus, refresh of all banks";
  s.source = "JEDEC JESD212";
  s.burst = "burst";
  s.read_latency = "cl";
  s.write_latency = "wl";
  s.refresh_interval = "refi";
  s.refresh_time = "rfc";
  // The suffix s is for commands to different bank groups, and l for commands to the same one.
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
      {"wtrs", "CK", "end of write data to read, other bank group"},
      {"wtrl", "CK", "end of write data to read, same bank group"},
      {"rtw", "CK", "read to write", "cl + burst - wl + 2"},
      {"wr", "CK", "end of write data to precharge"},
      {"rtp", "CK", "read to precharge"},
      {"ppd", "CK", "precharge to precharge"},
      {"faw", "CK", "window of at most 4 activates"},
      {"aw32", "CK", "window of at most 32 activates"},
      {"refi", "CK", "mean time between refreshes"},
      {"rfc", "CK", "time of one refresh"},
  };
  s.commands = {
      {Command::kActivate, CommandBus::kShared, Level::kBank},
      {Command::kPrecharge, CommandBus::kShared, Level::kBank},
      {Command::kPrechargeAll, CommandBus::kShared, Level::kChannel},
      {Command::kRead, CommandBus::kShared, Level::kBank},
      {Command::kReadAuto, CommandBus::kShared, Level::kBank},
      {Command::kWrite, CommandBus::kShared, Level::kBank},
      {Command::kWriteAuto, CommandBus::kShared, Level::kBank},
      {Command::kRefresh, CommandBus::kShared, Level::kChannel},
  };
  s.rules = {
      {"tRC", Command::kActivate, Command::kActivate, Level::kBank, "rc"},
      {"tRAS+tRP", Command::kActivate, Command::kActivate, Level::kBank, "ras + rp"},
      {"tRRDL", Command::kActivate, Command::kActivate, Level::kBankGroup, "rrdl"},
      {"tRRDS", Command::kActivate, Command::kActivate, Level::kChannel, "rrds"},
      {"tRAS", Command::kActivate, Command::kPrecharge, Level::kBank, "ras"},
      {"tRAS", Command::kActivate, Command::kPrechargeAll, Level::kChannel, "ras"},
      {"tRAS+tRP", Command::kActivate, Command::kRefresh, Level::kChannel, "ras + rp"},
      {"tRP", Command::kPrecharge, Command::kActivate, Level::kBank, "rp"},
      {"tRP", Command::kPrecharge, Command::kRefresh, Level::kChannel, "rp"},
      {"tRP", Command::kPrechargeAll, Command::kActivate, Level::kChannel, "rp"},
      {"tRP", Command::kPrechargeAll, Command::kRefresh, Level::kChannel, "rp"},
      {"tPPD", Command::kPrecharge, Command::kPrecharge, Level::kChannel, "ppd"},
      {"tPPD", Command::kPrecharge, Command::kPrechargeAll, Level::kChannel, "ppd"},
      {"tPPD", Command::kPrechargeAll, Command::kPrecharge, Level::kChannel, "ppd"},
      {"tPPD", Command::kPrechargeAll, Command::kPrechargeAll, Level::kChannel, "ppd"},
      {"tRCDRD", Command::kActivate, Command::kRead, Level::kBank, "rcdrd"},
      {"tRCDWR", Command::kActivate, Command::kWrite, Level::kBank, "rcdwr"},
      {"tCCDL", Command::kRead, Command::kRead, Level::kBankGroup, "ccdl"},
      {"tCCDS", Command::kRead, Command::kRead, Level::kChannel, "ccds"},
      {"tCCDL", Command::kWrite, Command::kWrite, Level::kBankGroup, "ccdl"},
      {"tCCDS", Command::kWrite, Command::kWrite, Level::kChannel, "ccds"},
      {"tWTRL", Command::kWrite, Command::kRead, Level::kBankGroup, "wl + burst + wtrl"},
      {"tWTRS", Command::kWrite, Command::kRead, Level::kChannel, "wl + burst + wtrs"},
      {"tRTW", Command::kRead, Command::kWrite, Level::kChannel, "rtw"},
      {"tRTP", Command::kRead, Command::kPrecharge, Level::kBank, "rtp"},
      {"tWR", Command::kWrite, Command::kPrecharge, Level::kBank, "wl + burst + wr"},
      {"tRTP", Command::kRead, Command::kPrechargeAll, Level::kChannel, "rtp"},
      {"tWR", Command::kWrite, Command::kPrechargeAll, Level::kChannel, "wl + burst + wr"},
      {"tRTP+tRP", Command::kReadAuto, Command::kActivate, Level::kBank, "rtp + rp"},
      {"tRTP+tRP", Command::kReadAuto, Command::kRefresh, Level::kChannel, "rtp + rp"},
      {"tWR+tRP", Command::kWriteAuto, Command::kActivate, Level::kBank, "wl + burst + wr + rp"},
      {"tWR+tRP", Command::kWriteAuto, Command::kRefresh, Level::kChannel, "wl + burst + wr + rp"},
      {"tRFC", Command::kRefresh, Command::kActivate, Level::kChannel, "rfc"},
      {"tRFC", Command::kRefresh, Command::kPrecharge, Level::kChannel, "rfc"},
      {"tRFC", Command::kRefresh, Command::kRefresh, Level::kChannel, "rfc"},
  };
  s.windows = {{"tFAW", 4, "faw"}, {"t32AW", 32, "aw32"}};
  // Data sheets round each time up separately, so rc may be one clock less than ras + rp.
  s.limits = {
      {"ras", "rcdrd", "a row is read while it is open"},
      {"rc", "ras + rp - 1", "a bank is precharged before its next activate"},
      {"rrdl", "rrds", "banks of one group are no faster than banks of different groups"},
      {"ccdl", "ccds", "banks of one group are no faster than banks of different groups"},
      {"wtrl", "wtrs", "banks of one group are no faster than banks of different groups"},
      {"faw", "rrds", "the window holds more than one activate"},
      {"aw32", "faw", "the window holds more activates than faw's"},
      {"ccds", "burst", "bursts of two reads may not overlap on the data bus"},
      {"ccdl", "burst", "bursts of two reads may not overlap on the data bus"},
      {"rtw", "cl + burst - wl", "the bursts of a read and of a write may not overlap on the data bus"},
      {"refi", "rfc + ras + rp + rc + rcdrd + rtw + wl + burst + wr + 1",
       "a refresh and a request must fit between two refreshes"},
      {"refi", "rfc + ras + rp + rc + rcdwr + rtw + wl + burst + wr + 1",
       "a refresh and a request must fit between two refreshes"},
  };
  return s;
}

HEDDLE_DRAM_STANDARD(Gddr5, gddr5());

}  // namespace

}  // namespace heddle
