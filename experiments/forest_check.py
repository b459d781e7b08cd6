#!/usr/bin/python3
"""irf beside scikit-learn's random forests, on two data sets that come with scikit-learn.

Run in the repository, after `make build` (Debian: python3-sklearn):

  /usr/bin/python3 experiments/forest_check.py [build/mdgp]

For digits (10 classes) and diabetes (regression), three splits into halves: accuracy or RMSE of both
forests of 500 trees on the second half, and for regression the noise that each finds in the rows out
of the bag. The forests should be within a point, or 2 % of RMSE; the exit code says whether.
"""
import csv
import json
import struct
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import train_test_split

MDGP = sys.argv[1] if len(sys.argv) > 1 else "build/mdgp"
TREES = 500


def write(path, x, y):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{j}" for j in range(x.shape[1])] + ["y"])
        out.writerows([*map(repr, map(float, row)), target] for row, target in zip(x, y))


def run(*words):
    return subprocess.run([MDGP, *words], check=True, capture_output=True, text=True).stdout


def noise_deviation(path):
    """Of the noise, in units of y."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        numbers = file.read()
    begin, end = header["likelihood0.variance"]["data_offsets"]
    task = json.loads(header["__metadata__"]["schema"])["tasks"][0]
    return struct.unpack("<d", numbers[begin:end])[0] ** 0.5 * task["deviation"]


def irf(folder, train, test, kind):
    """The scores of `mdgp evaluate`, and the noise."""
    write(f"{folder}/train.csv", *train)
    write(f"{folder}/test.csv", *test)
    model = f"{folder}/irf.mdgp"
    run("fit", f"{folder}/train.csv", "--targets", "y", "--types", f"y={kind}", "--model", "irf",
        "--trees", str(TREES), "-o", model)
    scores = json.loads(run("evaluate", model, f"{folder}/test.csv", "--json"))["overall"]
    return scores, noise_deviation(model) if kind == "regression" else None


def main():
    agree = True
    with tempfile.TemporaryDirectory() as folder:
        for split in range(3):
            x, y = load_digits(return_X_y=True)
            a, b, c, d = train_test_split(x, y, test_size=0.5, random_state=split)
            labels = [f"digit{k}" for k in range(10)]
            theirs = RandomForestClassifier(TREES, random_state=0).fit(a, c).score(b, d)
            scores, _ = irf(folder, (a, [labels[k] for k in c]), (b, [labels[k] for k in d]), "classes")
            ours = scores["accuracy"]
            agree &= abs(ours - theirs) <= 0.01
            print(f"digits   split {split}: accuracy irf {ours:.4f}, scikit-learn {theirs:.4f}", flush=True)
        for split in range(3):
            x, y = load_diabetes(return_X_y=True)
            a, b, c, d = train_test_split(x, y, test_size=0.5, random_state=split)
            forest = RandomForestRegressor(TREES, max_features=1 / 3, oob_score=True, random_state=0).fit(a, c)
            theirs = np.mean((forest.predict(b) - d) ** 2) ** 0.5
            their_noise = np.mean((forest.oob_prediction_ - c) ** 2) ** 0.5
            scores, noise = irf(folder, (a, c), (b, d), "regression")
            ours = scores["rmse"]
            agree &= abs(ours / theirs - 1) <= 0.02 and abs(noise / their_noise - 1) <= 0.05
            print(f"diabetes split {split}: RMSE irf {ours:.2f}, scikit-learn {theirs:.2f}; "
                  f"noise out of the bag {noise:.2f}, {their_noise:.2f}", flush=True)
    print("they agree" if agree else "they do not agree")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
