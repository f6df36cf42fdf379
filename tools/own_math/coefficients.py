#!/usr/bin/env python3
"""Derives the coefficients of the library's own mathematical functions.

Each polynomial is the minimax one of its degree (Remez' exchange algorithm; see E. W. Cheney,
"Introduction to Approximation Theory", 1966, chapter 3), computed with 60 digits and rounded to
double. The output is src/passes/own_math/coefficients.hpp:

    python3 tools/own_math/coefficients.py > src/passes/own_math/coefficients.hpp
"""
import sys

from mpmath import mp, mpf

mp.dps = 60


def solve_reference(points, values, degree):
    """The polynomial whose errors at degree + 2 points have equal magnitude and alternating
    signs."""
    matrix = mp.matrix(degree + 2)
    right = mp.matrix(degree + 2, 1)
    for row, z in enumerate(points):
        power = mpf(1)
        for column in range(degree + 1):
            matrix[row, column] = power
            power *= z
        matrix[row, degree + 1] = (-1) ** row
        right[row] = values[row]
    solution = mp.lu_solve(matrix, right)
    return list(solution[: degree + 1])


def horner(coefficients, z):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * z + c
    return result


def alternation(errors, count):
    """Indices of the largest errors of alternating sign, `count` of them."""
    peaks = []
    for i, e in enumerate(errors):
        if peaks and (errors[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        ends = (abs(errors[peaks[0]]), abs(errors[peaks[-1]]))
        peaks.pop(0 if ends[0] < ends[1] else -1)
    return peaks


def remez(f, low, high, degree, samples=600):
    low, high = mpf(low), mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * mp.cos(mp.pi * i / samples) for i in range(samples + 1)]
    values = [f(z) for z in grid]
    picked = [round(i * samples / (degree + 1)) for i in range(degree + 2)]
    worst = mpf(0)
    coefficients = []
    for _ in range(12):
        coefficients = solve_reference([grid[i] for i in picked], [values[i] for i in picked],
                                       degree)
        errors = [horner(coefficients, z) - v for z, v in zip(grid, values)]
        worst = max(abs(e) for e in errors)
        level = min(abs(errors[i]) for i in picked)
        if worst <= level * mpf("1.01"):
            break
        peaks = alternation(errors, degree + 2)
        if len(peaks) < degree + 2:
            break
        picked = peaks
    return coefficients, worst


def rounded(x):
    return float(x)


def hexadecimal(x):
    return float.hex(float(x))


def emit(name, comment, f, low, high, degree):
    coefficients, worst = remez(f, low, high, degree)
    print(f"// {comment}; error 2^{float(mp.log(worst, 2)):.1f}")
    print(f"inline constexpr double {name}[] = {{")
    words = [hexadecimal(c) for c in coefficients]
    for i in range(0, len(words), 4):
        print("    " + ", ".join(words[i : i + 4]) + ",")
    print("};")
    sys.stdout.flush()


def parts(x, count):
    """x as a sum of doubles, each of which is the remainder, rounded."""
    result = []
    for _ in range(count):
        result.append(rounded(x))
        x -= mpf(result[-1])
    return result


def emit_parts(name, comment, x, count):
    print(f"// {comment}")
    words = [hexadecimal(p) for p in parts(x, count)]
    print(f"inline constexpr double {name}[] = {{{', '.join(words)}}};")


def odd(f, scale=1):
    """(f(x) / x - scale) / z, where z = x * x."""

    def of(z):
        if abs(z) < mpf(10) ** -20:
            z = mpf(10) ** -20
        with mp.workdps(110):
            x = mp.sqrt(z)
            return +((f(x) / x - scale) / z)

    return of


def exp_rest(r):
    if abs(r) < mpf(10) ** -12:
        return mpf(1) / 2 + r / 6 + r * r / 24
    with mp.workdps(110):
        return +((mp.exp(r) - 1 - r) / r**2)


def cos_rest(z):
    if z < mpf(10) ** -10:
        return mpf(1) / 24 - z / 720 + z * z / 40320
    with mp.workdps(110):
        return +((mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2)


def log_rest(z):
    """Q of 2 atanh(s) = 2 s + s^3 (2/3 + z (2/5 + z Q(z))), z = s * s."""
    if z < mpf(10) ** -14:
        return mpf(2) / 7 + z * 2 / 9 + z * z * 2 / 11
    with mp.workdps(140):
        s = mp.sqrt(z)
        return +(((2 * mp.atanh(s) / s - 2) / z - mpf(2) / 3) / z - mpf(2) / 5) / z


def erf_rest(z):
    if z < mpf(10) ** -30:
        z = mpf(10) ** -30
    with mp.workdps(110):
        x = mp.sqrt(z)
        return +(mp.erf(x) / x - 1)


ERFC_CENTER = mpf(4)


def scaled_erfc(t):
    """(1 + 2 x) exp(x * x) erfc(x), t = (x - 4) / (x + 4) (Shepherd and Laframboise, 1981)."""
    x = ERFC_CENTER * (1 + t) / (1 - t)
    with mp.workdps(400 if x > 8 else 90):
        return +((1 + 2 * x) * mp.exp(x * x) * mp.erfc(x))


def quotient_of(x):
    return (mpf(x) - ERFC_CENTER) / (mpf(x) + ERFC_CENTER)


def two_over_pi_words(count):
    with mp.workdps(500):
        x = 2 / mp.pi
        words = []
        for _ in range(count):
            x *= mpf(2) ** 64
            word = int(mp.floor(x))
            words.append(word)
            x -= word
        return words


def main():
    print("// Coefficients and constants of the own functions. Written by")
    print("// tools/own_math/coefficients.py, which says how; not to be edited.")
    print("#pragma once\n")
    print("#include <cstdint>\n")
    print("namespace hasten::passes::math::coefficients {\n")
    print("// clang-format off")
    r = mp.log(2) / 2 * mpf("1.0001")
    emit("exp_full", "(exp(r) - 1 - r) / r^2", exp_rest, -r, r, 10)
    emit("exp_short", "the same, for float", exp_rest, -r, r, 7)
    s2 = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    emit("log_full", "(2 atanh(s) / s - 2) / z, z = s^2", odd(lambda s: 2 * mp.atanh(s), 2), 0, s2, 7)
    emit("log_short", "the same, for float", odd(lambda s: 2 * mp.atanh(s), 2), 0, s2, 4)
    emit("log_rest", "(((2 atanh(s) / s - 2) / z - 2/3) / z - 2/5) / z", log_rest, 0, s2, 8)
    q2 = (mp.pi / 4) ** 2 * mpf("1.0001")
    emit("sin_full", "(sin(r) / r - 1) / z, z = r^2", odd(mp.sin), 0, q2, 6)
    emit("sin_short", "the same, for float", odd(mp.sin), 0, q2, 4)
    emit("cos_full", "(cos(r) - 1 + z / 2) / z^2", cos_rest, 0, q2, 6)
    emit("cos_short", "the same, for float", cos_rest, 0, q2, 4)
    t2 = (mp.sqrt(2) - 1) ** 2 * mpf("1.0001")
    emit("atan_full", "(atan(t) / t - 1) / z, z = t^2", odd(mp.atan), 0, t2, 11)
    emit("atan_short", "the same, for float", odd(mp.atan), 0, t2, 8)
    emit("asin_full", "(asin(x) / x - 1) / z, z = x^2", odd(mp.asin), 0, mpf("0.2501"), 13)
    emit("asin_short", "the same, for float", odd(mp.asin), 0, mpf("0.2501"), 9)
    h2 = mpf("0.36") ** 2
    emit("sinh_full", "(sinh(x) / x - 1) / z, z = x^2", odd(mp.sinh), 0, h2, 5)
    emit("sinh_short", "the same, for float", odd(mp.sinh), 0, h2, 3)
    emit("tanh_full", "(tanh(x) / x - 1) / z, z = x^2", odd(mp.tanh), 0, h2, 9)
    emit("tanh_short", "the same, for float", odd(mp.tanh), 0, h2, 6)
    emit("erf_full", "erf(x) / x - 1, z = x^2", erf_rest, 0, mpf("0.7"), 11)
    emit("erf_short", "the same, for float", erf_rest, 0, mpf("0.7"), 7)
    emit("erfc_full", "(1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4)", scaled_erfc,
         quotient_of("0.7"), quotient_of(28), 22)
    emit("erfc_short", "the same, for float", scaled_erfc, quotient_of("0.7"), quotient_of("10.5"), 12)
    emit("cbrt_start", "1 / cbrt(x) from 1 to 8", lambda x: mp.power(x, mpf(-1) / 3), 1, 8, 5)
    with mp.workdps(100):
        head = mp.floor(mp.log(2) * mpf(2) ** 42) / mpf(2) ** 42
        rest = parts(mp.log(2) - head, 2)
        words = ", ".join(hexadecimal(x) for x in [head] + rest)
        print("// log(2); products of the first part with numbers below 2^11 are exact")
        print(f"inline constexpr double ln2[] = {{{words}}};")
        emit_parts("log2_e", "1 / log(2)", 1 / mp.log(2), 2)
        emit_parts("log10_e", "1 / log(10)", 1 / mp.log(10), 2)
        head = mp.floor(mp.log10(2) * mpf(2) ** 42) / mpf(2) ** 42
        words = ", ".join(hexadecimal(x) for x in [head] + parts(mp.log10(2) - head, 1))
        print("// log10(2), as ln2")
        print(f"inline constexpr double log10_2[] = {{{words}}};")
        emit_parts("ln2_pair", "log(2)", mp.log(2), 2)
        emit_parts("half_pi", "pi / 2", mp.pi / 2, 3)
        emit_parts("quarter_pi", "pi / 4", mp.pi / 4, 2)
        emit_parts("pi", "pi", mp.pi, 2)
        emit_parts("two_over_pi", "2 / pi", 2 / mp.pi, 1)
        emit_parts("two_thirds", "2 / 3", mpf(2) / 3, 2)
        emit_parts("two_fifths", "2 / 5", mpf(2) / 5, 2)
    print("// 2 / pi, 64 bits each, the highest first")
    print("inline constexpr std::uint64_t two_over_pi_bits[] = {")
    words = [f"0x{w:016x}" for w in two_over_pi_words(19)]
    for i in range(0, len(words), 4):
        print("    " + ", ".join(words[i : i + 4]) + ",")
    print("};")
    print("// clang-format on\n")
    print("}  // namespace hasten::passes::math::coefficients")


if __name__ == "__main__":
    main()
