// What commands share: reading streams, chips and responses, and writing results.
#ifndef TORQSCHED_TOOLS_INPUTS_H_
#define TORQSCHED_TOOLS_INPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "tools/arguments.h"
#include "tools/failure.h"
#include "tools/files.h"
#include "torqsched/v1/network.pb.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {
namespace tools {

// Options of several commands.
OptionSpec HardwareOption();     // --hardware NAME|FILE
OptionSpec TimelineOption();     // --timeline
OptionSpec SvgOption();          // --svg FILE
OptionSpec OutputOption();       // -o, --output FILE
OptionSpec FormatOption();       // --format text|json|binary
OptionSpec InputFormatOption();  // --input-format text|json|binary
OptionSpec MessageOption();      // --message NAME

// A file's bytes and what is known about them.
struct LoadedFile {
  std::string path;  // as messages show it
  std::string bytes;
  Format format = Format::kText;
  std::string declared;  // the message that a text's header names; empty: none
};

// The format: --input-format, else by the name, else a guess.
Failure LoadFile(const Arguments& arguments, const std::string& path, LoadedFile* file);

// Fills an empty message; the failure names the file, and line and column where they are known.
Failure ParseFile(const LoadedFile& file, google::protobuf::Message* message);

// A failure where the file's header says that it holds another message.
Failure CheckDeclared(const LoadedFile& file, const google::protobuf::Message& message);

// All of it, for a file that holds this message; a failure where its header says otherwise.
Failure ReadMessage(const Arguments& arguments, const std::string& path,
                    google::protobuf::Message* message);

// A layer table out of a file that was loaded; a failure where it holds something else, or no
// layers.
Failure ParseTable(const LoadedFile& file, v1::Network* network);

// --layers FIRST:COUNT; without it both stay as they are.
Failure ReadLayers(const Arguments& arguments, uint32_t* first, uint32_t* count);

// A status that the library answered about the contents of a file; file empty: about the command
// line, whose options are then named beside the request's fields.
Failure FailureFromStatus(const absl::Status& status, const std::string& file);

// The chip that --hardware names: a file if it looks like one, whose name is then in *file, else a
// profile, and *file is empty.
Failure ReadHardware(const Arguments& arguments, v1::Hardware* hardware, std::string* file);

// A stream and a chip, ready for the library.
struct StreamInput {
  std::string file;           // as messages show it
  std::string hardware_file;  // where the chip comes from; empty: a name on the command line
  v1::ScheduleRequest request;
  Stream stream;  // names are views into request
  Hardware hardware;
};

// Reads a ScheduleRequest, or a Stream alone: --message says which, else a text file's header, else
// whichever it can be read as (binary: a ScheduleRequest). --hardware replaces the chip.
Failure ReadStream(const Arguments& arguments, const std::string& path, StreamInput* input);

// The format of --format, else of the ending of -o; absent where neither is given. A usage failure
// where a name is not known, or the ending of -o tells no format.
Failure OutputFormat(const Arguments& arguments, std::optional<Format>* format);

// Writes the message where -o says, else to standard output.
Failure WriteMessage(const Arguments& arguments, const google::protobuf::Message& message,
                     Format format);

// Where a report for people goes: to standard output, or to standard error where a message is
// written.
Failure WriteReport(absl::string_view text, bool message_written);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_INPUTS_H_
