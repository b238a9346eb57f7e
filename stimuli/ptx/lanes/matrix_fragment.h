#pragma once
// Which element of a matrix lies where in the registers of a warp.
//
// mma, ldmatrix and wgmma: as the PTX ISA has it ("Matrix Fragments for mma", "Register Fragments" of wgmma).
// A register holds elements that follow each other in a row of a or in a column of b; of c and d, elements 2i
// and 2i + 1 of a lane are neighbours in a row. wmma, where the ISA leaves it open: a lane holds elements of
// a or b that follow each other in memory, lane 0 the first ones; with f16, groups of lanes hold copies. c
// and d consist of tiles of 8 x 8 elements, row by row, and each tile lies as c of mma.m8n8 does.

#include <cstdint>

#include "stimuli/ptx/statements/matrix.h"

namespace heddle::ptx {

struct MatrixPlace {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

// `element` counts the elements of the lane, those of the first register first, each from its low bits on.
MatrixPlace place_of(const Statement& statement, const FragmentInfo& info, std::uint32_t lane,
                     std::uint32_t element);

}  // namespace heddle::ptx
