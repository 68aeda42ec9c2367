"""Films keep time, show the result, and are written whole or not at all; plot and animate from the command line."""

import builtins
import shutil

import matplotlib
import numpy as np
import pytest
from PIL import Image

import particlemech as pm
from particlemech import view
from particlemech.cli.main import main
from particlemech.view import film

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(scope="module")
def swinging():
    return pm.simulate(pm.models.load("pendulum"), duration=0.4, samples=41)


def test_a_gif_lasts_as_long_as_the_motion(swinging, tmp_path):
    done = []
    path = view.animate(swinging, tmp_path / "a.gif", dpi=30, progress=done.append)
    with Image.open(path) as gif:
        assert (gif.n_frames, gif.info["duration"], gif.info["loop"]) == (11, 40, 0)
    assert done == pytest.approx(np.arange(1, 12) / 11.0)
    assert [p.name for p in tmp_path.iterdir()] == ["a.gif"]


def test_slow_motion_has_more_frames_and_says_so(swinging, tmp_path):
    with Image.open(view.animate(swinging, tmp_path / "a.gif", speed=0.5, fps=20.0, dpi=30)) as gif:
        assert (gif.n_frames, gif.info["duration"]) == (17, 50)


def test_frames_are_the_nearest_samples(swinging):
    seen = view.Scene.__new__(view.Scene)
    object.__setattr__(seen, "t", np.array([0.0, 0.1, 0.25, 0.3, 0.4]))
    assert film._samples(seen, 1.0, 10.0).tolist() == [0, 1, 2, 3, 4]
    assert film._samples(seen, 0.5, 10.0).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]


def test_the_picture_moves_with_the_result(swinging, tmp_path):
    with Image.open(view.animate(swinging, tmp_path / "a.gif", dpi=40, points=[])) as gif:
        frames = []
        for k in (0, 5, 10):
            gif.seek(k)
            frames.append(np.array(gif.convert("L"), dtype=float))
    paper = frames[0][0, 0]
    assert paper == 255.0
    # what is dark comes down as the bob does: rows of an image count from above
    heights = [np.average(np.arange(f.shape[0]), weights=np.sum(f < 235.0, axis=1)) for f in frames]
    assert heights[0] < heights[1] < heights[2]


def test_paths_have_all_samples_and_fade_within_a_second(swinging):
    figure, ax = plt.subplots()
    ends = np.array([[40 - 2 * n for n in range(film.FADES + 1)]]).clip(min=0)
    film._fading(ax, swinging["P"], ends, 0)(0)
    *pieces, dot = ax.lines
    assert np.array_equal(dot.get_xydata(), swinging["P"][40:])
    assert np.array_equal(pieces[3].get_xydata(), swinging["P"][32:35])
    assert [piece.get_alpha() for piece in pieces[::12]] == [1.0, 0.5]
    plt.close(figure)


@pytest.mark.parametrize("name", ["gyroscope", "rssr"])
def test_motions_in_space_become_films_with_arrows(name, tmp_path):
    result = pm.simulate(pm.models.load(name), duration=0.1, samples=4)
    with Image.open(view.animate(result, tmp_path / "a.gif", fps=20.0, dpi=30, arrows=("velocity", "load"))) as gif:
        assert gif.n_frames == 3


def test_a_video_is_written_with_any_ffmpeg_there_is(swinging, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg", reason="no ffmpeg is installed")
    path = view.animate(swinging, tmp_path / "a.mp4", fps=10.0, dpi=31)
    assert path.read_bytes()[4:8] == b"ftyp"


def test_without_ffmpeg_the_extra_is_named(swinging, tmp_path, monkeypatch):
    original = builtins.__import__

    def missing(name, *rest):
        if name.startswith("imageio"):
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(pm.ModelError, match=r"particlemech\[video\]"):
        view.animate(swinging, tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"speed": 1e-4}, "more than 3000; take a speed of at least"),
        ({"speed": 100.0}, "less than a frame; take a speed of"),
        ({"speed": -1.0}, "speed must be a number above zero"),
        ({"fps": 0.0}, "fps must be a number above zero"),
        ({"points": ["Q"]}, 'point "Q" unknown'),
        ({"arrows": ["speed"]}, 'arrows "speed" unknown'),
    ],
)
def test_what_makes_no_film_is_said_with_a_cure(swinging, tmp_path, options, said):
    with pytest.raises(pm.ModelError, match=said):
        view.animate(swinging, tmp_path / "a.gif", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["gif", "mp4"])
def test_an_interrupted_film_leaves_nothing_behind(swinging, tmp_path, suffix):
    if suffix == "mp4" and shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg", reason="no ffmpeg is installed")

    def stop(done):
        if done > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        view.animate(swinging, tmp_path / f"a.{suffix}", dpi=30, progress=stop)
    assert list(tmp_path.iterdir()) == []


# -- commands ----------------------------------------------------------------------------------------------------------

SHORT = ("--duration", "0.1", "--samples", "6")


@pytest.mark.parametrize("words", [(), ("crank.omega", "A"), ("energy",), ("--at", "0.05", "--arrows", "velocity")])
def test_plot_writes_a_figure(words, tmp_path, capsys):
    path = tmp_path / "a.svg"
    assert main(["plot", "four_bar", *words, "-o", str(path), *SHORT]) == 0
    assert path.read_text(encoding="utf-8").startswith("<?xml")
    assert f"written to {path}" in capsys.readouterr().out


def test_animate_writes_a_film(tmp_path, capsys):
    path = tmp_path / "a.gif"
    assert main(["animate", "four_bar", "-o", str(path), "--speed", "0.5", "--fps", "10", "--trace", "B", *SHORT]) == 0
    with Image.open(path) as gif:
        assert gif.n_frames == 3
    assert f"written to {path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plot", "four_bar", "-o", "a.bmp"), "its suffix must be one of .png, .svg, .pdf"),
        (("plot", "four_bar"), "there is no screen"),
        (("plot", "four_bar", "crank.speed", "-o", "a.png", *SHORT), 'column "crank.speed" unknown'),
        (("animate", "four_bar", "-o", "a.avi"), "its suffix must be one of .gif, .mp4"),
        (("animate", "four_bar", "-o", "a.gif", "--speed", "1e-6"), "more than 3000"),
        (("animate", "four_bar"), "required: -o"),
    ],
)
def test_wrong_words_are_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(list(words)) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_animate_writes_a_page_with_the_arrows_asked_for(capsys, tmp_path):
    path = tmp_path / "pendulum.html"
    words = ["animate", "pendulum", "--duration", "0.2", "--samples", "11", "-o", str(path)]
    assert main([*words, "--arrows", "velocity"]) == 0
    assert '"shown":["velocity"]' in path.read_text(encoding="utf-8")
    assert main([*words, "--speed", "2"]) == 2
    assert "leave --fps and --speed out" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pendulum", "rssr", "human_fall"])
def test_the_clock_is_inside_the_picture(name):
    seen = view.families.scene(pm.models.load(name))
    figure, show = film._picture(seen, (), {}, np.zeros((1, film.FADES + 1), dtype=int), "")
    show(0)
    figure.canvas.draw()
    (clock,) = [text for text in figure.axes[0].texts if text.get_text().startswith("t = ")]
    box = clock.get_window_extent()
    plt.close(figure)
    assert box.x0 >= 0.0 and box.y0 >= 0.0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
