// What torqsched_plan_residency is asked that is wrong, each with its code, its field and the words
// of its message; and what looks odd and is answered.
#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/capi/bad_requests.h"
#include "tests/capi/calls.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

// ---- Wrong ----

struct BadResidency {
  const char* scene;
  const char* request;
  const char* field;
  const char* message;  // what it begins with
};

void PrintTo(const BadResidency& bad, std::ostream* out) { *out << bad.scene; }

// Program 0 is right; the program at fault is the second, so that positions tell them apart.
#define BESIDE(program) "target { sram_bytes: 1000 crossbar: true } programs {} " program

const BadResidency kBad[] = {
    // Programs.
    {"InstancesOfZero", BESIDE("programs { name: 'conv' instances: 0 }"), "programs[1].instances",
     "program 1 'conv': 0 instances; expected at least 1"},
    {"TwoProgramsWithOneName",
     "programs { name: 'a' } programs { name: 'b' } programs { name: 'a' }", "programs[2].name",
     "program 2 'a': program 0 has the same name"},
    {"TwoProgramsWithoutAName", "programs {} programs {}", "programs[1].name",
     "program 1: program 0 has the same name"},
    {"AccessToAnUnknownTensor",
     BESIDE("programs { name: 'p' tensors { name: 't' } accesses {} accesses { tensor: 1 } }"),
     "programs[1].accesses[1].tensor",
     "program 1 'p': access 1 to unknown tensor 1; there are 1 tensors"},
    {"AccessToTheLastNumber", "programs { accesses { tensor: 4294967295 } }",
     "programs[0].accesses[0].tensor",
     "program 0: access 0 to unknown tensor 4294967295; there are 0 tensors"},
    {"TilesOfAnUnknownTensor", BESIDE("programs { name: 'p' tile_accesses { tensor: 7 } }"),
     "programs[1].tile_accesses[0].tensor",
     "program 1 'p': tile access 0 to unknown tensor 7; there are 0 tensors"},
    {"TwoTensorsWithOneName",
     BESIDE("programs { name: 'p' tensors { name: 'x' } tensors { name: 'y' } "
            "tensors { name: 'x' } }"),
     "programs[1].tensors[2].name", "program 1 'p', tensor 2 'x': tensor 0 has the same name"},
    {"UnknownRole", BESIDE("programs { name: 'p' tensors { name: 't' role: 6 } }"),
     "programs[1].tensors[0].role",
     "program 1 'p', tensor 0 't': role 6 is not known; expected activation, state, weight, input "
     "or "
     "output"},
    {"CarriedNameOfNoTensor",
     BESIDE("programs { name: 'p' tensors { name: 's' role: TENSOR_ROLE_STATE } "
            "carried { names: 's' names: 'kv' } }"),
     "programs[1].carried.names[1]",
     "program 1 'p': carried name 1 'kv' is that of no tensor; expected a state's"},
    {"CarriedNameOfNoState",
     BESIDE("programs { name: 'p' tensors { name: 'x' } carried { names: 'x' } }"),
     "programs[1].carried.names[0]",
     "program 1 'p', tensor 0 'x': carried, and no state; expected the name of a state"},
    {"MovedBytesAndTiles",
     BESIDE("programs { name: 'p' tensors { name: 'x' moved_bytes: 0 } tile_accesses {} }"),
     "programs[1].tile_accesses[0]",
     "program 1 'p', tensor 0 'x': moved bytes are given and tile accesses, too; expected one of "
     "them"},
    {"NetworkThatMovesTooMuch",
     "network { layers { name: 'a' output_bytes: 18446744073709551615 } "
     "layers { name: 'b' output_bytes: 1 } } options { strategy: RESIDENCY_STRATEGY_OPTIMAL }",
     "network",
     "program 0 'network', tensor 1 'b output': the bytes that all tensors move in all instances"},
    // Sums.
    {"TilesBeyond64Bits",
     BESIDE("programs { name: 'p' tensors { name: 'x' } tile_accesses { block_height: 4294967296 "
            "block_width: 4294967296 tile_bytes: 1 } }"),
     "programs[1].tile_accesses[0]",
     "program 1 'p', tensor 0 'x': the bytes that it moves do not fit 64 bits"},
    {"TileSumsBeyond64Bits",
     BESIDE("programs { name: 'p' tensors { name: 'x' } tile_accesses { block_height: 1 "
            "block_width: 1 tile_bytes: 18446744073709551615 } tile_accesses { block_height: 1 "
            "block_width: 1 tile_bytes: 1 } }"),
     "programs[1].tile_accesses[1]",
     "program 1 'p', tensor 0 'x': the bytes that it moves do not fit 64 bits"},
    {"BufferEndBeyond64Bits",
     BESIDE("programs { name: 'p' buffers { offset: 1 bytes: 18446744073709551615 } }"),
     "programs[1].buffers[0].bytes",
     "program 1 'p': buffer 0 of 18446744073709551615 bytes at offset 1 ends beyond 64 bits"},
    {"BuffersOfAChipBeyond64Bits",
     BESIDE("programs { name: 'p' buffers { chip: 65535 bytes: 18446744073709551615 } "
            "buffers { chip: 65535 site: 1 bytes: 1 } }"),
     "programs[1].buffers", "program 1 'p': its buffers' bytes on chip 65535 do not fit 64 bits"},
    {"LiveBytesBeyond64Bits",
     BESIDE("programs { name: 'p' tensors { name: 'x' bytes: 18446744073709551615 } "
            "tensors { name: 'y' bytes: 1 } accesses { store: true } "
            "accesses { tensor: 1 store: true } }"),
     "programs[1].tensors[1].bytes",
     "program 1 'p', tensor 1 'y': the live bytes on chip 0 in phase 0 do not fit 64 bits with it"},
    {"TablesBeyond64Bits",
     BESIDE("programs { name: 'p' carried {} "
            "tensors { name: 'a' role: TENSOR_ROLE_STATE bytes: 18446744073709551615 } "
            "tensors { name: 'b' role: TENSOR_ROLE_STATE bytes: 1 } }"),
     "programs[1].tensors[1].bytes",
     "program 1 'p', tensor 1 'b': its own tables' bytes on chip 0 do not fit 64 bits with it"},
    {"TablesAndBuffersBeyond64Bits",
     BESIDE("programs { name: 'p' carried {} buffers { bytes: 1 } "
            "tensors { name: 'a' role: TENSOR_ROLE_STATE bytes: 18446744073709551615 } }"),
     "programs[1].tensors",
     "program 1 'p': its footprint and its own tables' bytes on chip 0 do not fit 64 bits "
     "together"},
    {"InstancesBeyond64Bits",
     BESIDE("programs { name: 'p' instances: 2 "
            "tensors { name: 'w' role: TENSOR_ROLE_WEIGHT bytes: 9223372036854775808 } }"),
     "programs[1].tensors[0].bytes",
     "program 1 'p', tensor 0 'w': 9223372036854775808 bytes in each of 2 instances do not fit 64 "
     "bits"},
    {"MovedBytesOfAllBeyond64Bits",
     BESIDE("programs { name: 'p' tensors { name: 'x' moved_bytes: 18446744073709551615 } "
            "tensors { name: 'y' moved_bytes: 1 } } "
            "options { strategy: RESIDENCY_STRATEGY_OPTIMAL }"),
     "programs[1].tensors[1].moved_bytes",
     "program 1 'p', tensor 1 'y': the bytes that all tensors move in all instances do not fit 64 "
     "bits"},
    // Options.
    {"UnknownStrategy", "options { strategy: -1 }", "options.strategy",
     "options.strategy: -1 is not known; expected density or optimal"},
    {"NoBandwidthOfSram",
     "options { strategy: RESIDENCY_STRATEGY_OPTIMAL bandwidths { dram { bytes: 1 } } }",
     "options.bandwidths.sram", "options.bandwidths.sram: not set; expected bytes in a time"},
    {"NoBandwidthOfHbm",
     "target { hbm_bytes: 1 } options { strategy: RESIDENCY_STRATEGY_OPTIMAL "
     "bandwidths { sram { bytes: 1 } dram { bytes: 1 } } }",
     "options.bandwidths.hbm", "options.bandwidths.hbm: not set; expected bytes in a time"},
    {"BandwidthOfNoBytes",
     "options { strategy: RESIDENCY_STRATEGY_OPTIMAL "
     "bandwidths { sram { bytes: 1 } dram { time: 1 } } }",
     "options.bandwidths.dram", "options.bandwidths.dram: 0 bytes; expected at least 1"},
    {"HbmFasterThanSram",
     "target { hbm_bytes: 1 } options { strategy: RESIDENCY_STRATEGY_OPTIMAL bandwidths { "
     "sram { bytes: 3 time: 2 } hbm { bytes: 5 time: 3 } dram { bytes: 1 } } }",
     "options.bandwidths.hbm",
     "options.bandwidths.hbm: faster than the tier above it; expected at most as fast"},
    {"DramFasterThanSramWithoutHbm",
     "options { strategy: RESIDENCY_STRATEGY_OPTIMAL bandwidths { "
     "sram { bytes: 2 } dram { bytes: 3 } } }",
     "options.bandwidths.dram", "options.bandwidths.dram: faster than "},
    {"BandwidthsWithoutACommonUnit",
     "target { hbm_bytes: 1 } options { strategy: RESIDENCY_STRATEGY_OPTIMAL bandwidths { "
     "sram { bytes: 18446744073709551615 } hbm { bytes: 18446744073709551614 } "
     "dram { bytes: 18446744073709551613 } } }",
     "options.bandwidths",
     "options.bandwidths: times of all transfers, in a fraction of which all bandwidths are "
     "multiples, do not fit 64 bits; expected rounder numbers"},
    // Networks.
    {"NetworkBesidePrograms", "network {} programs {}", "network",
     "network: beside programs; expected one of the two"},
    {"LayerOfNoInput", "network { layers { output_bytes: 1 } layers { name: 'l' inputs: 1 } }",
     "network.layers[1].inputs[0]",
     "layer 1 'l': input 0 is layer 1; expected an earlier layer, or -1 for the network's input"},
    {"LayerWithoutOutput", "network { layers { name: 'l' } }", "network.layers[0].output_bytes",
     "layer 0 'l': the size of its output is not given; expected one, 0 if it has none"},
    // Streams.
    {"StreamOfNoProgram", BESIDE("streams {} streams { program: 1 }"), "streams[1].program",
     "stream 1, program: there is no program 1; there are 1"},
    {"StreamThatIsNone",
     "programs {} streams { stream { name: 's' ops { name: 'a' operands: 0 } } }",
     "streams[0].stream.ops[0].operands[0]",
     "stream 0 's', op 0 'a': operand op 0 is not older; operands must be older than their op"},
    {"BindingOfNoBuffer", "programs { tensors {} } streams { bindings {} }",
     "streams[0].bindings[0].buffer",
     "stream 0, bindings[0].buffer: there is no buffer 0; there are 0"},
    {"BindingOfNoTensor",
     "programs {} streams { stream { buffers { space: SPACE_LRAM } } bindings { tensor: 5 } }",
     "streams[0].bindings[0].tensor",
     "stream 0, bindings[0].tensor: there is no tensor 5; there are 0"},
    {"BindingOfABufferOutside",
     "programs { tensors {} } streams { stream { buffers { name: 'x' } } bindings {} }",
     "streams[0].bindings[0].buffer",
     "stream 0, bindings[0].buffer: buffer 0 'x' is in XRAM; expected one in LRAM"},
    {"BindingTwice",
     "programs { tensors {} } streams { stream { buffers { name: 'l' space: SPACE_LRAM } } "
     "bindings {} bindings {} }",
     "streams[0].bindings[1].buffer",
     "stream 0, bindings[1].buffer: buffer 0 'l' is bound already, to tensor 0; expected each "
     "buffer once"},
    {"BuffersLargerThanTheirTensor",
     "programs { tensors { name: 't' bytes: 9 } } streams { stream { "
     "buffers { name: 'a' space: SPACE_LRAM size: 5 } "
     "buffers { name: 'b' space: SPACE_LRAM size: 5 } } bindings {} bindings { buffer: 1 } }",
     "streams[0].bindings[1].buffer",
     "stream 0, bindings[1].buffer: with buffer 1 'b', the buffers of tensor 0 't' are larger than "
     "its 9 "
     "bytes"},
};

