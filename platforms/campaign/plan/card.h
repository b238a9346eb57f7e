#pragma once
// This file has the reader of cards. A card is a GPU on which programs were measured. The YAML file of a card
// names the table of measured times, the platform that models the GPU, and the mechanisms of that platform
// that are switched off one by one. The folder stimuli/cards has the cards that come with Heddle, and their
// tables.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

// A CardMechanism is a key of the platform with a value that switches a mechanism off.
struct CardMechanism {
  std::string name;     // of its campaign, too
  Assignment change;    // as of --set, or policy.DECISION
  std::string meaning;  // what is missing then, a sentence
};

struct Card {
  std::string name;
  std::string title;
  std::string table;                      // the absolute path of its file
  std::string platform;                   // a name or a file, as given
  std::string platform_file;              // its path
  std::vector<std::size_t> points;        // rows of the table that are simulated, from 0
  std::string points_words;               // which ones these are
  std::vector<std::size_t> changed;       // rows that are simulated without each mechanism
  std::string changed_words;              // which ones these are
  std::vector<CardMechanism> mechanisms;  // may be empty
  // The campaign `points`, and behind it one for each mechanism. A campaign's points have the order of its
  // rows.
  std::vector<Campaign> campaigns;
  bool has_short = false;             // it has a short form
  bool is_short = false;              // this is the short form
  std::optional<double> run_seconds;  // mean wall time of a run, for an estimate before any has ended
};

// Loads a card by name or file. The file of the table lies beside it. Throws config::Error with every problem
// of the file and its place, with the first wrong line of the table, or with the first point that does not
// load.
Card load_card(const std::string& name_or_file, bool is_short = false);

// Returns the text of card.json, from which scripts/card_page makes the page of the card. The page shows
// `command` as the command that repeats the runs.
std::string card_text(const Card& card, const std::string& command);

}  // namespace heddle
