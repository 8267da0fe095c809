#!/bin/sh
# The Go bindings, from the distribution: their tests, with the race detector and with cgo's own
# checks too, and the example linked in each way that Go has.
#
#   go_test.sh TARBALL    from the root of the project; two minutes on two cores
set -u

. "$(dirname "$0")/checks.sh"
need go
need cc
unpack "$1"
go version

tree=$SCRATCH/tree
streams=$PREFIX/share/torqsched/streams
example_request=$streams/worked-example-1.binpb
export GOCACHE="$SCRATCH/gocache" GOPATH="$SCRATCH/gopath" GOTMPDIR="$SCRATCH/gotmp"
export GOFLAGS=-mod=mod GOPROXY=off GOWORK=off GOENV=off CGO_ENABLED=1
export CGO_CFLAGS="-O2 -g -I$PREFIX/include"
# --exclude-libs: for the shared object, see bindings/go/README.md. One value for all checks, or Go
# would compile the C parts of its own library again.
export CGO_LDFLAGS="-L$PREFIX/lib -Wl,--exclude-libs,libtorqsched.a"
export TORQSCHED_STREAMS="$streams"

# The sources may lie where nothing can be written, and as links, which Go follows only to files.
copy_sources() {
  mkdir -p "$GOTMPDIR" "$tree/bindings" "$tree/examples" && cp -RL bindings/go "$tree/bindings/" &&
    cp -RL examples/go "$tree/examples/" && chmod -R u+w "$tree"
}

bindings() { (cd "$tree/bindings/go" && go "$@"); }
example() { (cd "$tree/examples/go" && go "$@"); }

formatted() { unformatted=$(gofmt -l "$tree") && echo "$unformatted" && [ -z "$unformatted" ]; }
vetted() { bindings vet ./... && example vet ./...; }

# tests_pass LOG ARGUMENT...: runs the tests of both packages; what they skip is a failure.
tests_pass() {
  tests_log=$SCRATCH/$1
  shift
  bindings test -vet=off -v "$@" ./wire ./torqsched >"$tests_log" 2>&1
  tests_status=$?
  grep -v '^=== ' "$tests_log"
  [ "$tests_status" = 0 ] && [ "$(grep -c '^ok' "$tests_log")" = 2 ] && ! grep -e '--- SKIP' "$tests_log"
}

# Other checks of cgo than the default: in compiled code they are a setting of the running program.
cgo_checks_pass() {
  bindings test -c -o "$SCRATCH/torqsched.test" ./torqsched &&
    GODEBUG=cgocheck=2 "$SCRATCH/torqsched.test" -test.run 'Request|Oracle|Panics|Errors|Cancel|NoBytes'
}

answers_are_known() {
  "$@" "$example_request" >"$SCRATCH/example.txt" && cat "$SCRATCH/example.txt" &&
    example_answers "$SCRATCH/example.txt"
}

# builds NAME ARGUMENT...: the example as $SCRATCH/NAME, which prints its answers.
builds() {
  program=$SCRATCH/$1
  shift
  example build -o "$program" "$@" . && answers_are_known "$program"
}

plain() { builds plain && ! ldd "$program" | grep libtorqsched; }
pie() { builds pie -buildmode=pie && readelf -h "$program" | grep -q 'Type: *DYN'; }
static() {
  builds static -ldflags '-linkmode external -extldflags -static' &&
    ! readelf -l "$program" | grep INTERP
}

by_pkg_config() (
  unset CGO_CFLAGS CGO_LDFLAGS
  export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
  builds pkg_config -tags torqsched_pkgconfig && ! ldd "$program" | grep libtorqsched
)

# As where libtorqsched.so is installed for linking: the build tag takes it, the default does not.
shared() (
  mkdir -p "$SCRATCH/shared" && ln -s "$PREFIX"/lib/libtorqsched.so.*.*.* "$SCRATCH/shared/libtorqsched.so" || exit 1
  export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig" LD_LIBRARY_PATH="$PREFIX/lib"
  export CGO_LDFLAGS="-L$SCRATCH/shared -L$PREFIX/lib"
  builds with_shared -tags torqsched_pkgconfig && ldd "$program" | grep "=> $PREFIX/lib/libtorqsched" &&
    builds with_archive && ! ldd "$program" | grep libtorqsched
)

# The lines of the README.
by_the_readme() (
  export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
  CGO_CFLAGS="$(pkg-config --cflags torqsched)"
  CGO_LDFLAGS="$(pkg-config --libs-only-L torqsched)"
  builds readme && ! ldd "$program" | grep libtorqsched
)

c_shared() {
  object=$SCRATCH/libtorqsched_example.so
  example build -buildmode=c-shared -o "$object" ./shared &&
    cc -Wall -Werror "$tree/examples/go/shared/host/main.c" -ldl -o "$SCRATCH/main" &&
    "$SCRATCH/main" "$object" "$example_request" >"$SCRATCH/main.txt" && cat "$SCRATCH/main.txt" &&
    grep -qx 'code 0, 410 -> 250 cycles' "$SCRATCH/main.txt" &&
    grep -qx 'half of it: code 3' "$SCRATCH/main.txt"
}

# Go exports much of its own; of the library nothing.
library_stays_inside() {
  nm -D --defined-only "$object" | awk '{ print $3 }' >"$SCRATCH/exported.txt"
  grep -qx example_makespans "$SCRATCH/exported.txt" && ! grep '^torqsched_' "$SCRATCH/exported.txt"
}

overhead() {
  bindings test -run '^$' -bench . -benchtime 300ms ./torqsched >"$SCRATCH/overhead.txt" 2>&1 &&
    cat "$SCRATCH/overhead.txt" && [ "$(grep -c '^Benchmark' "$SCRATCH/overhead.txt")" = 4 ]
}

check "the sources are at hand" copy_sources
check "gofmt" formatted
check "go vet" vetted
check "tests" tests_pass tests.log
grep -h -e 'goroutines, ' -e 'bytes of Go' -e 'grown by' "$SCRATCH/tests.log" 2>/dev/null
check "tests, with cgo's checks of every pointer" cgo_checks_pass
check "a call costs" overhead
grep '^Benchmark' "$SCRATCH/overhead.txt" 2>/dev/null
check "tests, with the race detector" tests_pass race.log -race
check "the example schedules, cancels and is told of bad bytes, with the library inside" plain
example_refuses "$SCRATCH/plain"
check "the example as a position-independent executable" pie
check "the example without any shared library" static
check "a shared object with the library inside is loaded from C" c_shared
check "the shared object exports nothing of the library" library_stays_inside
if tool pkg-config; then
  check "the lines of the README find the archive" by_the_readme
  check "the build tag torqsched_pkgconfig finds it" by_pkg_config
  check "the shared library, with that tag only" shared
fi
finish
