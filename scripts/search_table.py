#!/usr/bin/env python3
"""Prints docs/search.md's tables: every shipped stream of a real network, searched with more and
more work, by each oracle.

    scripts/search_table.py [--most NODES] [--seconds]

NODES: the largest work limit (480000000, about a minute). --seconds: also how long each call took.
Needs the command line, built: bazel build -c opt //tools:torqsched
"""

import argparse
import json
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TORQSCHED = ROOT / "bazel-bin/tools/torqsched"
WORK = (800_000, 8_000_000, 80_000_000, 480_000_000)


def schedule(file, *options):
    """The answer, and the seconds that it took."""
    begin = time.monotonic()
    output = subprocess.run([TORQSCHED, "schedule", file, *options, "--format", "json"],
                            check=True, capture_output=True).stdout
    seconds = time.monotonic() - begin
    return json.loads(output), seconds


def cell(answer, seconds, bound, show_seconds):
    if not answer["placement"].get("placed", False):
        return "not placed", None
    makespan = int(answer["allocated_makespan"])
    gap = 100.0 * (makespan - bound) / bound
    swaps = int(answer["placement"].get("swaps", 0))
    text = f"{makespan:,}"
    if swaps:
        text += f" ({swaps} swap{'s' if swaps > 1 else ''})"
    text += " proven" if answer.get("proven_optimal") else f" {gap:.1f} %"
    if show_seconds:
        text += f" {seconds:.2f} s"
    return text, gap


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=WORK[-1])
    parser.add_argument("--seconds", action="store_true")
    arguments = parser.parse_args()
    limits = [work for work in WORK if work <= arguments.most]
    files = [file for file in sorted((ROOT / "testdata/streams").glob("*.*pb"))
             if not file.name.startswith("worked-example")]
    for oracle in ("offline", "sequential"):
        gaps = {work: [] for work in limits}
        print(f"\n{oracle.upper()}:\n")
        print("| stream | input | STREAM_SCHEDULE | "
              + " | ".join(f"{work / 1e6:g} M nodes" for work in limits) + " | bound |")
        print("|---|---:|---:|" + "---:|" * len(limits) + "---:|")
        for file in files:
            plain, _ = schedule(file, "--oracle", oracle)
            before = plain.get("input_allocated_makespan")
            row = [file.name.rsplit(".", 1)[0],
                   f"{int(before):,}" if before else "not placed",
                   f"{int(plain['allocated_makespan']):,}"
                   if plain["placement"].get("placed") else "not placed"]
            for work in limits:
                answer, seconds = schedule(file, "--oracle", oracle, "--strategy", "optimize",
                                           "--work-limit", str(work))
                bound = int(answer["lower_bound"]["cycles"])
                text, gap = cell(answer, seconds, bound, arguments.seconds)
                row.append(text)
                if gap is not None:
                    gaps[work].append(gap)
            row.append(f"{bound:,}")
            print("| " + " | ".join(row) + " |", flush=True)
        print("| mean gap | | | " + " | ".join(
            f"{sum(g) / len(g):.2f} %" if g else "-" for g in gaps.values()) + " | |", flush=True)


if __name__ == "__main__":
    main()
