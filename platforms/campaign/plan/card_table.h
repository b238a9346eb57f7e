#pragma once
// This file has the reader of the tables of cards. A row of such a table is a program of a certain size, and
// how long it took on the card.

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

// Reads a table in CSV. Its head is suite,benchmark,launch,parameters,us,launch_bound, or has `cycles` in
// place of `us`, and may end with a further column accel_sim. Parameters are written as n=48;block_x=8. Lines
// that start with # are comments. Throws config::Error with FILE:LINE for the first line that is wrong.
// scripts/card_page reads the same file, and checks the columns that CardPoint does not have.
CardTable read_card_table(const std::string& file);

}  // namespace heddle