class BadResidencyRequest : public ::testing::TestWithParam<BadResidency> {};

TEST_P(BadResidencyRequest, IsRefusedWithItsPlace) {
  const auto request = FromText<v1::PlanResidencyRequest>(GetParam().request);
  const Answer answer = Ask(kPlanResidency, request);
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  const auto error = Parse<v1::Error>(answer.bytes);
  EXPECT_EQ(static_cast<int>(error.code()), answer.code);
  EXPECT_EQ(error.field(), GetParam().field);
  EXPECT_EQ(error.message().rfind(GetParam().message, 0), 0u) << error.message();
  EXPECT_TRUE(HasPlace(request, error.field())) << error.field();
}

INSTANTIATE_TEST_SUITE_P(Scenes, BadResidencyRequest, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(BadResidencyBytes, AreRefused) {
  auto request = FromText<v1::PlanResidencyRequest>("programs { name: 'nameX' }");
  std::string bytes = request.SerializeAsString();
  ASSERT_EQ(Ask(kPlanResidency, bytes).code, TORQSCHED_OK);
  bytes[bytes.find('X')] = '\xff';
  ExpectNoMessage(kPlanResidency, "torqsched.v1.PlanResidencyRequest", bytes);
}

// ---- Odd, and answered ----

v1::PlanResidencyResponse Plan(const std::string& request) {
  const Answer answer = Ask(kPlanResidency, FromText<v1::PlanResidencyRequest>(request));
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  return Parse<v1::PlanResidencyResponse>(answer.bytes);
}

TEST(OddResidency, NoBytesAreNoPrograms) {
  for (const std::string& request : {std::string(), std::string("target {} options {}")}) {
    const v1::PlanResidencyResponse response = Plan(request);
    EXPECT_EQ(response.programs_size(), 0);
    EXPECT_EQ(response.classes_size(), 0);
    EXPECT_EQ(response.chips_size(), 0);
  }
  const v1::PlanResidencyResponse optimal =
      Plan("options { strategy: RESIDENCY_STRATEGY_OPTIMAL explain: true }");
  EXPECT_TRUE(optimal.proof().proven());
  EXPECT_TRUE(optimal.proof().hbm_proven());
}

TEST(OddResidency, EmptyNetworkIsAProgramOfNothing) {
  const v1::PlanResidencyResponse response = Plan("network {}");
  EXPECT_EQ(response.network_program().name(), "network");
  EXPECT_EQ(response.programs_size(), 1);
  EXPECT_EQ(response.programs(0).tiers_size(), 0);
}

constexpr char kOneOfEach[] = R"pb(
  programs {
    tensors { name: "x" bytes: 8589934592 }
    tensors { name: "kv" role: TENSOR_ROLE_STATE bytes: 8589934592 }
    tensors { name: "nobody's" bytes: 18446744073709551615 }
    accesses { tensor: 0 chip: 4294967295 store: true }
    accesses { tensor: 1 chip: 65535 }
  }
)pb";

