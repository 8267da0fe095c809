// Small blocks of networks: what a search and a bound are measured with, since their optimum can be
// found by exhaustive search.
//
// Nine shapes as a compiler lowers them, 3 to 10 programs each, in the plain order: load, start,
// wait, store, one program after the other, all of them on slice 0. Sizes and cycles are those of
// real streams: a transfer takes ceil(bytes * 175 / 832) cycles, a program 500 to 30,000, and in
// some blocks each program loads 5,120 bytes of code. The chip is sl2610, but for the bytes of
// LRAM.
//
// The same shape, LRAM and seed give the same block with every compiler and library.
#ifndef TORQSCHED_TESTS_SEARCH_BLOCKS_H_
#define TORQSCHED_TESTS_SEARCH_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

enum class BlockShape : uint8_t {
  kTiles,        // one layer cut into tiles
  kBarriers,     // tiles in parts that host calls separate
  kBranches,     // branches that begin and end together
  kChain,        // each program reads what the one before has left in LRAM
  kConvolution,  // layers of tiles that read overlapping rows of an activation in LRAM
  kDecode,       // weights that pass through once, for one small vector
  kExperts,      // a mixture of experts
  kHead,         // many column tiles of one matrix product
  kLargeTiles,   // tiles of which two hardly fit into LRAM at once
};
constexpr int kBlockShapes = 9;
const char* NameOf(BlockShape shape);

// Usable LRAM, by the input order's need: the most bytes that one op uses. Never less than what the
// input order has live at once, so it can be placed without swaps as far as bytes tell.
enum class BlockLram : uint8_t {
  kTight,   // 1.3 times the need
  kDouble,  // twice
  kAmple,   // four times
  kChip,    // 523,008 bytes, the profile's
};
constexpr int kBlockLrams = 4;
const char* NameOf(BlockLram lram);

struct Block {
  std::deque<std::string> names;  // owns what the stream's views point to, also after a move
  Stream stream;
  Hardware hardware;
  size_t actions = 0;  // loads, stores, starts and barriers
  size_t programs = 0;
};

// With at most so many actions, 14 or more: first programs are left out, down to three, then loads.
Block MakeBlock(BlockShape shape, BlockLram lram, uint64_t seed, size_t most_actions = 64);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_SEARCH_BLOCKS_H_
