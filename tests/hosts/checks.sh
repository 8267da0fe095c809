# Sourced by the tests of this directory: a list of named checks, each one command that must succeed.
# They become test cases of their own in Bazel's report.
#
#   PREFIX    where the distribution is unpacked (include/, lib/, share/)
#   SCRATCH   an empty directory of this test's own; $HOME while the test runs
#
#   check "what must hold" command argument...    runs it; its output is shown where it fails
#   need cargo                                     ends the test as skipped where there is no cargo
#   finish                                         writes the report; the last line of a test

SCRATCH=${TEST_TMPDIR:-$(mktemp -d)}
export HOME="$SCRATCH/home"
mkdir -p "$HOME"
checks_cases=""
checks_failed=0
checks_passed=0

# unpack TARBALL: installs the distribution under $SCRATCH/prefix.
unpack() {
  mkdir -p "$SCRATCH/prefix"
  tar -xzmf "$1" -C "$SCRATCH/prefix" --strip-components=1 || exit 1
  PREFIX="$SCRATCH/prefix"
}

checks_escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'; }

checks_case() { # NAME [BODY]
  checks_cases="$checks_cases<testcase name=\"$(printf '%s' "$1" | checks_escape)\">${2:-}</testcase>
"
}

check() {
  checks_name=$1
  shift
  if "$@" >"$SCRATCH/check.log" 2>&1; then
    checks_passed=$((checks_passed + 1))
    echo "ok    $checks_name"
    checks_case "$checks_name"
  else
    checks_failed=$((checks_failed + 1))
    echo "FAIL  $checks_name: $*"
    sed 's/^/      /' "$SCRATCH/check.log" | tail -n 60
    checks_case "$checks_name" '<failure message="see the log"/>'
  fi
}

checks_report() {
  [ -z "${XML_OUTPUT_FILE:-}" ] || printf '<testsuites><testsuite name="%s">\n%s</testsuite></testsuites>\n' \
    "${TEST_TARGET:-hosts}" "$checks_cases" >"$XML_OUTPUT_FILE"
}

# at_hand PROGRAM: whether it is here.
at_hand() { command -v "$1" >/dev/null 2>&1; }

# skipped WHY: says what is not checked on this machine, and counts it.
skipped() {
  echo "skip  $1"
  checks_case "$1" '<skipped message="not on this machine"/>'
}

# tool PROGRAM: whether it is here; where it is not, that is said and counted.
tool() {
  at_hand "$1" && return 0
  skipped "needs $1"
  return 1
}

# expect FILE PATTERN...: each pattern is in the file.
expect() {
  checks_file=$1
  shift
  for checks_pattern in "$@"; do
    grep -q -e "$checks_pattern" "$checks_file" && continue
    echo "no line \"$checks_pattern\" in:"
    cat "$checks_file"
    return 1
  done
}

# example_answers FILE: what the examples of all languages print of worked-example-1, and no more.
example_answers() {
  [ "$(wc -l <"$1")" = 4 ] || {
    echo "not four lines:"
    cat "$1"
    return 1
  }
  expect "$1" \
    '^worked-example-1: 410 cycles in the input order, 250 as scheduled, lower bound 250$' \
    '^oracle asked [2-7] times, progress told [1-9][0-9]* times$' '^cancelled: CANCELLED: ' \
    '^bad bytes: INVALID_ARGUMENT: 18 bytes are not a serialized torqsched.v1.ScheduleRequest'
}

# example_refuses COMMAND...: how an example in any language ends where there is no request to read.
example_refuses() {
  check "the example: no argument" example_says_usage "$@"
  check "the example: a file that cannot be read" example_says_usage "$@" "$SCRATCH/nowhere"
}
example_says_usage() {
  "$@" 2>"$SCRATCH/stderr"
  [ $? = 2 ] && expect "$SCRATCH/stderr" 'usage: .* REQUEST.binpb$'
}

# sanitizes COMPILER FLAG...: whether it has this sanitizer, and the machine bears it.
sanitizes() {
  echo 'int main(void) { return 0; }' >"$SCRATCH/empty.c"
  "$@" -x c "$SCRATCH/empty.c" -o "$SCRATCH/empty" >/dev/null 2>&1 && "$SCRATCH/empty"
}

# need PROGRAM: a toolchain that is not at hand is said, and counted as skipped, not passed over.
need() {
  tool "$1" && return 0
  checks_report
  [ "$checks_failed" = 0 ]
  exit $?
}

finish() {
  checks_report
  echo "$checks_passed ok, $checks_failed failed"
  [ "$checks_failed" = 0 ] && [ "$checks_passed" -gt 0 ]
}