std::string Tiers(const v1::PlanResidencyResponse& response) {
  std::string tiers;
  for (const int tier : response.programs(0).tiers()) tiers += "?SHD"[tier];
  return tiers;
}

// 8 GiB each, on chips of the highest numbers; what nobody accesses takes no room.
TEST(OddResidency, SizesOver4GiBOnFarChips) {
  const std::string sram = "target { sram_bytes: 8589934592 crossbar: true } ";
  const v1::PlanResidencyResponse response = Plan(sram + kOneOfEach);
  EXPECT_EQ(Tiers(response), "SSS");
  ASSERT_EQ(response.chips_size(), 3);  // what nobody accesses stands on chip 0
  EXPECT_EQ(response.chips(0).chip(), 0u);
  EXPECT_EQ(response.chips(1).chip(), 65535u);
  EXPECT_EQ(response.chips(1).carried_bytes(), 8589934592u);
  EXPECT_EQ(response.chips(2).chip(), 4294967295u);
  EXPECT_EQ(response.chips(2).reserve_bytes(), 8589934592u);
  EXPECT_FALSE(response.programs(0).activations(1).accessed());
  const std::string less = "target { sram_bytes: 8589934591 crossbar: true } ";
  EXPECT_EQ(Tiers(Plan(less + kOneOfEach)), "DDS");
}

