// This file generates meshes of tetrahedra.

#include <array>

#include "stimuli/launch/structures.h"

namespace heddle::structures {

namespace {

constexpr std::int64_t kPerCube = 6;
constexpr std::int32_t kWall = -1;
constexpr std::int32_t kStream = -2;

// The axes along which a tetrahedron goes from the corner (0, 0, 0) of its cube to (1, 1, 1): its four
// corners.
using Path = std::array<std::size_t, 3>;
constexpr std::array<Path, kPerCube> kPaths = {
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

std::int64_t number_of(const Path& path) {
  std::int64_t number = 0;
  while (kPaths[static_cast<std::size_t>(number)] != path) ++number;
  return number;
}

using Cube = std::array<std::int64_t, 3>;

// Returns the element of the path in the cube, or what lies beyond the box.
std::int32_t element_at(const Cube& box, const Cube& cube, const Path& path) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 2 && cube[axis] < 0) return kWall;
    if (cube[axis] < 0 || cube[axis] >= box[axis]) return kStream;
  }
  const std::int64_t number = (cube[2] * box[1] + cube[1]) * box[0] + cube[0];
  return static_cast<std::int32_t>(number * kPerCube + number_of(path));
}

struct Face {
  std::int32_t neighbor;
  std::array<float, 3> normal;
};

// Returns the faces, each opposite to the corner of its number. The first and the last one lie on sides of
// the cube, the others inside.
std::array<Face, 4> faces_of(const Cube& box, const Cube& cube, const Path& path) {
  Cube after = cube;
  ++after[path[0]];
  Cube before = cube;
  --before[path[2]];
  std::array<Face, 4> faces = {{{element_at(box, after, {path[1], path[2], path[0]}), {}},
                                {element_at(box, cube, {path[1], path[0], path[2]}), {}},
                                {element_at(box, cube, {path[0], path[2], path[1]}), {}},
                                {element_at(box, before, {path[2], path[0], path[1]}), {}}}};
  constexpr float kArea = 0.5F;
  faces[0].normal[path[0]] = kArea;
  faces[1].normal[path[0]] = -kArea;
  faces[1].normal[path[1]] = kArea;
  faces[2].normal[path[1]] = -kArea;
  faces[2].normal[path[2]] = kArea;
  faces[3].normal[path[2]] = -kArea;
  return faces;
}

struct Gas {
  double density;
  double velocity;
  double pressure;

  double energy() const { return 2.5 * pressure + 0.5 * density * velocity * velocity; }  // gamma is 1.4
};

// With this density and pressure, the speed of sound is 1.
constexpr Gas kFreeStream = {1.4, 1.2, 1};

}  // namespace

StructureShape shape_of_tetrahedra(std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::int64_t elements = kPerCube * x * y * z;
  const auto count = static_cast<std::uint64_t>(elements);
  StructureShape shape;
  shape.arrays = {{"neighbors", {ElementType::kI32, 4 * count}},
                  {"normals", {ElementType::kF32, 12 * count}},
                  {"states", {ElementType::kF32, 5 * count}}};
  shape.counts = {{"elements", elements}};
  return shape;
}

Structure tetrahedra(std::int64_t x, std::int64_t y, std::int64_t z, Random random) {
  const Cube box = {x, y, z};
  const auto elements = static_cast<std::size_t>(kPerCube * x * y * z);
  std::vector<std::int32_t> neighbors(4 * elements);
  std::vector<float> normals(12 * elements);
  std::vector<float> states(5 * elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::int64_t number = static_cast<std::int64_t>(i) / kPerCube;
    const Cube cube = {number % x, number / x % y, number / x / y};
    const std::array<Face, 4> faces = faces_of(box, cube, kPaths[i % kPerCube]);
    for (std::size_t face = 0; face < 4; ++face) {
      neighbors[face * elements + i] = faces[face].neighbor;
      for (std::size_t axis = 0; axis < 3; ++axis)
        normals[(axis * 4 + face) * elements + i] = faces[face].normal[axis];
    }
    const auto disturbed = [&random](double value) { return value * (0.9 + 0.2 * random.unit()); };
    const Gas gas = {disturbed(kFreeStream.density), disturbed(kFreeStream.velocity),
                     disturbed(kFreeStream.pressure)};
    states[i] = static_cast<float>(gas.density);
    states[elements + i] = static_cast<float>(gas.density * gas.velocity);
    states[4 * elements + i] = static_cast<float>(gas.energy());
  }
  Structure mesh;
  mesh.arrays = {{"neighbors", array_of(ElementType::kI32, neighbors)},
                 {"normals", array_of(ElementType::kF32, normals)},
                 {"states", array_of(ElementType::kF32, states)}};
  mesh.counts = shape_of_tetrahedra(x, y, z).counts;
  return mesh;
}

}  // namespace heddle::structures
