#!/bin/sh
# The Python binding against a distribution, as a host without a build step has it:
#   sh tests/hosts/python_test.sh TARBALL
set -u
. "$(dirname "$0")/checks.sh"
need python3
unpack "$1"

export TORQSCHED_LIBRARY="$PREFIX/lib/libtorqsched.so.0.1"
export TORQSCHED_STREAMS="$PREFIX/share/torqsched/streams"
export PYTHONPATH="$PREFIX/share/torqsched/python:$PWD/bindings/python:$SCRATCH/messages"
export PYTHONDONTWRITEBYTECODE=1
example="$TORQSCHED_STREAMS/worked-example-1.binpb"

# The classes that protoc makes, for the test that uses them where the protobuf package is there.
mkdir -p "$SCRATCH/messages"
if at_hand protoc && python3 -c 'import google.protobuf' 2>/dev/null; then
  check "protoc makes the messages' classes" protoc -I "$PREFIX/include" \
    --python_out="$SCRATCH/messages" "$PREFIX"/include/torqsched/v1/*.proto
else
  skipped "needs protoc and Python's protobuf package"
fi

# run_tests FILE CLASS: nothing on standard error but what unittest itself says.
run_tests() { python3 -X dev -W error "bindings/python/$1" "$2"; }
check "reading and writing messages" run_tests messages_test.py MessagesTest
for tests in LibraryTest CallsTest SessionsTest; do
  check "unit tests: $tests" run_tests torqsched_test.py "$tests"
done
for tests in InterruptTest HandlerTest ForkTest; do
  check "unit tests: $tests" run_tests signals_test.py "$tests"
done

run_example() {
  python3 -X dev -W error examples/python/main.py "$example" >"$SCRATCH/example" 2>"$SCRATCH/stderr" &&
    [ ! -s "$SCRATCH/stderr" ] && example_answers "$SCRATCH/example"
}
check "the example schedules, cancels and is told of bad bytes" run_example
example_refuses python3 examples/python/main.py

# Without a path the library is found by its name, wherever the system looks.
by_name() {
  env -u TORQSCHED_LIBRARY LD_LIBRARY_PATH="$PREFIX/lib" python3 -c '
import torqsched
assert torqsched.schedule(b"\x0a\x00")'
}
check "the library is found by its name" by_name

without_library() {
  env -u TORQSCHED_LIBRARY LD_LIBRARY_PATH="$SCRATCH/nowhere" python3 -c '
import torqsched
try:
  torqsched.schedule(b"")
except OSError as error:
  assert "TORQSCHED_LIBRARY" in str(error), error
else:
  raise SystemExit("found some other library")'
}
check "where there is none, the error says what to do" without_library

# A terminal's Ctrl-C reaches a program that does nothing else, and is its only word.
interrupted() {
  timeout -s INT 2 python3 - "$TORQSCHED_STREAMS/resnet50-int8.first20-over50.binpb" \
    2>"$SCRATCH/stderr" <<'PROGRAM'
import signal, sys, torqsched
from torqsched import field
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
request = open(sys.argv[1], "rb").read() + field(3, field(1, 3) + field(9, 2**63))
torqsched.Session().schedule(request)
PROGRAM
  status=$?
  [ "$status" = 124 ] && expect "$SCRATCH/stderr" '^KeyboardInterrupt$' &&
    ! grep -q 'Exception ignored' "$SCRATCH/stderr"
}
check "Ctrl-C ends a program in a call" interrupted

if python3 -m mypy --version >/dev/null 2>&1; then
  typed() {
    MYPYPATH=bindings/python python3 -m mypy --strict --python-version 3.9 \
      --cache-dir "$SCRATCH/mypy" bindings/python/torqsched.py bindings/python/overhead.py \
      examples/python/main.py
  }
  check "mypy --strict" typed
else
  skipped "needs mypy"
fi

check "what a call takes by itself" python3 bindings/python/overhead.py "$TORQSCHED_LIBRARY" 2000
cat "$SCRATCH/check.log"
finish
