#pragma once
// A GDDR5 that also refreshes banks, and the memory of the GTX 480 with it.

#include "tests/support/dram/gddr5.h"

namespace heddle::test {

// Returns a standard with one command bus and refreshes of the same bank of each group at once, or of one
// bank.
inline DramStandard gddr5_with_bank_refresh(bool same_bank) {
  DramStandard standard = *find_dram_standard("gddr5");
  standard.name = "test-bank-refresh";
  standard.parameters.push_back({"refisb", "CK", "mean time between refreshes of banks"});
  standard.parameters.push_back({"rfcsb", "CK", "time of a refresh of banks"});
  standard.bank_refresh_interval = "refisb";
  standard.bank_refresh_time = "rfcsb";
  standard.refreshes_same_bank = same_bank;
  standard.commands.push_back({DramCommand::kRefreshBank, CommandBus::kShared, DramLevel::kBank});
  const auto add = [&](DramCommand previous, DramCommand next, const char* distance) {
    standard.rules.push_back({"rule", previous, next, DramLevel::kBank, distance});
  };
  add(DramCommand::kActivate, DramCommand::kRefreshBank, "rc");
  add(DramCommand::kPrecharge, DramCommand::kRefreshBank, "rp");
  add(DramCommand::kReadAuto, DramCommand::kRefreshBank, "rtp + rp");
  add(DramCommand::kWriteAuto, DramCommand::kRefreshBank, "wl + burst + wr + rp");
  add(DramCommand::kRefreshBank, DramCommand::kActivate, "rfcsb");
  add(DramCommand::kRefreshBank, DramCommand::kRefreshBank, "rfcsb");
  return standard;
}

// `interval` is the time between refreshes, `postpone` the refreshes that may be postponed.
inline DramSpec bank_refresh_spec(const DramStandard& standard, std::uint32_t interval,
                                  std::uint32_t postpone) {
  const DramTiming gddr5 = gddr5_spec().timing;
  DramSpec spec = gddr5_spec(kGroupAboveBank, true);
  spec.timing = DramTiming(standard);
  for (const TimingParameter& parameter : gddr5.standard().parameters)
    spec.timing[parameter.name] = gddr5[parameter.name];
  spec.timing["refisb"] = interval;
  spec.timing["rfcsb"] = 60;
  spec.refresh_by_bank = true;
  spec.refresh_postpone = postpone;
  return spec;
}

}  // namespace heddle::test
