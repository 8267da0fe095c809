#!/bin/sh
# Formats and lints: the schema with buf, BUILD files with buildifier (both from npm, installed into
# .lint/, which git ignores), C++ with clang-format, and with clang-tidy if asked: scripts/lint.sh --tidy
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require clang-format
command -v npm >/dev/null || { echo "Please install npm (Node.js 20 or newer)." >&2; exit 1; }
[ -x .lint/node_modules/.bin/buf ] && [ -x .lint/node_modules/.bin/buildifier ] ||
  npm install --silent --no-audit --no-fund --prefix .lint @bufbuild/buf @bazel/buildifier

status=0
.lint/node_modules/.bin/buf lint || status=1
.lint/node_modules/.bin/buf breaking --against capi/schema.binpb || status=1
git ls-files '*BUILD.bazel' WORKSPACE '*.bzl' |
  xargs .lint/node_modules/.bin/buildifier -mode=check || status=1
git ls-files '*.h' '*.cc' '*.c' | xargs clang-format --dry-run --Werror || status=1
if [ "${1:-}" = --tidy ]; then
  require clang-tidy
  bazel build -c opt //... >/dev/null 2>&1
  git ls-files 'src/*.cc' 'capi/*.cc' 'tools/*.cc' | while read -r file; do
    clang-tidy --quiet "$file" -- -std=c++17 -I. -Iinclude -Ibazel-bin/include \
      -Ibazel-bin/include/torqsched/v1/_virtual_imports/torqsched_proto || exit 1
  done || status=1
fi
[ "$status" = 0 ] && echo "lint: clean"
exit "$status"
