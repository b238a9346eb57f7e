// These kernels do one step of a simulation of bodies with the algorithm of Barnes and Hut, from the
// positions to the next positions: the box around all bodies, the order of the bodies along a Morton curve,
// the tree over them, the centres of mass of its cells, the forces, and the motion.
//
// The tree is a binary radix tree over Morton codes of 30 bits: a cell of it lies in the cell of the octree
// that its common bits name, and has its width. It has no locks and is the same in every run, unlike a tree
// to which threads add bodies. All lanes of a warp traverse it together: a cell is opened for all if one of
// them is near it.
//
// bodies: float4[n], position and mass, n >= 2. velocities: float4[n]. Both are written; w stays.
// accelerations: float4[n], written; w is 0. box: unsigned[6], at the start 0xffffffff. keys, chunks,
// sorted_keys: unsigned long long[n]; sorted: float4[n]; children: int2[n - 1]: a number below n is that of a
// sorted body, and n + j is cell j; cell 0 is the root. parents: int[2 n - 1]; widths: float[n - 1]; arrived:
// unsigned[n - 1], at the start 0; centers: float4[n - 1]; only the kernels use these. A cell is treated as
// one body if its width is less than `opening` times its distance. `softening`, which is above 0, is added to
// squared distances. The gravitational constant is 1.
//
// Block: T x 1 x 1, T a multiple of 32; dynamic shared memory: 24 * T bytes in barnes_hut_box, 8 * T in
// barnes_hut_gravity. Grid: ceil(n / T) in all. Results are the same for every T.
//
// Host sequence: barnes_hut_box; barnes_hut_keys; barnes_hut_chunks; barnes_hut_order; barnes_hut_tree;
// barnes_hut_centers; barnes_hut_gravity; barnes_hut_motion.
//
// Source: Barnes and Hut, A Hierarchical O(N log N) Force-calculation Algorithm, Nature, 1986; the kernels,
// and warps that traverse the tree as one: Burtscher and Pingali, An Efficient CUDA Implementation of the
// Tree-based Barnes Hut n-Body Algorithm, GPU Computing Gems, 2011 (BH of LonestarGPU); the tree: Karras,
// Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees, HPG 2012.
#include "cuda.h"

constexpr unsigned kSides = 6;         // of a box: the least x, y, z and the largest
constexpr unsigned kCodeBits = 10;     // of a coordinate in a Morton code
constexpr unsigned kChunk = 128;       // keys that are sorted together before they are merged
constexpr unsigned kMostPending = 64;  // cells that wait in a traversal; a tree is at most 62 cells deep

// Returns bits whose order as unsigned numbers is that of the floats.
HEDDLE_DEVICE unsigned ordered(float value) {
  const unsigned bits = float_bits(value);
  return bits ^ (bits >> 31 != 0 ? 0xffffffffU : 0x80000000U);
}
HEDDLE_DEVICE float unordered(unsigned bits) {
  return __builtin_bit_cast(float, bits ^ (bits >> 31 != 0 ? 0x80000000U : 0xffffffffU));
}

HEDDLE_DEVICE unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

// The largest sides are kept as their complements, so that all six are minima.
HEDDLE_KERNEL barnes_hut_box(const float4* bodies, unsigned* box, unsigned n) {
  extern __shared__ unsigned sides[];
  const unsigned thread = threadIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned body = blockIdx.x * threads + thread;
  const float4 own = bodies[body < n ? body : n - 1];
  const unsigned values[3] = {ordered(own.x), ordered(own.y), ordered(own.z)};
  for (unsigned i = 0; i < 3; ++i) {
    sides[i * threads + thread] = values[i];
    sides[(3 + i) * threads + thread] = ~values[i];
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned left_over = threads; left_over > 1;) {
    const unsigned half = (left_over + 1) / 2;
    if (thread + half < left_over)
      for (unsigned i = 0; i < kSides; ++i) {
        unsigned* const side = sides + i * threads + thread;
        *side = least(side[0], side[half]);
      }
    __syncthreads();
    left_over = half;
  }
  if (thread < kSides) atomicMin(&box[thread], sides[thread * threads]);
}

// Returns the longest side of the box.
HEDDLE_DEVICE float side_of(const unsigned* box) {
  const float x = unordered(~box[3]) - unordered(box[0]);
  const float y = unordered(~box[4]) - unordered(box[1]);
  const float z = unordered(~box[5]) - unordered(box[2]);
  return fmaxf(x, fmaxf(y, z));
}

