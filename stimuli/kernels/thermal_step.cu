// This kernel computes one explicit step of the temperature of a chip. Every cell is a thermal capacity that
// its power heats and that resistances connect to its four neighbours and to the ambient. No heat crosses the
// edge of the chip.
//
// temperature_in, temperature_out, power: float[rows][columns]; temperature_out is written. per_capacity:
// time step / capacity of a cell. per_x, per_y, per_z: 1 / resistance between neighbours in a row, between
// neighbours in a column, and to the ambient.
//
// Block: 16 x 16 x 1. Grid: ceil(columns / 16) x ceil(rows / 16). Deterministic.
//
// Host sequence: thermal_step `steps` times; temperature_in and temperature_out are swapped after each.
//
// Source: Huang et al., HotSpot: A Compact Thermal Modeling Methodology for Early-Stage VLSI Design, 2006.
#include "cuda.h"

constexpr unsigned kTile = 16;

HEDDLE_KERNEL thermal_step(const float* temperature_in, float* temperature_out, const float* power,
                           unsigned rows, unsigned columns, float per_capacity, float per_x, float per_y,
                           float per_z, float ambient) {
  __shared__ float tile[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned column = blockIdx.x * kTile + x;
  const unsigned row = blockIdx.y * kTile + y;
  const bool inside = row < rows && column < columns;
  const unsigned at = row * columns + column;
  if (inside) tile[y][x] = temperature_in[at];
  __syncthreads();
  if (!inside) return;
  // Neighbours beyond the tile are read from global memory. Beyond the chip the cell's own temperature is
  // used, so that no heat flows.
  const float own = tile[y][x];
  const float north = row == 0 ? own : y > 0 ? tile[y - 1][x] : temperature_in[at - columns];
  const float south = row + 1 == rows ? own : y + 1 < kTile ? tile[y + 1][x] : temperature_in[at + columns];
  const float west = column == 0 ? own : x > 0 ? tile[y][x - 1] : temperature_in[at - 1];
  const float east = column + 1 == columns ? own : x + 1 < kTile ? tile[y][x + 1] : temperature_in[at + 1];
  const float flow = power[at] + (north + south - 2 * own) * per_y + (west + east - 2 * own) * per_x +
                     (ambient - own) * per_z;
  temperature_out[at] = own + per_capacity * flow;
}
