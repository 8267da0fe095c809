#include "src/tiling/check_input.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/stream/error.h"
#include "src/tiling/operand_bytes.h"

namespace torqsched {
namespace {

// About a part of a loop: AtLoop says which loop, so that the message does not repeat the path.
absl::Status Invalid(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, message,
                 {std::string(field), OpIndex(), BufferIndex()});
}

absl::Status CheckPercent(absl::string_view field, uint32_t percent) {
  if (percent >= 1 && percent <= 100) return absl::OkStatus();
  return FieldError(field, absl::StrCat(percent, "; expected 1 to 100"));
}

absl::Status CheckTileLoop(const TileLoop& loop) {
  if (!loop.contraction && loop.whole_row_bytes.has_value()) {
    return Invalid(
        "whole_row_bytes",
        "whole_row_bytes of a loop that is no contraction; expected none, or contraction "
        "set");
  }
  if (!loop.contraction && loop.shape.has_value()) {
    return Invalid("shape",
                   "shape of a loop that is no contraction; expected none, or contraction set");
  }
  if (loop.whole_row_bytes == uint64_t{0}) {
    return Invalid("whole_row_bytes", "whole_row_bytes 0; expected at least 1");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTilingHardware(const TilingHardware& hardware) {
  struct Number {
    const char* field;
    uint64_t value;
  };
  const Number numbers[] = {{"hardware.usable_bytes", hardware.usable_bytes},
                            {"hardware.granule", hardware.granule},
                            {"hardware.dma_bytes", hardware.dma_bytes},
                            {"hardware.int8_macs_per_cycle", hardware.int8_macs_per_cycle},
                            {"hardware.bf16_macs_per_cycle", hardware.bf16_macs_per_cycle}};
  for (const Number& number : numbers) {
    if (number.value == 0) return FieldError(number.field, "0; expected at least 1");
  }
  return absl::OkStatus();
}

absl::Status CheckContraction(const Contraction& contraction) {
  struct Dimension {
    const char* name;
    uint64_t size;
  };
  const Dimension dimensions[] = {{"batch", contraction.batch},
                                  {"m", contraction.m},
                                  {"n", contraction.n},
                                  {"k", contraction.k}};
  for (const Dimension& d : dimensions) {
    if (d.size > 0) continue;
    return Invalid(absl::StrCat("shape.", d.name), absl::StrCat(d.name, " 0; expected at least 1"));
  }
  struct Width {
    const char* name;
    uint32_t bits;
  };
  const Width widths[] = {{"lhs_bits", contraction.lhs_bits},
                          {"weight_bits", contraction.weight_bits},
                          {"out_bits", contraction.out_bits}};
  for (const Width& w : widths) {
    if (w.bits == 4 || w.bits == 8 || w.bits == 16 || w.bits == 32) continue;
    return Invalid(absl::StrCat("shape.", w.name),
                   absl::StrCat(w.name, " ", w.bits, "; expected 4, 8, 16 or 32"));
  }
  uint64_t rows;
  if (__builtin_mul_overflow(contraction.batch, contraction.m, &rows)) {
    return Invalid("shape", absl::StrCat("batch * m, ", contraction.batch, " * ", contraction.m,
                                         ", does not fit 64 bits"));
  }
  struct Operand {
    const char* name;
    uint64_t a, b;
    uint32_t bits;
  };
  const Operand operands[] = {
      {"lhs", rows, contraction.k, contraction.lhs_bits},
      {"weight", contraction.k, contraction.n, contraction.weight_bits},
      {"out", rows, contraction.n, contraction.out_bits},
  };
  for (const Operand& o : operands) {
    uint64_t bytes;
    if (OperandBytes(o.a, o.b, o.bits, &bytes)) continue;
    return Invalid("shape", absl::StrCat("bytes of ", o.name, ", ", o.a, " * ", o.b, " * ", o.bits,
                                         " bits, do not fit 64 bits"));
  }
  return absl::OkStatus();
}

absl::Status CheckTilingRequest(const TilingRequest& request) {
  absl::Status status = CheckTilingHardware(request.hardware);
  if (status.ok()) status = CheckPercent("loop_percent", request.loop_percent);
  if (status.ok()) status = CheckPercent("contraction_percent", request.contraction_percent);
  for (size_t i = 0; status.ok() && i < request.loops.size(); ++i) {
    status = CheckTileLoop(request.loops[i]);
    if (!status.ok()) return AtLoop(request, i, status);
  }
  return status;
}

absl::Status AtLoop(const TilingRequest& request, size_t i, const absl::Status& status) {
  const std::string loop = DescribeItem("loop", static_cast<uint32_t>(i), request.loops[i].name);
  ErrorPlace place = PlaceOf(status);
  place.field = absl::StrCat("loops[", i, "].", place.field);
  return ErrorAt(status.code(), absl::StrCat(loop, ": ", status.message()), place);
}

}  // namespace torqsched
