// When everything runs, as a picture: in text for a terminal, as SVG for a page.
//
// Lanes are each DMA engine and each slice; a stream lane is there only where a barrier takes time.
// Several orders are drawn under each other at one scale, so that the shorter one looks shorter.
// The same input gives the same bytes: positions are integers.
#ifndef TORQSCHED_SRC_REPORT_TIMELINE_H_
#define TORQSCHED_SRC_REPORT_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {
namespace report {

// One order of the stream.
struct TimelinePanel {
  std::string title;
  const std::vector<Span>* spans = nullptr;  // by begin
  uint64_t makespan = 0;
};

// Lanes of ASCII text, `width` cells long:
//
//   DMA  [L1--][L2--][L3--]
//   s0         [--------P1--------]
//
// A thing of three cells or more is a box with its name (swaps: braces); where things are smaller,
// a cell says how much of it is busy: '.' less than a half, ':' more, '#' all.
std::string TimelineText(const Stream& stream, const Hardware& hardware,
                         const std::vector<TimelinePanel>& panels, size_t width);

// An SVG document of fixed width, a panel an order, with a scale in cycles (and microseconds where
// the clock is known) and a legend. At most some thousand shapes a lane, however long the stream.
std::string TimelineSvg(const Stream& stream, const Hardware& hardware,
                        const std::vector<TimelinePanel>& panels);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_TIMELINE_H_
