#pragma once
// This file reads a parameter of requests: a distribution, or a column of the file of arrivals.
//
//   {distribution: constant, value: 4}              {distribution: uniform, least: 1, most: 8}
//   {distribution: exponential, mean: 300}          {distribution: normal, mean: 300, deviation: 20}
//   {distribution: lognormal, mean: 300, deviation: 200}
//   {distribution: gamma, mean: 300, variation: 2}  {distribution: geometric, mean: 40}
//   {distribution: choice, of: [1, 4, 8], weights: [2, 1, 1]}
//   {column: tokens}
//
// All distributions take `round: true`, `least` and `most`: a draw is rounded to a whole number, and one
// beyond a limit becomes the limit. A uniform distribution with whole limits draws whole numbers, both limits
// included.

#include <string>

#include "models/core/config/config.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

// `table` is null without a file of arrivals.
RequestParameter read_parameter(const std::string& name, const config::Value& value,
                                const ArrivalTable* table);

// Marks every key of a value as known that is replaced by another one.
void accept_all(const config::Value& value);

}  // namespace heddle
