#!/bin/bash
# The C++ host of tests/hosts with an Abseil of another year than the archive's: the one that the npm
# package re2 carries. Needs npm, a network, and bazel build //:dist; some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sdk" "$work/generated" "$work/objects" "$work/host"
tar -xzf bazel-bin/dist/torqsched-*.tar.gz -C "$work/sdk" --strip-components=1
cd "$work"
npm pack --silent re2 >/dev/null
tar -xzf re2-*.tgz
abseil=$work/package/vendor/abseil-cpp
sed -n 's/^#define ABSL_LTS_RELEASE_VERSION /Abseil /p' "$abseil/absl/base/config.h"
cd "$abseil"
find absl/{base,container,debugging,hash,numeric,profiling,strings,synchronization,time,types} -name '*.cc' |
  grep -vE '_test|test_|_testing|benchmark|gentables|pow10_helper|_win\.cc' |
  while read -r source; do echo "$source $work/objects/$(tr / _ <<< "$source").o"; done |
  xargs -P "$(nproc)" -L 1 sh -c 'g++ -std=c++17 -w -I. -c "$0" -o "$1"'
ar rcs "$work/libother.a" "$work"/objects/*.o
cd "$work"
protoc -I sdk/include --cpp_out=generated sdk/include/torqsched/v1/*.proto
for source in "$root/tests/hosts/foreign_host.cc" \
  generated/torqsched/v1/{error,hardware,placement,schedule,stream,timeline}.pb.cc; do
  g++ -std=c++17 -w -I "$abseil" -I sdk/include -I generated -c "$source" \
    -o "host/$(basename "$source" .cc).o"
done
own="host/*.o -lprotobuf -Wl,--start-group libother.a -Wl,--end-group"
runtime="-lstdc++ -lm -lpthread -ldl"
g++ -o first -Wl,-u,torqsched_schedule sdk/lib/libtorqsched.a $own $runtime
g++ -o last $own sdk/lib/libtorqsched.a $runtime
for host in first last; do
  ./$host sdk/share/torqsched/streams/worked-example-1.binpb sdk/lib/libtorqsched.so.*.*.*
done
