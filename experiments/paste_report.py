#!/usr/bin/env python3
"""Puts sections of an experiment's report into docs/accuracy.md, between <!-- results --> and <!-- end -->.

    experiments/paste_report.py experiments/sarcos/results/clean.md docs/accuracy.md
"""
import re
import sys

SECTIONS = ["Summary: NLPP", "Summary: RMSE", "NLPP", "RMSE", "Relative RMSE", "Intervals", "Time"]


def main(report, page):
    with open(report, encoding="utf-8") as file:
        parts = re.split(r"^## (.*)\n", file.read(), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    text = "".join(f"### {name}\n{sections[name]}" for name in SECTIONS)
    with open(page, encoding="utf-8") as file:
        before, marker, rest = file.read().partition("<!-- results -->\n")
    if not marker or "<!-- end -->" not in rest:
        sys.exit(f"{page}: has no <!-- results --> followed by <!-- end -->")
    after = rest[rest.index("<!-- end -->"):]
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + marker + text.rstrip("\n") + "\n" + after)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
