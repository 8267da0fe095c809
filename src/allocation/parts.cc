#include "src/allocation/parts.h"

namespace torqsched {
namespace {

// By section: the part that it belongs to.
std::vector<uint32_t> PartOfSections(const Packing& packing, uint32_t* parts) {
  std::vector<int64_t> crossing(packing.sections + 1, 0);  // bodies in both s - 1 and s
  for (const Body& body : packing.bodies) {
    ++crossing[body.first + 1];
    --crossing[body.last];
  }
  std::vector<uint32_t> part_of(packing.sections);
  int64_t bodies = 0;
  *parts = 0;
  for (uint32_t s = 0; s < packing.sections; ++s) {
    bodies += crossing[s];
    if (bodies == 0) ++*parts;
    part_of[s] = *parts - 1;
  }
  return part_of;
}

}  // namespace

std::vector<PackingPart> SplitIntoParts(const Packing& packing) {
  uint32_t count = 0;
  const std::vector<uint32_t> part_of = PartOfSections(packing, &count);
  std::vector<PackingPart> parts(count);
  std::vector<uint32_t> first_section(count, 0);
  for (uint32_t s = packing.sections; s-- > 0;) {
    first_section[part_of[s]] = s;
    ++parts[part_of[s]].packing.sections;
  }
  for (PackingPart& part : parts) {
    part.packing.grain = packing.grain;
    part.packing.stride = packing.stride;
    part.packing.room = packing.room;
  }
  for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
    Body body = packing.bodies[b];
    PackingPart& part = parts[part_of[body.first]];
    const uint32_t first = first_section[part_of[body.first]];
    body.first -= first;
    body.last -= first;
    part.bodies.push_back(b);
    part.packing.bodies.push_back(body);
    for (const Piece& piece : packing.pieces[b]) {
      part.packing.pieces.Add({piece.first - first, piece.last - first, piece.size, piece.rounded});
    }
    part.packing.pieces.EndRow();
  }
  return parts;
}

}  // namespace torqsched