// Moves each of the low ten bits to every third bit.
HEDDLE_DEVICE unsigned spread(unsigned bits) {
  bits = (bits | bits << 16) & 0x030000ff;
  bits = (bits | bits << 8) & 0x0300f00f;
  bits = (bits | bits << 4) & 0x030c30c3;
  return (bits | bits << 2) & 0x09249249;
}

HEDDLE_DEVICE unsigned place_of(float distance, float scale) {
  return least(static_cast<unsigned>(distance * scale), (1U << kCodeBits) - 1);
}

// A key is the Morton code of a body, and its number below it, so that keys differ.
HEDDLE_KERNEL barnes_hut_keys(const float4* bodies, const unsigned* box, uint64* keys, unsigned n) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  const float4 own = bodies[body];
  const float scale = static_cast<float>(1U << kCodeBits) / side_of(box);
  const unsigned code = spread(place_of(own.x - unordered(box[0]), scale)) << 2 |
                        spread(place_of(own.y - unordered(box[1]), scale)) << 1 |
                        spread(place_of(own.z - unordered(box[2]), scale));
  keys[body] = static_cast<uint64>(code) << 32 | body;
}

HEDDLE_KERNEL barnes_hut_chunks(const uint64* keys, uint64* chunks, unsigned n) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  const unsigned first = body / kChunk * kChunk;
  const unsigned last = least(first + kChunk, n);
  const uint64 own = keys[body];
  unsigned at = first;
  for (unsigned i = first; i < last; ++i) at += keys[i] < own ? 1 : 0;
  chunks[at] = own;
}

// The place of a key is the number of smaller keys in all chunks.
HEDDLE_KERNEL barnes_hut_order(const uint64* chunks, const float4* bodies, uint64* sorted_keys,
                               float4* sorted, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64 own = chunks[i];
  unsigned at = 0;
#pragma unroll 1
  for (unsigned chunk = 0; chunk < n; chunk += kChunk) {
    unsigned first = chunk;
    unsigned count = least(kChunk, n - chunk);
    while (count > 0) {
      const unsigned half = count / 2;
      const bool is_below = chunks[first + half] < own;
      first = is_below ? first + half + 1 : first;
      count = is_below ? count - half - 1 : half;
    }
    at += first - chunk;
  }
  sorted_keys[at] = own;
  sorted[at] = bodies[static_cast<unsigned>(own)];
}

// Returns how many leading bits the keys i and j have in common; -1: there is no key j.
HEDDLE_DEVICE int common_bits(const uint64* keys, int n, uint64 key, int j) {
  return j < 0 || j >= n ? -1 : __builtin_clzll(key ^ keys[j]);
}

HEDDLE_KERNEL barnes_hut_tree(const uint64* keys, const unsigned* box, int2* children, int* parents,
                              float* widths, unsigned n) {
  const int bodies = static_cast<int>(n);
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= bodies - 1) return;
  const uint64 key = keys[cell];
  const int after = common_bits(keys, bodies, key, cell + 1);
  const int before = common_bits(keys, bodies, key, cell - 1);
  const int step = after > before ? 1 : -1;
  const int outside = after > before ? before : after;
  int most = 2;
#pragma unroll 1
  while (common_bits(keys, bodies, key, cell + most * step) > outside) most *= 2;
  int length = 0;
#pragma unroll 1
  for (int by = most / 2; by > 0; by /= 2)
    if (common_bits(keys, bodies, key, cell + (length + by) * step) > outside) length += by;
  const int end = cell + length * step;
  const int inside = common_bits(keys, bodies, key, end);
  int split = 0;
#pragma unroll 1
  for (int by = (length + 1) / 2;; by = (by + 1) / 2) {
    if (common_bits(keys, bodies, key, cell + (split + by) * step) > inside) split += by;
    if (by == 1) break;
  }
  const int first = step > 0 ? cell : end;
  const int last = step > 0 ? end : cell;
  const int gap = step > 0 ? cell + split : cell - split - 1;  // the last body of the left child
  const int left = gap == first ? gap : bodies + gap;
  const int right = gap + 1 == last ? gap + 1 : bodies + gap + 1;
  children[cell] = {left, right};
  parents[left] = cell;
  parents[right] = cell;
  if (cell == 0) parents[bodies] = -1;
  const unsigned level = least(static_cast<unsigned>(inside - 2) / 3, kCodeBits);
  widths[cell] = side_of(box) * __builtin_bit_cast(float, (127 - level) << 23);
}

// Reads a center that another block may have written.
HEDDLE_DEVICE float4 fresh(const float4* at) {
  const volatile float* const words = &at->x;
  return {words[0], words[1], words[2], words[3]};
}

