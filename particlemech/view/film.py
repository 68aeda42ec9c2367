"""Animations: a motion as a GIF or as a video, in real time or at any speed, with paths that fade.

Frames are samples nearest to evenly spaced times, so the picture keeps time whatever the samples of the result are:

    t(n) = t(0) + n speed / fps,   as many frames as the motion lasts                                           (1)

GIFs are written by Pillow, which matplotlib brings along. Videos need ffmpeg: that of the system, or else the one that
imageio-ffmpeg carries, which the extra `video` brings.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.result.export import aside, checked
from particlemech.view import page, stage
from particlemech.view.axis import TIME
from particlemech.view.families import scene
from particlemech.view.looks import palette, pyplot
from particlemech.view.scene import Scene

SUFFIXES, PAGE = (".gif", ".mp4"), ".html"
FPS = {".gif": 25.0, ".mp4": 50.0}  # of a GIF: delays are hundredths of a second, and 0.04 s is what viewers keep
MOST = 3000  # frames: beyond that a file is no longer watched to its end
FADES = 24  # pieces of a path, from clear to nothing
MOVING = "moves"  # mark of what changes from frame to frame
MEMORY = 1.0  # s of the film until a path has faded

Frame = Callable[[int], Array]  # number -> colours (height, width, 3), bytes
Writer = Callable[
    [Frame, int, Iterator[int], float, IO[bytes]], None
]  # frames, how many, their numbers, rate, where to


def animate(
    result: Any,
    path: str | Path,
    *,
    speed: float = 1.0,
    fps: float | None = None,
    points: Sequence[str] | None = None,
    arrows: Sequence[str] = (),
    dpi: float = 100.0,
    exaggerate: float = 1.0,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a motion as an animation.

    Parameters
    ----------
    result : Result
        The motion, of any family.
    path : path
        The file to write, .gif or .mp4; it appears when it is complete. With .html it is the page of `view.page`,
        whose reader chooses the speed: speed, fps and dpi are for films.
    speed : float
        Seconds of the motion in one second of the film: 1 is real time, 0.1 slow motion.
    fps : float, optional
        Frames per second; default 25 for a GIF and 50 for a video.
    points : sequence of str, optional
        Points whose paths are drawn; default the one with the longest path.
    arrows : sequence of str
        What to show as arrows: "load", "impulse", "velocity", "acceleration", "reaction", "effort".
    dpi : float
        Dots per inch; the picture is about 7 inches wide.
    exaggerate : float
        Of a result whose bodies bend: how many times as large deflections are drawn.
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
    target = checked(path, (*SUFFIXES, PAGE))
    if target.suffix.lower() == PAGE:
        page.save(result, target, traces=points, arrows=arrows, exaggerate=exaggerate)
        return target
    rate = FPS[target.suffix.lower()] if fps is None else fps
    whole = scene(result, exaggerate)
    samples = _samples(whole, speed, rate)
    film, paths = whole.at(samples), stage.followed(whole, points)
    save = _WRITERS[target.suffix.lower()]()
    said = "" if speed == 1.0 else f", speed {speed:.3g}"
    ages = np.arange(FADES + 1) * MEMORY * rate / FADES  # of the pieces of paths, in frames
    ends = np.interp(np.arange(len(samples))[:, None] - ages, np.arange(len(samples)), samples).round().astype(int)
    figure, show = _picture(film, (arrows,) if isinstance(arrows, str) else arrows, paths, ends, said)
    try:
        with aside(target) as file:
            save(_frame(figure, show, dpi), len(film.t), _counted(len(film.t), progress), rate, file)
    finally:
        pyplot().close(figure)
    return target


def check(path: Path, duration: float, speed: float, fps: float | None) -> None:
    """Raise where a film cannot be written or would be too long; worth asking before a long run."""
    _WRITERS[path.suffix.lower()]()
    _count(duration, speed, FPS[path.suffix.lower()] if fps is None else fps)


def _count(duration: float, speed: float, fps: float) -> int:
    """Return the number of frames, by (1)."""
    for word, value in (("speed", speed), ("fps", fps)):
        if not (value > 0.0 and math.isfinite(value)):
            raise ModelError(f"{word} must be a number above zero, got {value:g}")
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
    return count


def _samples(whole: Scene, speed: float, fps: float) -> Array:
    """Return the samples that the frames show: those nearest to (1)."""
    count = _count(float(whole.t[-1] - whole.t[0]), speed, fps)
    times = whole.t[0] + np.arange(count) * speed / fps
    right = np.clip(np.searchsorted(whole.t, times), 1, len(whole.t) - 1)
    return np.asarray(np.where(times - whole.t[right - 1] <= whole.t[right] - times, right - 1, right))


# -- files ---------------------------------------------------------------------------------------------------------


def _gif() -> Writer:
    """Return what writes a GIF; one palette for all frames keeps colours still and files small."""
    pyplot()
    from PIL import Image

    def save(frame: Frame, count: int, numbers: Iterator[int], fps: float, file: IO[bytes]) -> None:
        several = Image.fromarray(np.vstack([frame(k) for k in range(0, count, max(1, count // 5))]))
        colours = several.quantize(250, dither=Image.Dither.NONE).getpalette() or []
        ground = frame(0)[0, 0]  # the paper keeps its exact colour
        table = np.vstack([ground, np.array(colours).reshape(-1, 3)])
        nearest = _nearest(table)

        def indexed(k: int) -> Any:
            r, g, b = np.moveaxis(frame(k).astype(np.int32) >> 3, 2, 0)
            image = Image.fromarray(nearest[(r << 10) | (g << 5) | b])
            image.putpalette(table.astype(np.uint8).tobytes())
            return image

        first, rest = indexed(next(numbers)), (indexed(k) for k in numbers)
        first.save(file, format="GIF", save_all=True, append_images=rest, duration=round(1000.0 / fps), loop=0)

    return save


def _nearest(table: Array) -> Array:
    """Return the number of the nearest colour in a table (n, 3) for all colours of 5 bits each, (32768,) bytes."""
    steps = np.arange(32) * 255.0 / 31.0
    every = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    far = np.sum(every**2, axis=1)[:, None] - 2.0 * every @ table.T + np.sum(table.astype(float) ** 2, axis=1)
    return np.asarray(np.argmin(far, axis=1).astype(np.uint8))


def _mp4() -> Writer:
    """Return what writes a video."""
    pyplot()
    import shutil

    program = shutil.which("ffmpeg")
    if program is None:
        try:
            from imageio_ffmpeg import get_ffmpeg_exe
        except ImportError:
            raise ModelError(
                'videos need ffmpeg; install it, or with: pip install "particlemech[video]", or write a .gif'
            ) from None
        program = get_ffmpeg_exe()

    def save(frame: Frame, count: int, numbers: Iterator[int], fps: float, file: IO[bytes]) -> None:
        height, width, _ = frame(0).shape
        given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-"]
        # yuv420p is what all players show; it needs even numbers of pixels
        wanted = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
        command = [program, "-y", "-loglevel", "error", *given, *wanted, "-f", "mp4", file.name]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            try:
                for k in numbers:
                    run.stdin.write(frame(k).tobytes())  # type: ignore[union-attr]
                _, said = run.communicate()
            except BrokenPipeError:
                _, said = run.communicate()
            except BaseException:
                run.kill()
                raise
        if run.returncode:
            reason = said.decode(errors="replace").strip().splitlines()[-1:] or ["it gave no reason"]
            raise ModelError(f"ffmpeg could not write the video: {reason[0]}; write a .gif")

    return save


_WRITERS: dict[str, Callable[[], Writer]] = {".gif": _gif, ".mp4": _mp4}

# -- pictures ------------------------------------------------------------------------------------------------------


def _counted(count: int, progress: Callable[[float], None] | None) -> Iterator[int]:
    """Give the numbers of the frames, and tell how far they have been used."""
    for k in range(count):
        yield k
        if progress is not None:
            progress((k + 1) / count)


def _frame(figure: Any, show: Callable[[int], None], dpi: float) -> Frame:
    """Return what draws a frame; what stands still is drawn once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    (ax,) = figure.axes
    moving = sorted((a for a in ax.get_children() if a.get_gid() == MOVING), key=lambda a: a.get_zorder())
    for artist in moving:
        artist.set_animated(True)
    canvas.draw()
    behind = canvas.copy_from_bbox(figure.bbox)

    def frame(k: int) -> Array:
        show(k)
        canvas.restore_region(behind)
        for artist in moving:
            if hasattr(artist, "do_3d_projection"):
                artist.do_3d_projection()
            ax.draw_artist(artist)
        return np.array(canvas.buffer_rgba())[:, :, :3]

    return frame


