#pragma once
// The reader of a table with times or cycles of programs that were measured on a card.

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/campaign/plan/axes.h"

namespace heddle {

// A program at one size.
struct CardPoint {
  std::size_t row = 0;  // of the table's points, from 0
  std::string place;    // "FILE:LINE", for messages
  std::string benchmark;
  std::string launch;                  // a name in stimuli/launches, or a file
  std::vector<Assignment> parameters;  // of the launch file, with the names "parameters.n"
  double measured = 0;                 // on the card, in the unit of the table
};

struct CardTable {
  std::string unit;  // us, or cycles of the card's SMs
  std::vector<CardPoint> points;
};

// Reads lines `# ...` and a table with the head suite,benchmark,launch,parameters,us,launch_bound, or with
// `cycles` in place of `us`. A last column accel_sim may stand behind these. Parameters are n=48;block_x=8.
// Throws config::Error with FILE:LINE for the first line that is wrong. scripts/card_page reads the same file
// and checks the columns that are not kept here.
CardTable read_card_table(const std::string& file);

}  // namespace heddle
