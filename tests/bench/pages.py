"""How large the page of a large motion is, how long it takes to open, and how fast it plays: one command,

    python -m tests.bench.pages

with a browser on this machine; 100 bodies, 10 000 samples, all columns of a result in the plane.
"""

import sys
import tempfile
import time
from pathlib import Path

from particlemech.view import page
from tests.support import browser
from tests.support.scenes import many_bodies

BODIES, SAMPLES = 100, 10_000
LARGEST, SLOWEST, LEAST = 25.0, 3.0, 30.0  # MB, s to open, frames per second
WATCHED = 4.0  # s of playing
PLAY = "particlemech.player.pause(); {}; particlemech.player.frames = 0; particlemech.player.play()"
SHOWN = ("traces", "velocity", "acceleration", "reaction", "names")


def rate(tab, *shown):
    """Return the frames per second of a page that plays with some things switched on."""
    switched = "; ".join(f"particlemech.stage.shown.{name} = {str(name in shown).lower()}" for name in SHOWN)
    tab.value(PLAY.format(switched))
    time.sleep(1.0)
    first, began = tab.value("particlemech.player.frames"), time.perf_counter()
    time.sleep(WATCHED)
    return (tab.value("particlemech.player.frames") - first) / (time.perf_counter() - began)


def main():
    """Measure and print; return 1 if a bar is missed."""
    seen = many_bodies(BODIES, SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        began = time.perf_counter()
        page.save(seen, path)
        written, size = time.perf_counter() - began, path.stat().st_size / 1e6
        process = browser.Browser()
        try:
            tab = browser.Tab(process)
            began = time.perf_counter()
            tab.open(path)
            opening = time.perf_counter() - began
            plain, all_on = rate(tab, "traces"), rate(tab, *SHOWN)
        finally:
            process.close()
    print(f"{BODIES} bodies, {SAMPLES} samples, {len(seen.quantities)} columns: written in {written:.1f} s")
    rows = (
        ("size", size, "MB", size <= LARGEST, LARGEST),
        ("opened in", opening, "s", opening <= SLOWEST, SLOWEST),
        ("plays with a trace", plain, "frames/s", plain >= LEAST, LEAST),
        ("plays with all arrows and names", all_on, "frames/s", all_on >= LEAST, LEAST),
    )
    for what, value, unit, met, bar in rows:
        print(f"{what:32} {value:8.2f} {unit:9} bar {bar:g}{'' if met else '  MISSED'}")
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
