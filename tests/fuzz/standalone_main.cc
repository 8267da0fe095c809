// Runs a fuzz target over files, and over every file cut short, so that `bazel test //...` covers
// the targets and their corpora without libFuzzer.
//
//   target FILE...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// How many prefixes of a file are tried besides the file itself.
constexpr size_t kPrefixes = 64;

bool Replay(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path);
    return false;
  }
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  for (size_t i = 0; i <= kPrefixes; ++i) {
    // A copy of its own, so that a sanitizer sees reads past the end.
    const std::vector<uint8_t> input(
        bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * i / kPrefixes));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "no files\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    if (!Replay(argv[i])) return 1;
  }
  std::printf("%d files\n", argc - 1);
  return 0;
}