TEST(OddResidency, WithoutSramOrCrossbarNothingIsOnChip) {
  const std::string hbm = "hbm_bytes: 8589934592 ";
  for (const std::string& target :
       {"sram_bytes: 18446744073709551615 " + hbm, "crossbar: true " + hbm, hbm}) {
    const v1::PlanResidencyResponse response =
        Plan("target { " + target + "} options { explain: true }" + kOneOfEach);
    EXPECT_EQ(Tiers(response), "HHD") << target;
    for (const v1::ChipResidency& chip : response.chips()) EXPECT_EQ(chip.sram_bytes(), 0u);
    for (const v1::PlannedActivation& a : response.programs(0).activations()) {
      EXPECT_FALSE(a.spilled());
    }
    ASSERT_EQ(response.explanations_size(), 3);
    for (const v1::OffChipExplanation& why : response.explanations()) {
      EXPECT_EQ(why.reason(), v1::OFF_CHIP_REASON_NO_TENSORS_ON_CHIP);
    }
  }
}

// Zero bytes fit where nothing is left, and are off chip where nothing lives on chip.
TEST(OddResidency, ZeroBytesTakeNoRoom) {
  const std::string programs = R"pb(
    programs {
      buffers { bytes: 5000 }
      tensors { name: "s" role: TENSOR_ROLE_STATE moved_bytes: 18446744073709551615 }
      tensors { name: "x" }
      accesses { tensor: 1 store: true }
    })pb";
  const v1::PlanResidencyResponse response =
      Plan("target { sram_bytes: 1000 crossbar: true }" + programs);
  EXPECT_EQ(Tiers(response), "SS");
  EXPECT_EQ(response.chips(0).reserve_bytes(), 5000u);
  EXPECT_EQ(response.traffic().sram_bytes(), UINT64_MAX);
  EXPECT_EQ(Tiers(Plan("target { hbm_bytes: 1 }" + programs)), "HH");
}

