#!/usr/bin/python3
"""Writes stat.h: samples and what scipy says about them. Run it only to change the vectors:

    /usr/bin/python3 generate.py > stat.h

Independent of assay's code: numpy's quantiles (type 7), scipy's median absolute deviation and median_cihs, and for
Mann-Kendall the variance that scipy's kendalltau uses (its own p lacks the correction for continuity, so the deviation
of S is taken back out of its p and the correction applied here).
"""
import sys
import warnings

import numpy as np
import scipy
from scipy import stats

warnings.simplefilter("error")
rng = np.random.default_rng(20240607)


def number(value):
    return "NAN" if np.isnan(value) else repr(float(value))


def rows():
    for n in range(6, 61):
        yield "skewed", np.round(100 * rng.lognormal(0, 0.1, n), 3)
        yield "tied", np.round(20 + 2 * rng.standard_normal(n))
    for n in (61, 100, 250):
        yield "contaminated", np.round(np.where(rng.random(n) < 0.2, 150, 100) + rng.standard_normal(n), 3)
    for n in (4, 5, 7, 10, 30, 60):
        for slope in (-0.3, 0.05, 0.4):
            yield "drifting", np.round(10 + slope * np.arange(n) + rng.standard_normal(n), 1)


def interval(x, confidence):
    if 1 - 2.0 ** (1 - len(x)) < confidence:
        return np.nan, np.nan
    return stats.mstats.median_cihs(x, alpha=1 - confidence)


def mann_kendall(x):
    n = len(x)
    s = sum(np.sign(x[j] - x[i]) for i in range(n) for j in range(i + 1, n))
    if abs(s) <= 1:
        return 1.0
    p = stats.kendalltau(np.arange(n), x, method="asymptotic").pvalue
    deviation = abs(s) / stats.norm.isf(p / 2)
    return 2 * stats.norm.sf((abs(s) - 1) / deviation)


def main():
    arrays, table = [], []
    for kind, x in rows():
        name = f"{kind}_{len(x)}_{len(table)}"
        arrays.append(f"static const double {name}[] = {{ {', '.join(number(v) for v in x)} }};")
        values = [np.quantile(x, p) for p in (0.05, 0.25, 0.5, 0.9)]
        values += [stats.median_abs_deviation(x)]
        for confidence in (0.9, 0.95, 0.99):
            values += list(interval(x, confidence))
        values += [mann_kendall(x)]
        table.append(f"\t{{ {name}, {len(x)}, {', '.join(number(v) for v in values)} }},")
    print(f"/* Written by generate.py with scipy {scipy.__version__}, numpy {np.__version__}; do not edit. */")
    print("#ifndef GOLDEN_STAT_H\n#define GOLDEN_STAT_H\n\n#include <math.h>\n#include <stddef.h>\n")
    print("\n".join(arrays))
    print("""
/* NAN: the sample is too small for that interval. */
static const struct golden {
	const double *series; /* in the order drawn */
	size_t count;
	double q05, q25, median, q90;
	double mad;
	double low90, high90, low95, high95, low99, high99;
	double mann_kendall;
} golden[] = {""")
    print("\n".join(table))
    print("};\n\n#endif")


sys.exit(main())
