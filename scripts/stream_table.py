#!/usr/bin/env python3
"""Prints README's table: every shipped stream of a real network, scheduled.

Needs the command line, built: bazel build -c opt //tools:torqsched
"""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def percent(part, whole):
    """With one digit, rounded to the nearest as the command line does."""
    tenths = (part * 2000 + whole) // (2 * whole)
    return f"{tenths // 10}.{tenths % 10} %"


def row(file):
    output = subprocess.run(
        [ROOT / "bazel-bin/tools/torqsched", "schedule", file, "--format", "json"],
        check=True, capture_output=True).stdout
    answer = json.loads(output)
    number = lambda key: int(answer.get(key, 0))
    placed = answer["placement"].get("placed", False)
    before, priced = number("input_makespan"), number("input_allocated_makespan")
    note = ""
    if not priced:
        note = " (cannot be placed)"
    elif priced != before:
        note = f" ({priced:,} with its swaps)"
    after = f"{number('allocated_makespan'):,}" if placed else "not placed"
    saved = "-"
    if placed and priced:
        saved = percent(priced - number("allocated_makespan"), priced)
    bound = int(answer["lower_bound"]["cycles"])
    gap = percent(number("allocated_makespan") - bound, bound) if placed else "-"
    swaps = answer["placement"].get("swaps", 0) if placed else "-"
    name = file.name.rsplit(".", 1)[0]
    return (f"| {name} | {len(answer['order']):,} | {before:,}{note} | {after} | {saved} "
            f"| {bound:,} | {gap} | {swaps} |")


def main():
    print("| stream | ops | input makespan | scheduled | saved | lower bound | gap | swaps |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for file in sorted((ROOT / "testdata/streams").glob("*.*pb")):
        if not file.name.startswith("worked-example"):
            print(row(file))


if __name__ == "__main__":
    main()
