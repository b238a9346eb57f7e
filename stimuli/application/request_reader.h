#pragma once
// This file reads which requests an application serves, and their parameters.
//
//   arrivals:
//     kind: poisson             # closed, periodic, poisson, uniform, gamma, times
//     rate: 200Hz
//     requests: 10000           # or duration: 50s
//     deadline: 20ms
//     queue: {limit: 64, when_full: shed}
//     warm_up: 100              # requests, or a time
//     window: 9000
//   parameters:
//     tokens: {distribution: lognormal, mean: 300, deviation: 200, round: true, least: 1, most: 4096}
//     batch: {column: batch}    # of the file of arrivals
//   batching: {sequences: 64}   # see batch_reader.h
//
// stimuli/APPLICATIONS.md, "Requests", describes each key.

#include <optional>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

// What an experiment says of the requests of one of its applications.
struct StatedRequests {
  std::optional<config::Section> arrivals;
  std::optional<config::Section> parameters;
  std::optional<config::Section> batching;
};

struct RequestReading {
  std::optional<RequestSpec> spec;           // none without arrivals
  std::vector<RequestParameter> parameters;  // also without arrivals
  // Of a pass of the program: the same ones, or those of a step of a batch.
  std::vector<RequestParameter> pass_parameters;
  std::optional<std::uint64_t> seed;  // where the file states one
  std::optional<config::Value> file;  // that names the table of arrivals
  std::string file_path;
};

// Reads `arrivals`, `parameters` and `batching` of `own`, the application's file, if there is one. What the
// experiment states replaces it: a `kind` replaces all keys of arrivals, another key that key alone, and a
// parameter that parameter. Problems are recorded in the documents.
RequestReading read_requests(const std::optional<config::Section>& own, const StatedRequests& stated);

}  // namespace heddle
