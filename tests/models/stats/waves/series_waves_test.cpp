// A series as a waveform: its paths as scopes, and its values over time.

#include "models/stats/waves/series_waves.h"

#include <gtest/gtest.h>

#include <sstream>

#include "models/stats/waves/vcd_writer.h"

namespace heddle {
namespace {

struct Gpu {
  Gpu() {
    gpu.attach(sm2);
    gpu.attach(sm10);
    sm2.child("cycles").add(active2, "active", "cycle", "cycles that issued");
    sm10.child("cycles").add(active10, "active", "cycle", "cycles that issued");
    gpu.add(hits, "hits", "access", "hits");
    gpu.add_formula("share", "1", "hits per active cycle", {hits}, {active2});
    sm2.add_level("queue", "entry", "entries of the queue", [this] { return queue; });
  }
  Counter hits, active2, active10;
  double queue = 1.5;
  Group gpu{"gpu"};
  Group sm2{"sm2"};
  Group sm10{"sm10"};
};

TEST(SeriesWaves, APathIsScopesAndAVariableAndAnIntervalStandsFromItsBeginOn) {
  Gpu gpu;
  std::ostringstream out;
  VcdWriter waves(out);
  Series series(gpu.gpu, {"*"});
  SeriesWaves drawn(series, waves);
  gpu.hits += 2;
  gpu.active2 += 4;
  series.sample();
  drawn.draw(0);
  gpu.active10 += 3;
  gpu.queue = 2;
  series.sample();
  drawn.draw(1000);
  waves.finish(1500);
  EXPECT_EQ(out.str(),
            "$version Heddle $end\n"
            "$timescale 1 ps $end\n"
            "$scope module gpu $end\n"
            "$var integer 64 ! hits $end\n"
            "$var real 64 \" share $end\n"
            "$scope module sm2 $end\n"
            "$scope module cycles $end\n"
            "$var integer 64 # active $end\n"
            "$upscope $end\n"
            "$var real 64 $ queue $end\n"
            "$upscope $end\n"
            "$scope module sm10 $end\n"
            "$scope module cycles $end\n"
            "$var integer 64 % active $end\n"
            "$upscope $end\n"
            "$upscope $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#0\nb10 !\nr0.5 \"\nb100 #\nr1.5 $\nb0 %\n"
            "#1000\nb0 !\nrnan \"\nb0 #\nr2 $\nb11 %\n"
            "#1500\n");
}

}  // namespace
}  // namespace heddle
