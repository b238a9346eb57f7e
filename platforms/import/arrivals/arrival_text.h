#pragma once
// An imported trace as text: the file of arrivals, and what a user is told.

#include <ostream>
#include <string>

#include "platforms/import/arrivals/arrival_import.h"

namespace heddle::imported {

// Writes the file that stimuli/application/arrival_file.h reads, with times in ms to the picosecond.
void write_arrivals(std::ostream& out, const ArrivalTable& table);

// Returns lines that tell what was read of `input`, what was left out, and what `output` has.
std::string summary_of(const ArrivalImport& result, const std::string& input, const std::string& output);

// Returns the keys of an application, or of its entry in an experiment, that use the file.
std::string entry_for(const ArrivalTable& table, const std::string& output);

}  // namespace heddle::imported
