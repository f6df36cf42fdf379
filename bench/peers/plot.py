"""A plot of ratios as SVG: a row for each case and a mark for each contender, on a logarithmic
scale."""
import math

import figures

COLOURS = {"numpy": "#4477aa", "numba": "#ee6677", "jax": "#228833", "taichi": "#ccbb44",
           "halide": "#aa3377", "drjit": "#66ccee"}
LEFT, ROW, WIDTH, TOP = 170, 19, 560, 64
LEAST, MOST = 0.25, 64.0


def place(ratio):
    """The horizontal position of a contender that takes `ratio` times Hasten's time."""
    held = min(max(ratio, LEAST), MOST)
    return LEFT + WIDTH * math.log(held / LEAST) / math.log(MOST / LEAST)


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{words}</text>'


def scale(height):
    """Lines at the powers of two; the line of Hasten's own time is stronger."""
    marks = []
    for power in range(int(math.log2(LEAST)), int(math.log2(MOST)) + 1):
        x, ours = place(2.0 ** power), power == 0
        marks.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 8}" '
                     f'stroke="{"#222" if ours else "#ddd"}"/>')
        label = f"{2.0 ** power:g}"
        marks.append(text(x, TOP - 12, label, 'text-anchor="middle" fill="#555"'))
    return marks


def legend():
    marks, x = [], LEFT
    for peer, colour in COLOURS.items():
        marks.append(f'<circle cx="{x}" cy="34" r="4.5" fill="{colour}"/>')
        marks.append(text(x + 8, 38, peer))
        x += 22 + 8 * len(peer)
    return marks


def row(record, y):
    marks = [text(LEFT - 10, y + 4, record["name"], 'text-anchor="end"')]
    wrong = {p["name"] for p in record["problems"]}
    for name, ms in record["medians_ms"].items():
        if name == figures.OURS or name in wrong or not record["ours_ms"]:
            continue
        ratio = ms / record["ours_ms"]
        # Marks beyond the end of the scale are hollow.
        colour = COLOURS[figures.peer_of(name)]
        fill = colour if LEAST <= ratio <= MOST else "#fff"
        marks.append(f'<circle cx="{place(ratio):.1f}" cy="{y}" r="4.5" fill="{fill}" '
                     f'stroke="{colour}"><title>{name}: {ratio:.2f}</title></circle>')
    return marks


def drawn(records, title):
    """The plot of the records for one number of threads."""
    height = TOP + ROW * len(records) + 12
    marks = [text(10, 16, title, 'font-weight="bold"'), *legend(), *scale(height)]
    for i, record in enumerate(records):
        marks += row(record, TOP + ROW * i + 8)
    body = "\n".join(marks)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" '
            f'height="{height}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')
