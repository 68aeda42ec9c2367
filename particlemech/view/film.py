"""Animations: a motion as a GIF or as a video, in real time or at any speed, with paths that fade.

Frames are samples nearest to evenly spaced times, so the picture keeps time whatever the samples of the result are:

    t(n) = t(0) + n speed / fps,   as many frames as the motion lasts                                           (1)

GIFs are written by Pillow, which matplotlib brings along. Videos need ffmpeg: that of the system, or else the one that
imageio-ffmpeg carries, which the extra `video` brings.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.system import Array
from particlemech.view import stage
from particlemech.view.families import scene
from particlemech.view.looks import palette, pyplot
from particlemech.view.scene import Scene

SUFFIXES = (".gif", ".mp4")
FPS = {".gif": 25.0, ".mp4": 50.0}  # of a GIF: delays are hundredths of a second, and 0.04 s is what viewers keep
MOST = 3000  # frames: beyond that a file is no longer watched to its end
FADES = 24  # pieces of a path, from clear to nothing
MEMORY = 1.0  # s of the film until a path has faded


def animate(
    result: Any,
    path: str | Path,
    *,
    speed: float = 1.0,
    fps: float | None = None,
    points: Sequence[str] | None = None,
    arrows: Sequence[str] = (),
    dpi: float = 100.0,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a motion as an animation.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    path : path
        The file to write, .gif or .mp4; it appears when it is complete.
    speed : float
        Seconds of the motion in one second of the film: 1 is real time, 0.1 slow motion.
    fps : float, optional
        Frames per second; default 25 for a GIF and 50 for a video.
    points : sequence of str, optional
        Points whose paths are drawn; default the one with the longest path.
    arrows : sequence of str
        What to show as arrows: "load", "velocity", "acceleration", "reaction", "effort".
    dpi : float
        Dots per inch; the picture is about 7 inches wide.
    progress : function, optional
        Called with the fraction that is done.

    Returns
    -------
    path
        The file.

    Raises
    ------
    ModelError
        If the suffix, a point or a group of arrows is unknown, the film would be too long or too short, or what writes
        it is missing.
    """
    target = checked(path)
    rate = FPS[target.suffix.lower()] if fps is None else fps
    whole = scene(result)
    film = whole.at(_samples(whole, speed, rate))
    names = tuple(stage.followed(film, points))
    writer = _writer(target, rate)
    figure, show = _picture(film, names, (arrows,) if isinstance(arrows, str) else arrows, speed, rate)
    plt = pyplot()
    handle, aside = tempfile.mkstemp(suffix=target.suffix, prefix=".", dir=target.parent)
    os.close(handle)
    try:
        with writer.saving(figure, aside, dpi):
            for k in range(len(film.t)):
                show(k)
                writer.grab_frame()
                if progress is not None:
                    progress((k + 1) / len(film.t))
        os.chmod(aside, 0o644)
        os.replace(aside, target)
    finally:
        plt.close(figure)
        Path(aside).unlink(missing_ok=True)
    return target


def checked(path: str | Path) -> Path:
    """Return the path of an animation, or say what is wrong with it."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ModelError(f'cannot write "{target.name}": animations are {" or ".join(SUFFIXES)}; change its suffix')
    if not target.parent.is_dir():
        raise ModelError(f'cannot write "{target}": there is no folder "{target.parent}"; make it first')
    return target


def _samples(whole: Scene, speed: float, fps: float) -> Array:
    """Return the samples that the frames show, by (1)."""
    for word, value in (("speed", speed), ("fps", fps)):
        if not (value > 0.0 and math.isfinite(value)):
            raise ModelError(f"{word} must be a number above zero, got {value:g}")
    duration = float(whole.t[-1] - whole.t[0])
    count = math.floor(duration * fps / speed + 1e-9) + 1
    if count > MOST:
        raise ModelError(
            f"{duration:g} s at speed {speed:g} and {fps:g} frames per second are {count} frames, more than {MOST}; "
            f"take a speed of at least {duration * fps / (MOST - 1):.3g}, or a shorter run"
        )
    if count < 2:
        raise ModelError(
            f"{duration:g} s at speed {speed:g} last less than a frame; take a speed of {duration / 4.0:.2g}"
        )
    times = whole.t[0] + np.arange(count) * speed / fps
    right = np.clip(np.searchsorted(whole.t, times), 1, len(whole.t) - 1)
    return np.asarray(np.where(times - whole.t[right - 1] <= whole.t[right] - times, right - 1, right))


def _writer(target: Path, fps: float) -> Any:
    """Return what writes the film, or say what is missing."""
    pyplot()
    from matplotlib import animation, rcParams

    writers: Any = animation  # their rates may be fractions
    if target.suffix.lower() == ".gif":
        return writers.PillowWriter(fps=fps)
    if not writers.FFMpegWriter.isAvailable():
        try:
            from imageio_ffmpeg import get_ffmpeg_exe
        except ImportError:
            raise ModelError(
                'videos need ffmpeg; install it, or with: pip install "particlemech[video]", or write a .gif'
            ) from None
        rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()
    # yuv420p is what all players show; it needs even numbers of pixels
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
    return writers.FFMpegWriter(fps=fps, codec="libx264", extra_args=even)


def _picture(
    film: Scene, names: Sequence[str], arrows: Sequence[str], speed: float, fps: float
) -> tuple[Any, Callable[[int], None]]:
    """Return the figure of a film, and what moves it to frame k."""
    ax = stage.axes(film, None)
    moves = [stage.painted(ax, film), stage.arrows(ax, film, arrows)]
    moves += [_fading(ax, film.points[name], k, fps) for k, name in enumerate(names)]
    figure = stage.finished(ax, film, film.title, box=stage.room(film, arrows, slice(None)))
    said = "" if speed == 1.0 else f", speed {speed:g}"
    words: dict[str, Any] = {"transform": ax.transAxes, "color": palette(ax).ink, "fontsize": 9, "va": "top"}
    clock = (ax.text2D if film.dimension == 3 else ax.text)(0.01, 0.99, "", **words)

    def show(k: int) -> None:
        for move in moves:
            move(k)
        clock.set_text(f"t = {film.t[k]:.3f} s{said}")

    return figure, show


def _fading(ax: Any, path: Array, number: int, fps: float) -> Callable[[int], None]:
    """Add the path of a point (K, d), clear near the present and gone after a while; return what moves it."""
    colours = palette(ax).colours
    colour, size = colours[number % len(colours)], max(1, round(MEMORY * fps / FADES))
    nothing: list[list[float]] = [[] for _ in range(path.shape[1])]
    style = {"color": colour, "lw": 1.8, "zorder": 6, "solid_capstyle": "round"}
    pieces = [ax.plot(*nothing, alpha=1.0 - n / FADES, **style)[0] for n in range(FADES)]
    (dot,) = ax.plot(*nothing, "o", color=colour, ms=5.0, zorder=7)

    def move(k: int) -> None:
        for n, piece in enumerate((*pieces, dot)):
            end = k if piece is dot else max(k - n * size, 0)
            part = path[end : end + 1] if piece is dot else path[max(end - size, 0) : end + 1]
            (piece.set_data_3d if path.shape[1] == 3 else piece.set_data)(*part.T)

    return move