TEST(OddResidency, TrafficBeyond64BitsIsTheLargestNumber) {
  const v1::PlanResidencyResponse response =
      Plan("programs { instances: 3 tensors { bytes: 1 moved_bytes: 9223372036854775808 } }");
  EXPECT_EQ(response.traffic().dram_bytes(), UINT64_MAX);
}

// ---- A session's limit ----

TEST(ResidencyMemoryLimit, IsHeldAgainstTheEstimateInTheHeader) {
  v1::PlanResidencyRequest request = RandomResidency(0, 100);
  uint64_t tiles = 0, trips = 0, carried = 0;
  for (const v1::ResidencyProgram& program : request.programs()) {
    tiles += static_cast<uint64_t>(program.tile_accesses_size());
    carried += static_cast<uint64_t>(program.carried().names_size());
    for (const v1::TileAccess& access : program.tile_accesses()) {
      trips += static_cast<uint64_t>(access.trip_counts_size());
    }
  }
  EXPECT_GT(tiles * carried * trips, 0u);
  // Two programs of 100 tensors, 200 accesses and one site buffer each.
  const uint64_t programs =
      1024 * 2 + 512 * 200 + 384 * (400 + tiles) + 512 * (2 + carried) + 32 * trips;
  ExpectLimitAt(kPlanResidency, request, programs);
  request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
  ExpectLimitAt(kPlanResidency, request, programs + 1024 * 200 + 128 * 200 * (400 + 2 + 1));
}

TEST(ResidencyMemoryLimit, CountsLayersAndStreams) {
  v1::PlanResidencyRequest request = NetworkWithStream();
  // Three layers, an input each, of one of which the bytes are given.
  const uint64_t network = 3 * (512 * 3 + 384 * (4 + 1)) + 32;
  // A stream: six ops, six buffers, twelve accesses, one binding.
  ExpectLimitAt(kPlanResidency, request, network + 1024 + 512 * 6 + 320 * 6 + 512 * 12 + 512);
  request.clear_streams();
  request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
  ExpectLimitAt(kPlanResidency, request, network + 1024 * 9 + 128 * 9 * (3 * (4 + 1) + 1));
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
