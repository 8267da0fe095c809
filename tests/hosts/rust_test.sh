#!/bin/sh
# The Rust bindings, from the distribution: both crates' tests, each way of linking, the example, and
# a shared object with the library inside that a C program loads.
#
#   rust_test.sh TARBALL    from the root of the project
set -u

# checks.sh gives the test a home of its own; a cargo of rustup's looks for its toolchains at home.
if [ -z "${RUSTUP_HOME:-}" ] && [ -d "${HOME:-}/.rustup" ]; then
  RUSTUP_HOME=$HOME/.rustup
  export RUSTUP_HOME
fi
. "$(dirname "$0")/checks.sh"
need cargo
need cc
unpack "$1"
echo "with $(cargo --version), $(rustc --version)"

tree=$SCRATCH/tree
streams=$PREFIX/share/torqsched/streams
example_request=$streams/worked-example-1.binpb
export CARGO_HOME="$SCRATCH/cargo" CARGO_TARGET_DIR="$SCRATCH/target" RUSTFLAGS="-D warnings"
export TORQSCHED_LIB_DIR="$PREFIX/lib" TORQSCHED_STREAMS="$streams" TORQSCHED_IN_REPOSITORY=1
unset TORQSCHED_LINK

# The sources may lie where nothing can be written, and Cargo writes beside them.
copy_sources() {
  mkdir -p "$tree/bindings" "$tree/examples" "$tree/capi" &&
    cp -RL bindings/rust "$tree/bindings/" && cp -RL examples/rust "$tree/examples/" &&
    cp -L capi/symbols.txt "$tree/capi/" && cp -RL "$PREFIX/include" "$tree/" && chmod -R u+w "$tree" &&
    rm -rf "$tree"/*/rust/target
}

bindings() { (cd "$tree/bindings/rust" && cargo "$@"); }
example() { (cd "$tree/examples/rust" && cargo "$@"); }

# Runs tests; no tests at all are a failure.
tests_pass() {
  bindings test --offline "$@" >"$SCRATCH/tests.log" 2>&1
  tests_status=$?
  cat "$SCRATCH/tests.log"
  [ "$tests_status" = 0 ] && grep -q '^test result: ok. [1-9]' "$SCRATCH/tests.log"
}

eight_threads() {
  tests_pass -p torqsched --test threads -- --nocapture || return 1
  grep '8 threads' "$SCRATCH/tests.log" >"$SCRATCH/threads.txt"
}

example_prints_its_answers() {
  example run --offline --quiet -- "$example_request" >"$SCRATCH/example.txt" &&
    cat "$SCRATCH/example.txt" && example_answers "$SCRATCH/example.txt"
}

example_needs_no_shared_object() {
  ! ldd "$CARGO_TARGET_DIR/debug/torqsched-example" | grep libtorqsched
}

found_by_pkg_config() (
  unset TORQSCHED_LIB_DIR
  export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
  example_prints_its_answers && example_needs_no_shared_object
)

found_by_the_linker() (
  mkdir -p "$SCRATCH/static"
  cp "$PREFIX/lib/libtorqsched.a" "$SCRATCH/static/"
  unset TORQSCHED_LIB_DIR
  export LIBRARY_PATH="$SCRATCH/static" PKG_CONFIG=false
  example build --offline 2>&1 | tee "$SCRATCH/warning.txt"
  expect "$SCRATCH/warning.txt" '^warning: .*TORQSCHED_LIB_DIR.*PKG_CONFIG_PATH' || exit 1
  example_prints_its_answers && example_needs_no_shared_object
)

# By Cargo, which sees to it that the shared object is found, and without it.
linked_dynamically() (
  export TORQSCHED_LINK=dynamic
  program=$CARGO_TARGET_DIR/debug/torqsched-example
  example_prints_its_answers || exit 1
  "$program" "$example_request" && exit 1
  LD_LIBRARY_PATH=$PREFIX/lib "$program" "$example_request" || exit 1
  LD_LIBRARY_PATH=$PREFIX/lib ldd "$program" | grep "=> $PREFIX/lib/libtorqsched"
)

# A library of another version, of which only that is real.
other_version_is_refused() (
  mkdir -p "$SCRATCH/other"
  {
    for function in $(grep -v version "$tree/capi/symbols.txt"); do
      echo "int $function(void) { return 9; }"
    done
    echo 'unsigned torqsched_abi_version(void) { return 2; }'
    echo 'const char* torqsched_version(void) { return "0.2.0"; }'
  } >"$SCRATCH/other/other.c"
  (cd "$SCRATCH/other" && cc -fPIC -c other.c && ar rcs libtorqsched.a other.o) || exit 1
  export TORQSCHED_LIB_DIR="$SCRATCH/other"
  example run --offline --quiet -- "$example_request" 2>&1 | tee "$SCRATCH/other.log"
  grep 'libtorqsched is version 0.2.0, interface version 2; these bindings' "$SCRATCH/other.log"
)

wrong_directory_is_said() (
  export TORQSCHED_LIB_DIR="$SCRATCH/nowhere"
  example build --offline >"$SCRATCH/wrong.log" 2>&1 && return 1
  grep 'TORQSCHED_LIB_DIR is .*nowhere' "$SCRATCH/wrong.log"
)

shared_object() {
  example build --offline -p torqsched-example-cdylib || return 1
  object=$CARGO_TARGET_DIR/debug/libtorqsched_example.so
  cc -Wall -Werror "$tree/examples/rust/cdylib/main.c" -ldl -o "$SCRATCH/main" &&
    "$SCRATCH/main" "$object" "$example_request" >"$SCRATCH/main.txt" && cat "$SCRATCH/main.txt" &&
    grep -qx 'code 0, 410 -> 250 cycles' "$SCRATCH/main.txt" &&
    grep -qx 'half of it: code 3' "$SCRATCH/main.txt"
}

shared_object_keeps_the_library_to_itself() {
  nm -D --defined-only "$object" | awk '{ print $3 }' >"$SCRATCH/exported.txt"
  cat "$SCRATCH/exported.txt"
  [ "$(cat "$SCRATCH/exported.txt")" = example_makespans ]
}

check "the sources are at hand" copy_sources
check "torqsched-sys: layouts, numbers and functions are the header's" tests_pass -p torqsched-sys
check "torqsched: unit tests" tests_pass -p torqsched --lib
check "torqsched: calls and errors" tests_pass -p torqsched --test calls
check "torqsched: closures" tests_pass -p torqsched --test closures
check "torqsched: panics stay on the caller's side" tests_pass -p torqsched --test panics
check "torqsched: damaged requests" tests_pass -p torqsched --test hostile
check "torqsched: 8 threads, 10,000 calls each, the same bytes" eight_threads
cat "$SCRATCH/threads.txt" 2>/dev/null
check "torqsched: examples in the documentation, and what must not compile" \
  tests_pass -p torqsched --doc
check "a call copies nothing" bindings run --offline --quiet --example overhead -- 1000
check "the example schedules, cancels and is told of bad bytes" example_prints_its_answers
example_refuses "$CARGO_TARGET_DIR/debug/torqsched-example"
check "the example has the library inside" example_needs_no_shared_object
check "a shared object with the library inside is loaded from C" shared_object
check "the shared object exports its own function only" shared_object_keeps_the_library_to_itself
if tool pkg-config; then
  check "pkg-config finds the library" found_by_pkg_config
fi
check "the linker finds the library" found_by_the_linker
check "the library is linked dynamically" linked_dynamically
check "a library of another version is refused" other_version_is_refused
check "a wrong TORQSCHED_LIB_DIR is said" wrong_directory_is_said
finish
