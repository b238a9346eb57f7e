// This kernel finds the nearest cluster of each point, as Rodinia's kmeans does.
//
// features: float[feature_count][n]. centers: float[clusters][feature_count], the centers of the clusters.
// membership: int[n], written: the cluster whose centre is nearest, the first one of equal distances.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: nearest_cluster, `launches` times.
//
// Source: Lloyd, Least Squares Quantization in PCM, IEEE Transactions on Information Theory, 1982; kmeans of
// Rodinia (the work of a thread; textures and constant memory there).
#include "cuda.h"

constexpr float kFarthest = 3.40282347e+38F;

HEDDLE_KERNEL nearest_cluster(const float* features, int feature_count, int n, int clusters, int* membership,
                              const float* centers) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= n) return;
  int nearest = -1;
  float least = kFarthest;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    const int first = cluster * feature_count;
    float square = 0;
    for (int i = 0; i < feature_count; ++i) {
      const float distance = features[point + i * n] - centers[first + i];
      square = fmaf(distance, distance, square);
    }
    if (square < least) {
      least = square;
      nearest = cluster;
    }
  }
  membership[point] = nearest;
}
