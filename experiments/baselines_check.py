#!/usr/bin/python3
"""Are the networks honest baselines? The same split, units, optimiser and penalty in mdgp and in
scikit-learn, on its digits (classes) and on Friedman's first function (regression). scikit-learn
has no Bayesian networks, so these are compared with one written here in numpy, on the digits; then
the program's own settings.

    build: ninja -C build mdgp_program
    run:   experiments/baselines_check.py build/mdgp [--seeds 3]

Prints test accuracy (percent) and test RMSE (in standard deviations of the target), mean over
seeds. Exits 1 where ours is more than a point below the other's, or 10 percent above its RMSE.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.datasets import load_digits, make_friedman1
from sklearn.neural_network import MLPClassifier, MLPRegressor

EPOCHS, BATCH, RATE, ALPHA, UNITS = 60, 64, 1e-3, 0.01, 128
BAYESIAN_RATE, BAYESIAN_STEPS, START_DEVIATION = 3e-3, 5000, 0.05


def standardised(train, test):
    mean, deviation = train.mean(0), train.std(0)
    deviation[deviation == 0] = 1.0
    return (train - mean) / deviation, (test - mean) / deviation


def write_csv(path, x, y):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{d}" for d in range(x.shape[1])] + ["y"])
        out.writerows([*map(repr, map(float, row)), target] for row, target in zip(x, y))


def mdgp_score(program, folder, model, kind, seed, flags):
    path = f"{folder}/{model}.mdgp"
    subprocess.run(
        [program, "fit", f"{folder}/train.csv", "--targets", "y", "--types", f"y={kind}", "--model",
         model, "--seed", str(seed), "-o", path, *flags],
        check=True, stdout=subprocess.DEVNULL)
    result = subprocess.run([program, "evaluate", path, f"{folder}/test.csv", "--json"], check=True,
                            capture_output=True, text=True)
    overall = json.loads(result.stdout)["overall"]
    return 100.0 * overall["accuracy"] if kind == "classes" else overall["srmse"]


def sklearn_score(train, test, model, kind, seed):
    x, x_test = standardised(train[0], test[0])
    hidden = (UNITS,) * (1 if model.endswith("2") else 2)
    common = dict(hidden_layer_sizes=hidden, batch_size=BATCH, learning_rate_init=RATE,
                  max_iter=EPOCHS, n_iter_no_change=EPOCHS, random_state=seed)
    if kind == "classes":
        fitted = MLPClassifier(alpha=ALPHA, **common).fit(x, train[1])
        return 100.0 * fitted.score(x_test, test[1])
    y, y_test = standardised(np.array(train[1])[:, None], np.array(test[1])[:, None])
    fitted = MLPRegressor(alpha=0.0, **common).fit(x, y[:, 0])
    return float(np.sqrt(np.mean((fitted.predict(x_test) - y_test[:, 0]) ** 2)))


class BayesianNetwork:
    """Mean-field normal weights, prior N(0, 1), ReLU units, softmax; local reparameterisation of
    every layer, the head included; Adam on minus the bound. Gradients by hand."""

    def __init__(self, sizes, rng, deviation):
        self.rng, self.theta = rng, []
        for n, m in zip(sizes, sizes[1:]):
            limit = np.sqrt(6.0 / (n + m))
            log_deviation = np.log(deviation * np.sqrt(2.0 / (n + m)))
            mean = np.vstack([rng.uniform(-limit, limit, (n, m)), np.zeros(m)])  # the last: bias
            self.theta += [mean, np.full_like(mean, log_deviation)]
        self.moments = [(np.zeros_like(t), np.zeros_like(t)) for t in self.theta]
        self.step = 0

    def forward(self, x):
        kept, h = [], x
        for mean, log_deviation in zip(self.theta[::2], self.theta[1::2]):
            if kept:
                h = np.maximum(h, 0.0)
            h1 = np.hstack([h, np.ones((len(h), 1))])
            deviation = np.sqrt(h1 ** 2 @ np.exp(2 * log_deviation))
            noise = self.rng.standard_normal(deviation.shape)
            kept.append((h1, h, deviation, noise))
            h = h1 @ mean + deviation * noise
        return h, kept

    def probabilities(self, f):
        e = np.exp(f - f.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def train_step(self, x, y, rows, rate):
        f, kept = self.forward(x)
        back = (self.probabilities(f) - np.eye(f.shape[1])[y]) * rows / len(y)
        gradient = [None] * len(self.theta)
        for layer in reversed(range(len(kept))):
            h1, h, deviation, noise = kept[layer]
            mean, log_deviation = self.theta[2 * layer:2 * layer + 2]
            variance = np.exp(2 * log_deviation)
            by_variance = back * noise / (2 * deviation)
            gradient[2 * layer] = h1.T @ back + mean  # the KL's is mean, and s² - 1
            gradient[2 * layer + 1] = 2 * variance * (h1.T ** 2 @ by_variance) + variance - 1.0
            back = (back @ mean.T + 2 * h1 * (by_variance @ variance.T))[:, :-1] * (h > 0)
        self.step += 1
        for t, g, (m, v) in zip(self.theta, gradient, self.moments):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            t -= rate * (m / (1 - 0.9 ** self.step)) / (
                np.sqrt(v / (1 - 0.999 ** self.step)) + 1e-8)


def numpy_score(train, test, model, seed, steps):
    rng = np.random.default_rng(seed)
    x, x_test = standardised(train[0], test[0])
    names = sorted(set(train[1]))
    y, y_test = (np.array([names.index(label) for label in part[1]]) for part in (train, test))
    hidden = (UNITS,) * (1 if model.endswith("2") else 2)
    network = BayesianNetwork((x.shape[1], *hidden, len(names)), rng, START_DEVIATION)
    for _ in range(steps):
        rows = rng.integers(0, len(y), BATCH)
        network.train_step(x[rows], y[rows], len(y), BAYESIAN_RATE)
    p = sum(network.probabilities(network.forward(x_test)[0]) for _ in range(50))
    return 100.0 * np.mean(p.argmax(1) == y_test)


def problems():
    order = np.random.default_rng(0).permutation(1797)
    x, y = load_digits(return_X_y=True)
    x, y = x[order], [f"d{label}" for label in y[order]]
    yield "digits", "classes", (x[:1200], y[:1200]), (x[1200:], y[1200:])
    x, y = make_friedman1(4000, 10, noise=1.0, random_state=0)
    yield "friedman1", "regression", (x[:2000], list(y[:2000])), (x[2000:], list(y[2000:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # that it has not converged: both stop after so many epochs
    program, good = str(pathlib.Path(arguments.program).resolve()), True
    for name, kind, train, test in problems():
        with tempfile.TemporaryDirectory() as folder:
            write_csv(f"{folder}/train.csv", *train)
            write_csv(f"{folder}/test.csv", *test)
            steps = str(EPOCHS * len(train[1]) // BATCH)
            # scikit-learn's penalty is alpha / 2 on a batch's summed loss; ours is on the mean.
            l2 = ALPHA / 2 / BATCH if kind == "classes" else 0.0
            plain = ["--dropout", "0", "--l2", repr(l2), "--units", str(UNITS), "--batch", str(BATCH),
                     "--learning-rate", repr(RATE), "--schedule", "constant", "--steps", steps]
            # Squared loss is a Gaussian of variance 1: ours starts there and learns it. From the
            # program's own 0.05 it ends 5 percent worse (mann2, 5 seeds: 0.255, 0.244 from 1, 0.243
            # of scikit-learn).
            plain += ["--noise", "1"] if kind == "regression" else []
            for model in ("mann2", "mann3"):
                seeds = range(1, arguments.seeds + 1)
                ours = np.mean([mdgp_score(program, folder, model, kind, s, plain) for s in seeds])
                theirs = np.mean([sklearn_score(train, test, model, kind, s) for s in seeds])
                ok = ours > theirs - 1.0 if kind == "classes" else ours < 1.1 * theirs
                good = good and ok
                print(f"{name:<10} {model}  ours {ours:8.3f}  scikit-learn {theirs:8.3f}  "
                      f"{'ok' if ok else 'WORSE'}", flush=True)
            for model in ("mbnn2", "mbnn3") if kind == "classes" else ():
                seeds = range(1, arguments.seeds + 1)
                flags = ["--units", str(UNITS), "--batch", str(BATCH), "--learning-rate",
                         repr(BAYESIAN_RATE), "--schedule", "constant", "--steps",
                         str(BAYESIAN_STEPS), "--weight-prior", "standard", "--kl-weight", "1"]
                ours = np.mean([mdgp_score(program, folder, model, kind, s, flags) for s in seeds])
                theirs = np.mean([numpy_score(train, test, model, s, BAYESIAN_STEPS) for s in seeds])
                ok = ours > theirs - 1.0
                good = good and ok
                print(f"{name:<10} {model}  ours {ours:8.3f}  numpy        {theirs:8.3f}  "
                      f"{'ok' if ok else 'WORSE'}", flush=True)
            for model in ("mann2", "mann3", "mbnn2", "mbnn3"):
                score = mdgp_score(program, folder, model, kind, 1, [])
                print(f"{name:<10} {model}  own settings {score:8.3f}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
