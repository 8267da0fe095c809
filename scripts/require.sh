# Sourced by the other scripts. require PACKAGE...: installs the Debian packages that are missing, or,
# without root or without apt, says by name what to install and ends the script.

require() {
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
      missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "This system has no apt-get. Please install, by their Debian names:$missing" >&2
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    echo "Packages are missing and this is not root. Please run, as root:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "Installing:$missing" >&2
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install:$missing" >&2
    exit 1
  fi
  rm -f "$log"
}

# What every build needs.
BUILD_PACKAGES="g++ bazel-bootstrap bazel-platforms bazel-rules-cc bazel-rules-java bazel-rules-proto
  bazel-skylib dpkg-dev libabsl-dev libprotobuf-dev protobuf-compiler zlib1g-dev"
# What the tests and benchmarks need besides.
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev"
# What the tests of tests/hosts build hosts with; a test says so where one is not there.
HOST_PACKAGES="cargo clang cmake golang-go lld make mypy pkg-config python3 python3-protobuf rustc
  valgrind"
