"""Make the gallery: one picture per example, drawn by the example itself, and a page that shows them all.

python tests/gallery.py          writes examples/pictures/NN_title.png and examples/README.md
"""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

FOLDER = Path(__file__).parents[1] / "examples"
ABOUT = """# Examples

Numbered in reading order, each with one new idea and a number that can be checked by hand. A script shows its figure,
or saves it where a file is named: `python examples/01_pendulum.py pendulum.png`. The pictures are made by
`python tests/gallery.py`.
"""


def scripts():
    return sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def entry(path, about):
    """Return the lines of one example: its number, the first line of its text, its picture."""
    number, _, title = path.stem.partition("_")
    heading = f"## {number} [{title.replace('_', ' ')}]({path.name})"
    return f"\n{heading}\n\n{about}\n\n![](pictures/{path.stem}.png)\n"


def main():
    (FOLDER / "pictures").mkdir(exist_ok=True)
    page = ABOUT
    for path in scripts():
        names = runpy.run_path(str(path), run_name="gallery")
        names["show"]().savefig(FOLDER / "pictures" / f"{path.stem}.png", dpi=75)
        plt.close("all")
        page += entry(path, names["__doc__"].splitlines()[0])
        print(path.name, flush=True)
    (FOLDER / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
