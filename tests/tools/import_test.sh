#!/bin/bash
# The importer makes the fixtures of the worked examples from their cases in plain JSON.
#
#   import_test.sh TORQSCHED IMPORTER CASES FIXTURE...
set -u

torqsched=$1
importer=$2
cases=$3
shift 3
tmp=${TEST_TMPDIR:-$(mktemp -d)}
failed=0

for fixture in "$@"; do
  name=$(basename "$fixture" .txtpb)
  case $name in worked-example-*) ;; *) continue ;; esac
  python3 - "$cases" "$name" >"$tmp/$name.json" <<'PYTHON'
import json
import sys

for line in open(sys.argv[1]):
    case = json.loads(line)
    if case["name"] == sys.argv[2]:
        json.dump(case["stream"], sys.stdout)
PYTHON
  python3 "$importer" "$tmp/$name.json" | "$torqsched" convert - -o "$tmp/$name.txtpb"
  diff "$fixture" "$tmp/$name.txtpb" || failed=1
  gzip -c "$tmp/$name.json" | python3 "$importer" - | "$torqsched" convert - -o "$tmp/$name.txtpb"
  cmp "$fixture" "$tmp/$name.txtpb" || failed=1
done
exit $failed
