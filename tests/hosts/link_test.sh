#!/bin/bash
# link_test.sh TARBALL, from the root of the sources: the archive in a C++ program that has a protobuf, the same .proto
# files and an Abseil of its own (foreign_host.cc), by every linker and compiler at hand, first or
# last on the line, static, with link-time optimisation and with AddressSanitizer; and from CMake.
set -u
here=$PWD/tests/hosts
. "$here/checks.sh"
unpack "$1"
cd "$SCRATCH" || exit 1

need protoc
need pkg-config
OWN="-lprotobuf $(pkg-config --libs absl_flat_hash_map absl_strings absl_time)"
OWN_STATIC="-Wl,--start-group $(pkg-config --static --libs protobuf absl_flat_hash_map absl_strings absl_time) -Wl,--end-group"
RUNTIME="-lstdc++ -lm -lpthread -ldl"
STREAM=share/torqsched/streams/worked-example-1.binpb

mkdir -p gen
protoc -I "$PREFIX/include" --cpp_out=gen "$PREFIX"/include/torqsched/v1/*.proto || exit 1

# compile DIRECTORY COMPILER FLAG...: the host's objects, with its own generated messages.
compile() {
  directory=$1 compiler=$2
  shift 2
  mkdir -p "$directory"
  rm -f "$directory"/*.o
  for source in "$here/foreign_host.cc" gen/torqsched/v1/{error,hardware,placement,schedule,stream,timeline}.pb.cc; do
    "$compiler" -std=c++17 -O0 -w "$@" -I "$PREFIX/include" -I gen -c "$source" \
      -o "$directory/$(basename "$source" .cc).o" &
    [ "$(jobs -r | wc -l)" -lt 2 ] || wait -n
  done
  wait
  [ "$(ls "$directory"/*.o | wc -l)" = 7 ]
}

# links NAME DIRECTORY COMPILER FLAG...: links both ways round and runs; with the shared library too.
# What comes first on a line is not looked at again by GNU ld, so it has to be asked for by -u.
links() {
  title=$1 directory=$2 compiler=$3
  shift 3
  check "$title, archive first" "$compiler" "$@" -o "$directory/first" -Wl,-u,torqsched_schedule \
    "$PREFIX/lib/libtorqsched.a" "$directory"/*.o $OWN $RUNTIME
  check "$title, archive first: runs" "$directory/first" "$PREFIX/$STREAM" "$PREFIX"/lib/libtorqsched.so.*.*.*
  check "$title, archive last" "$compiler" "$@" -o "$directory/last" "$directory"/*.o $OWN \
    -L "$PREFIX/lib" -ltorqsched $RUNTIME
  check "$title, archive last: runs" "$directory/last" "$PREFIX/$STREAM" "$PREFIX"/lib/libtorqsched.so.*.*.*
}

answers() { "$1" "$PREFIX/$STREAM" | grep -q 'makespan 410 -> 250$'; }

check "host compiles with g++" compile gcc g++
links "g++, ld" gcc g++
check "the answer is worked example 1's" answers gcc/last
tool ld.gold && links "g++, gold" gcc g++ -fuse-ld=gold
tool ld.lld && links "g++, lld" gcc g++ -fuse-ld=lld
check "g++, -static" g++ -static -o gcc/static gcc/*.o -L "$PREFIX/lib" -ltorqsched $OWN_STATIC $RUNTIME
check "g++, -static: runs" answers gcc/static
check "g++, pie, --gc-sections, -z now" g++ -pie -Wl,--gc-sections -Wl,-z,now -o gcc/pie gcc/*.o \
  -L "$PREFIX/lib" -ltorqsched $OWN $RUNTIME
check "g++, pie: runs" answers gcc/pie

check "host compiles with g++ -flto" compile lto g++ -flto
links "g++ -flto" lto g++ -flto -O1
check "host compiles with AddressSanitizer" compile asan g++ -fsanitize=address
links "g++ -fsanitize=address" asan g++ -fsanitize=address
if tool clang++; then
  check "host compiles with clang++" compile clang clang++
  links "clang++, ld" clang clang++
  tool ld.lld && links "clang++, lld" clang clang++ -fuse-ld=lld
fi

# A shared object of the host's, as a Python module or a plug-in is, keeps the archive to itself.
check "archive in a shared object" g++ -shared -o libplugin.so -Wl,--whole-archive \
  "$PREFIX/lib/libtorqsched.a" -Wl,--no-whole-archive -Wl,-z,defs $RUNTIME

if tool cmake; then
  mkdir -p package
  cat >package/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(host C CXX)
find_package(torqsched 0.1 REQUIRED)
file(WRITE main.c "#include <torqsched/torqsched.h>\nint main(void) { return TORQSCHED_CHECK_HEADER(); }\n")
add_executable(static_host main.c)
target_link_libraries(static_host torqsched::torqsched)
add_executable(shared_host main.c)
target_link_libraries(shared_host torqsched::torqsched_shared)
if(NOT EXISTS ${TORQSCHED_PROTO_DIR}/torqsched/v1/schedule.proto)
  message(FATAL_ERROR "no protos in ${TORQSCHED_PROTO_DIR}")
endif()
EOF
  check "CMake finds the package" cmake -S package -B package/build -DCMAKE_PREFIX_PATH="$PREFIX"
  check "CMake builds both" cmake --build package/build
  check "CMake, archive: runs" package/build/static_host
  check "CMake, shared library: runs" package/build/shared_host
  sed -i 's/torqsched 0.1/torqsched 0.2/' package/CMakeLists.txt
  refuses() {
    ! cmake -S package -B package/other -DCMAKE_PREFIX_PATH="$PREFIX" >"$SCRATCH/refused" 2>&1 &&
      expect "$SCRATCH/refused" 'compatible with requested' 'version: 0\.1\.0'
  }
  check "CMake refuses another interface" refuses
  sed -i 's/torqsched 0.2/torqsched 0/' package/CMakeLists.txt
  check "CMake takes a major version alone" cmake -S package -B package/major -DCMAKE_PREFIX_PATH="$PREFIX"
fi

# What the distribution says of itself.
digests() {
  python3 - "$PREFIX" <<'EOF'
import hashlib, json, pathlib, sys
prefix = pathlib.Path(sys.argv[1])
files = json.loads((prefix / "share/torqsched/manifest.json").read_text())["files"]
assert len(files) > 15, len(files)
for file in files:
    content = (prefix / file["path"]).read_bytes()
    assert len(content) == file["bytes"], file["path"]
    assert hashlib.sha256(content).hexdigest() == file["sha256"], file["path"]
listed = {file["path"] for file in files} | {"share/torqsched/manifest.json"}
there = {str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file() and not p.is_symlink()}
assert there == listed, there ^ listed
EOF
}
tool python3 && check "the manifest lists every file with its digest" digests
private() { ! grep -aE "$1" "$PREFIX/lib/libtorqsched.a" "$PREFIX"/lib/libtorqsched.so.*.*.* ; }
check "no path of the build is inside" private '/(root|home|tmp|work|execroot|sandbox)/|bazel-out|external/'
finish
