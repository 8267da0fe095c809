#!/usr/bin/env python3
"""Prints the table of docs/residency.md: the layer tables in testdata/networks, planned for several
sizes of SRAM by both strategies: which percentage of the bytes that activations and states move in
a step moves off chip. "59.3 -> 58.7": DENSITY, then OPTIMAL; one number where they are equal.

Needs the command line, built: bazel build -c opt //tools:torqsched
"""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TORQSCHED", ROOT / "bazel-bin/tools/torqsched")
SIZES = ["512KiB", "1MiB", "2MiB", "4MiB", "8MiB", "32MiB"]


def plan(file, sram):
    output = subprocess.run(
        [TOOL, "residency", "--network", file, "--sram", sram, "--strategy", "optimal",
         "--format", "json"], check=True, capture_output=True).stdout
    return json.loads(output)


def moved_bytes(answer, candidates):
    """Bytes a step that move through what could be on chip, activations and states; or the others."""
    return sum(int(tensor.get("moved_bytes", 0)) for tensor in answer["network_program"]["tensors"]
               if (tensor["role"] in ("TENSOR_ROLE_ACTIVATION", "TENSOR_ROLE_STATE")) == candidates)


def cell(answer):
    moved, never = moved_bytes(answer, True), moved_bytes(answer, False)
    proof = answer["proof"]
    density = int(proof["density_moved_off_chip"]) - never
    optimal = int(proof["moved_off_chip"]) - never
    share = lambda part: f"{100 * part / moved:.1f}"
    text = share(density)
    if optimal != density:
        text += f" -> {share(optimal)}"
    return text + ("" if proof.get("proven") else " (not proven)")


def main():
    print("| network | moved a step | " + " | ".join(SIZES) + " |")
    print("|---|---:|" + "---:|" * len(SIZES))
    for file in sorted((ROOT / "testdata/networks").glob("*.json")):
        answers = [plan(file, size) for size in SIZES]
        cells = " | ".join(cell(answer) for answer in answers)
        print(f"| {file.name.rsplit('.', 1)[0]} | {moved_bytes(answers[0], True):,} | {cells} |")


if __name__ == "__main__":
    main()
