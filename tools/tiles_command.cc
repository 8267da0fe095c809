// torqsched tiles: which part of LRAM each loop may use, and how a matrix product is cut.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "src/report/tiling.h"
#include "src/tiling/operand_bytes.h"
#include "src/tiling/plan_tiles.h"
#include "src/wire/tiling_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "torqsched/v1/tiling.pb.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kMostRows = 1000;

// "1x128x768x3072": batch, m, k, n, as the source writes them; of elements such as bf16. Constants
// are its weights.
Failure ReadMatmul(const Arguments& arguments, v1::PlanTilesRequest* request) {
  const std::string text = arguments.Value("matmul");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, 'x');
  uint64_t sizes[4] = {};
  bool numbers = parts.size() == 4;
  for (size_t i = 0; numbers && i < 4; ++i) {
    numbers = parts[i].find_first_not_of("0123456789") == absl::string_view::npos &&
              absl::SimpleAtoi(parts[i], &sizes[i]);
  }
  if (!numbers) {
    return UsageFailure(
        absl::StrCat("--matmul: '", text, "'; expected BATCHxMxKxN, such as 1x128x768x3072"));
  }
  const std::string type = arguments.Has("type") ? arguments.Value("type") : "int8";
  const uint32_t bits = type == "int4" ? 4 : type == "int8" ? 8 : type == "bf16" ? 16 : 0;
  if (bits == 0) {
    return UsageFailure(
        absl::StrCat("--type: '", type, "' is not known; expected int4, int8 or bf16"));
  }
  v1::TileLoop* const loop = request->add_loops();
  loop->set_name("matmul");
  loop->set_contraction(true);
  v1::Contraction* const shape = loop->mutable_shape();
  shape->set_batch(sizes[0]);
  shape->set_m(sizes[1]);
  shape->set_k(sizes[2]);
  shape->set_n(sizes[3]);
  shape->set_lhs_bits(bits);
  shape->set_weight_bits(bits);
  shape->set_out_bits(bits);
  // Where they do not fit 64 bits, planning refuses the shape.
  uint64_t constants = 0;
  OperandBytes(sizes[2], sizes[3], bits, &constants);
  request->set_constant_bytes(constants);
  return {};
}

Failure ReadInput(const Arguments& arguments, std::string* file, v1::PlanTilesRequest* request) {
  const bool matmul = arguments.Has("matmul");
  if (matmul == !arguments.operands().empty()) {
    return UsageFailure(matmul ? "INPUT beside --matmul; expected one of the two"
                               : "expected INPUT or --matmul BATCHxMxKxN");
  }
  if (!matmul && arguments.Has("type")) return UsageFailure("--type needs --matmul");
  if (matmul) return ReadMatmul(arguments, request);
  *file = ShownPath(arguments.operands()[0]);
  return ReadMessage(arguments, arguments.operands()[0], request);
}

Failure ReadOptions(const Arguments& arguments, v1::PlanTilesRequest* request) {
  std::optional<uint64_t> constants, loop, contraction;
  Failure failure = arguments.Bytes("constants", &constants);
  if (!failure.failed()) failure = arguments.Number("loop-percent", &loop, 100);
  if (!failure.failed()) failure = arguments.Number("contraction-percent", &contraction, 100);
  if (failure.failed()) return failure;
  if (constants.has_value()) request->set_constant_bytes(*constants);
  if (loop.has_value()) {
    request->mutable_options()->set_loop_percent(static_cast<uint32_t>(*loop));
  }
  if (contraction.has_value()) {
    request->mutable_options()->set_contraction_percent(static_cast<uint32_t>(*contraction));
  }
  if (!arguments.Has("hardware")) return {};
  std::string hardware_file;
  return ReadHardware(arguments, request->mutable_hardware(), &hardware_file);
}

}  // namespace

CommandSpec TilesSpec() {
  return {"tiles",
          "[INPUT]",
          "\nSays how much of LRAM the tiles of each loop may use so that the next weights can\n"
          "be loaded early, and how a matrix product is cut. INPUT is a PlanTilesRequest; or\n"
          "--matmul gives one product.\n",
          0,
          1,
          {{"matmul", "BxMxKxN", "one product, instead of INPUT"},
           {"type", "NAME", "of its elements: int4, int8 (default) or bf16"},
           {"constants", "BYTES", "of the function, instead of the file's"},
           {"loop-percent", "N", "of usable LRAM, for loops (50)"},
           {"contraction-percent", "N", "for contractions (40)"},
           HardwareOption(),
           OutputOption(),
           FormatOption(),
           InputFormatOption()}};
}

Failure RunTiles(const Arguments& arguments) {
  std::optional<Format> format;
  std::string file;
  v1::PlanTilesRequest request;
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadInput(arguments, &file, &request);
  if (!failure.failed()) failure = ReadOptions(arguments, &request);
  if (failure.failed()) return failure;
  const absl::StatusOr<TilingRequest> parsed = TilingFromProto(request);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), file);
  const absl::StatusOr<TilePlan> plan = PlanTiles(*parsed);
  if (!plan.ok()) return FailureFromStatus(plan.status(), file);
  if (format.has_value()) {
    v1::PlanTilesResponse response;
    TilePlanToProto(*plan, &response);
    failure = WriteMessage(arguments, response, *format);
    if (failure.failed()) return failure;
  }
  const std::string title =
      file.empty() ? absl::StrCat("matmul ", arguments.Value("matmul")) : file;
  return WriteReport(report::TilingTable(title, *parsed, *plan, kMostRows), format.has_value());
}

}  // namespace tools
}  // namespace torqsched
