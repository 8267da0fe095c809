// An input order that races is refused, and the message names the oldest op that does; one that
// does not race is not.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/dependence_graph.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

// Programs in flight, and accesses to a few bytes that nobody looks after.
void DraftCarelessStream(SplitMix64* random, StreamMaker* maker) {
  const uint64_t buffers = random->Between(1, 4);
  for (uint64_t b = 0; b < buffers; ++b) maker->Add(b % 2 == 0 ? LramBuffer(12) : XramBuffer(12));
  const uint64_t ops = random->Between(2, 16);
  const uint64_t write_percent = random->Between(5, 60);
  std::vector<uint32_t> in_flight;
  for (uint64_t i = 0; i < ops; ++i) {
    if (!in_flight.empty() && random->Percent(35)) {
      const size_t which = random->Below(in_flight.size());
      maker->Wait(in_flight[which]);
      in_flight.erase(in_flight.begin() + which);
      continue;
    }
    std::vector<AccessSpec> accesses;
    for (uint64_t k = random->Below(3); k > 0; --k) {
      const uint64_t begin = random->Below(12);
      const bool writes = random->Percent(write_percent);
      accesses.push_back({static_cast<uint32_t>(random->Below(buffers)),
                          !writes || random->Percent(30), writes, begin,
                          random->Below(13 - begin)});
    }
    if (random->Percent(60)) {
      in_flight.push_back(maker->Start(random->Below(50), accesses));
    } else {
      maker->Barrier(0, accesses);
    }
  }
  for (const uint32_t start : in_flight) {
    if (random->Percent(90)) maker->Wait(start);  // else it is a barrier
  }
}

bool Overlap(const Access& a, const Access& b) {
  return (a.writes || b.writes) && std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

// Of the oldest op that races, the lowest buffer in which it does; absent without races.
BufferIndex LowestRacingBuffer(const Stream& stream, OpIndex op) {
  BufferIndex lowest;
  for (uint32_t s = 0; s < op.value(); ++s) {
    const Op& start = stream.op(OpIndex(s));
    if (start.kind != OpKind::kStart || start.partner < op) continue;
    for (const Access& held : stream.accesses(OpIndex(s))) {
      for (const Access& a : stream.accesses(op)) {
        if (a.buffer == held.buffer && Overlap(a, held) && a.buffer < lowest) lowest = a.buffer;
      }
    }
  }
  return lowest;
}

// Whether the message names a program that is in flight at the op and conflicts with it there.
bool NamesAConflictingProgram(const Stream& stream, OpIndex op, BufferIndex buffer,
                              const std::string& message) {
  for (uint32_t s = 0; s < op.value(); ++s) {
    const Op& start = stream.op(OpIndex(s));
    if (start.kind != OpKind::kStart || start.partner < op) continue;
    bool conflicts = false;
    for (const Access& held : stream.accesses(OpIndex(s))) {
      for (const Access& a : stream.accesses(op)) {
        conflicts |= a.buffer == buffer && held.buffer == buffer && Overlap(a, held);
      }
    }
    const std::string named = " that " + stream.Describe(OpIndex(s)) + " holds until " +
                              stream.Describe(start.partner) + ",";
    if (conflicts && message.find(named) != std::string::npos) return true;
  }
  return false;
}

TEST(Races, AreRefusedExactlyWhereTheReferenceFindsOne) {
  int raced = 0;
  int fine = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    SplitMix64 random(seed);
    random.Next();
    StreamMaker maker;
    DraftCarelessStream(&random, &maker);
    const Stream stream = maker.Build();
    const std::vector<reference::Race> races = reference::ReferenceRaces(stream);
    const absl::Status status = DependenceGraph::Build(stream).status();
    if (races.empty()) {
      ASSERT_TRUE(status.ok()) << status;
      ++fine;
      continue;
    }
    ++raced;
    OpIndex oldest;
    for (const reference::Race& race : races) {
      if (race.other < oldest) oldest = race.other;
    }
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    const ErrorPlace place = PlaceOf(status);
    ASSERT_EQ(place.op, oldest);
    ASSERT_EQ(place.field, "stream.ops[" + std::to_string(oldest.value()) + "].accesses");
    ASSERT_EQ(place.buffer, LowestRacingBuffer(stream, oldest));
    ASSERT_TRUE(
        NamesAConflictingProgram(stream, oldest, place.buffer, std::string(status.message())))
        << status.message();
  }
  EXPECT_GT(raced, 1500);
  EXPECT_GT(fine, 1500);
}