def _picture(
    film: Scene, arrows: Sequence[str], paths: Mapping[str, Array], ends: Array, said: str
) -> tuple[Any, Callable[[int], None]]:
    """Return the figure of a film, and what moves it to frame k; paths and the ends of their pieces as below."""
    ax = stage.axes(film, None)
    before = set(ax.get_children())
    moves = [stage.painted(ax, film), stage.arrows(ax, film, arrows)]
    moves += [_fading(ax, path, ends, k) for k, path in enumerate(paths.values())]
    own = [a for a in ax.get_children() if a not in before]
    figure = stage.finished(ax, film, film.title, box=stage.room(film, arrows, slice(None)))
    space = film.dimension == 3  # there the axes are larger than the figure, so the clock keeps to the figure
    where = figure.transFigure if space else ax.transAxes
    words: dict[str, Any] = {"transform": where, "color": palette(ax).ink, "fontsize": 9, "va": "top"}
    clock = (ax.text2D if space else ax.text)(0.01, 0.98 if space else 0.99, "", **words)
    for artist in (*own, clock):
        artist.set_gid(MOVING)

    def show(k: int) -> None:
        for move in moves:
            move(k)
        clock.set_text(f"t = {film.t[k]:.3f} s{said}" if film.axis is TIME else f"{film.axis.said(film.t[k])}{said}")

    return figure, show


def _fading(ax: Any, path: Array, ends: Array, number: int) -> Callable[[int], None]:
    """Add the path of a point, clear near the present and gone after a while; return what moves it to frame k.

    The path (K, d) has all samples, also those between frames; `ends` (frames, FADES + 1) are the samples at which its
    pieces meet, from the present backwards.
    """
    colours = palette(ax).colours
    colour, nothing = colours[number % len(colours)], [np.zeros(0)] * path.shape[1]
    style = {"color": colour, "lw": 1.8, "zorder": 6, "solid_capstyle": "butt"}
    pieces = [ax.plot(*nothing, alpha=1.0 - n / FADES, **style)[0] for n in range(FADES)]
    (dot,) = ax.plot(*nothing, "o", color=colour, ms=5.0, zorder=7)

    def move(k: int) -> None:
        for n, piece in enumerate(pieces):
            _put(piece, path[ends[k, n + 1] : ends[k, n] + 1])
        _put(dot, path[ends[k, 0] : ends[k, 0] + 1])

    return move


def _put(line: Any, places: Array) -> None:
    """Move a line to places (n, d)."""
    (line.set_data_3d if places.shape[1] == 3 else line.set_data)(*places.T)