// The second of the two threads that come to a cell goes on with it.
HEDDLE_KERNEL barnes_hut_centers(const float4* sorted, const int2* children, const int* parents,
                                 unsigned* arrived, float4* centers, unsigned n) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  const int bodies = static_cast<int>(n);
  int cell = parents[body];
  while (cell >= 0) {
    fence_device();
    if (atomicAdd(&arrived[cell], 1U) == 0) return;
    fence_device();
    const int2 pair = children[cell];
    const float4 a = pair.x < bodies ? sorted[pair.x] : fresh(&centers[pair.x - bodies]);
    const float4 b = pair.y < bodies ? sorted[pair.y] : fresh(&centers[pair.y - bodies]);
    const float mass = a.w + b.w;
    centers[cell] = {fmaf(a.w, a.x, b.w * b.x) / mass, fmaf(a.w, a.y, b.w * b.y) / mass,
                     fmaf(a.w, a.z, b.w * b.z) / mass, mass};
    cell = parents[bodies + cell];
  }
}

// The mass at one end of a pull, as seen from a body.
struct Pull {
  float x, y, z;
  float mass;
  float squared;  // distance
  bool is_opened;
};

HEDDLE_DEVICE Pull look(const float4& own, const float4* sorted, const float4* centers, const float* widths,
                        int node, int bodies, float opening) {
  const bool is_cell = node >= bodies;
  const float4 mass = is_cell ? centers[node - bodies] : sorted[node];
  const float width = is_cell ? widths[node - bodies] : 0;
  Pull pull = {mass.x - own.x, mass.y - own.y, mass.z - own.z, mass.w, 0, false};
  pull.squared = fmaf(pull.x, pull.x, fmaf(pull.y, pull.y, pull.z * pull.z));
  pull.is_opened = is_cell && width * width >= opening * opening * pull.squared;
  return pull;
}

HEDDLE_DEVICE void add(float4& sum, const Pull& pull, float softening) {
  const float inverse = rsqrt_approx(pull.squared + softening);
  const float strength = pull.mass * inverse * inverse * inverse;
  sum.x = fmaf(strength, pull.x, sum.x);
  sum.y = fmaf(strength, pull.y, sum.y);
  sum.z = fmaf(strength, pull.z, sum.z);
}

// The two children of a cell are looked at together, so that their loads overlap.
HEDDLE_KERNEL barnes_hut_gravity(const float4* sorted, const uint64* keys, const float4* centers,
                                 const float* widths, const int2* children, float4* accelerations, unsigned n,
                                 float opening, float softening) {
  extern __shared__ int pending[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned body = least(i, n - 1);
  const int bodies = static_cast<int>(n);
  volatile int* const stack = pending + threadIdx.x / kWarpSize * kMostPending;
  const float4 own = sorted[body];
  float4 sum = {0, 0, 0, 0};
  unsigned count = 1;
  stack[0] = 0;
#pragma unroll 1
  while (count > 0) {
    const int2 pair = children[stack[--count]];
    const Pull left = look(own, sorted, centers, widths, pair.x, bodies, opening);
    const Pull right = look(own, sorted, centers, widths, pair.y, bodies, opening);
    const bool opens_left = any_lane(left.is_opened);
    const bool opens_right = any_lane(right.is_opened);
    if (opens_left)
      stack[count++] = pair.x - bodies;
    else
      add(sum, left, softening);
    if (opens_right)
      stack[count++] = pair.y - bodies;
    else
      add(sum, right, softening);
  }
  if (i < n) accelerations[static_cast<unsigned>(keys[body])] = sum;
}

HEDDLE_KERNEL barnes_hut_motion(float4* bodies, float4* velocities, const float4* accelerations, unsigned n,
                                float step) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body >= n) return;
  float4 position = bodies[body];
  float4 velocity = velocities[body];
  const float4 acceleration = accelerations[body];
  const float half = step / 2;
  velocity.x = fmaf(acceleration.x, half, velocity.x);
  velocity.y = fmaf(acceleration.y, half, velocity.y);
  velocity.z = fmaf(acceleration.z, half, velocity.z);
  position.x = fmaf(velocity.x, step, position.x);
  position.y = fmaf(velocity.y, step, position.y);
  position.z = fmaf(velocity.z, step, position.z);
  velocity.x = fmaf(acceleration.x, half, velocity.x);
  velocity.y = fmaf(acceleration.y, half, velocity.y);
  velocity.z = fmaf(acceleration.z, half, velocity.z);
  bodies[body] = position;
  velocities[body] = velocity;
}
