// This kernel computes the distances of records from a place, as Rodinia's nn does.
//
// places: float[n][2], latitude and longitude. distances: float[n], written.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: place_distances, `launches` times.
//
// Source: Cover and Hart, Nearest Neighbor Pattern Classification, 1967 (exhaustive search); nn of Rodinia
// (the work of a thread).
#include "cuda.h"

struct Place {
  float latitude, longitude;
};

HEDDLE_KERNEL place_distances(const Place* places, float* distances, int n, float latitude, float longitude) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float dy = latitude - places[i].latitude;
  const float dx = longitude - places[i].longitude;
  distances[i] = sqrtf(dy * dy + dx * dx);
}
