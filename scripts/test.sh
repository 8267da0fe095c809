#!/bin/sh
# Installs what is missing and runs every test. The last line is "N passed, N failed, N skipped": test
# cases counted from the results; a target that did not build, crashed or ran out of time is at least
# one failure.
# Benchmarks and table programs are not built: `bazel build -c opt //...` does. Further arguments go to
# `bazel test`.
set -eu
cd "$(dirname "$0")/.."
. scripts/require.sh
require $BUILD_PACKAGES $TEST_PACKAGES $HOST_PACKAGES

echo "Building and running all tests (10 to 20 minutes on two cores the first time) ..." >&2
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
status=0
bazel test -c opt --build_tests_only --noshow_progress --keep_going --test_output=errors --test_summary=short "$@" //... \
  >"$summary" 2>&1 || status=$?
# Everything but Bazel's chatter; of the passing targets one line each.
grep -vE '^(INFO|Loading|Analyzing|DEBUG|There were tests whose|Target |  */)' "$summary" || true
# Whether Bazel itself came to an end: 0 all passed, 3 some failed, 1 some did not build, else it broke.
logs=$(bazel info -c opt bazel-testlogs 2>/dev/null || true)

passed=0
failed=0
skipped=0
count() { cat "$1"/test.xml "$1"/shard_*/test.xml 2>/dev/null | grep -oE "$2" | wc -l; }
while read -r target state; do
  directory="$logs/$(echo "$target" | sed 's#^//##; s#:#/#')"
  cases=$(count "$directory" '<testcase ')
  bad=$(count "$directory" '<(failure|error) ?')
  idle=$(count "$directory" '<skipped|status="notrun"')
  case "$state" in
    *PASSED*) ;;
    *)
      case "$state" in *BUILD* | *"NO STATUS"*) cases=0 bad=0 idle=0 ;; esac
      [ "$bad" -gt "$cases" ] && bad=$cases
      [ "$bad" -gt 0 ] || { bad=1; [ "$cases" -gt 0 ] || cases=1; }
      failed=$((failed + bad))
      cases=$((cases - bad))
      ;;
  esac
  [ "$idle" -gt "$cases" ] && idle=$cases
  passed=$((passed + cases - idle))
  skipped=$((skipped + idle))
  [ "$idle" = 0 ] || grep -hE '<skipped|status="notrun"' "$directory"/test.xml |
    sed -n "s#.*<testcase name=\"\([^\"]*\)\".*#$target: \1: skipped#p"
done <<EOF
$(grep -E '^//[^ ]+ +(\(cached\) )?(PASSED|FAILED|TIMEOUT|NO STATUS|FLAKY)' "$summary")
EOF
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