class RaceScenes : public testing::Test {
 protected:
  void ExpectRaceAt(uint32_t op, uint32_t buffer) {
    const absl::Status status = DependenceGraph::Build(maker_.Build()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(PlaceOf(status).op, OpIndex(op));
    EXPECT_EQ(PlaceOf(status).buffer, BufferIndex(buffer));
  }
  void ExpectNoRace() {
    const absl::Status status = DependenceGraph::Build(maker_.Build()).status();
    EXPECT_TRUE(status.ok()) << status;
  }

  StreamMaker maker_;
};

TEST_F(RaceScenes, TheMessageTellsWhoHoldsWhatUntilWhen) {
  maker_.Lram(16, "w");
  OpSpec spec;
  spec.kind = OpKind::kStart;
  spec.name = "P";
  maker_.Add(spec, {Reads(0)}, {});
  maker_.Load(1, {Writes(0, 15, 1)});
  maker_.Wait(0);
  ExpectInvalid(
      DependenceGraph::Build(maker_.Build()).status(),
      "op 1: touches bytes of buffer 0 'w' that op 0 'P' holds until op 2, one of the two "
      "writing them; expected it after that wait",
      {"stream.ops[1].accesses", OpIndex(1), BufferIndex(0)});
}

TEST_F(RaceScenes, TwoProgramsMayReadTheSameBytes) {
  maker_.Lram(16);
  const uint32_t p = maker_.Start(1, {Reads(0)});
  const uint32_t q = maker_.Start(1, {Reads(0)});
  maker_.Store(1, {Reads(0)});
  maker_.Wait(q);
  maker_.Wait(p);
  maker_.Load(1, {Writes(0)});
  ExpectNoRace();
}

TEST_F(RaceScenes, BytesSideBySideDoNotRace) {
  maker_.Lram(16);
  const uint32_t p = maker_.Start(1, {Writes(0, 4, 8)});
  maker_.Load(1, {Writes(0, 0, 4), Writes(0, 12, 4), Writes(0, 8, 0)});
  maker_.Wait(p);
  ExpectNoRace();
}

TEST_F(RaceScenes, AReaderAmongManyIsFoundThroughTheGroup) {
  maker_.Lram(64);
  std::vector<uint32_t> starts;
  for (int i = 0; i < 8; ++i) starts.push_back(maker_.Start(1, {Reads(0)}));
  for (int i = 0; i < 7; ++i) maker_.Wait(starts[i]);  // the last one runs on
  maker_.Load(1, {Writes(0, 0, 1)});
  maker_.Load(1, {Writes(0, 60, 1)});
  maker_.Wait(starts[7]);
  ExpectRaceAt(15, 0);
}

TEST_F(RaceScenes, AWriterBehindItsReadersIsStillFound) {
  maker_.Lram(8);
  const uint32_t p = maker_.Start(1, {Writes(0)});
  maker_.Store(1, {Reads(0)});  // races, and hides the writer from the next
  maker_.Load(1, {Writes(0)});
  maker_.Wait(p);
  ExpectRaceAt(1, 0);
}

TEST_F(RaceScenes, TheOldestOpIsToldWhicheverBufferItRacesIn) {
  maker_.Lram(8);
  maker_.Lram(8);
  const uint32_t p = maker_.Start(1, {Reads(0), Reads(1)});
  maker_.Load(1, {Writes(1)});
  maker_.Load(1, {Writes(0)});
  maker_.Wait(p);
  ExpectRaceAt(1, 1);
}

TEST_F(RaceScenes, AStartWithoutWaitHoldsNothing) {
  maker_.Lram(8);
  maker_.Start(1, {Writes(0)});
  maker_.Load(1, {Writes(0)});
  ExpectNoRace();
}

}  // namespace
}  // namespace torqsched
