"""The page plays in a real browser: what is on the screen is what the result says, and names are never run."""

import base64
import json
import math
import re
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

import particlemech as pm
from particlemech.cli import main
from particlemech.model import primitives
from particlemech.model.gearing.courses import band
from particlemech.model.toml import loads
from particlemech.view import page
from particlemech.view.families import scene
from particlemech.view.packing import Packing
from tests.run.test_belts import tackle
from tests.support import browser
from tests.support.scenes import HOSTILE, TITLE, hostile, many_bodies, one_of_each
from tests.view.test_view_taken_out import thrown


@pytest.fixture(scope="module")
def cranked():
    return pm.simulate(pm.models.load("slider_crank"), duration=0.3, samples=61, rtol=1e-6)


@pytest.fixture(scope="module")
def spatial():
    return pm.simulate(pm.models.load("rssr"), duration=0.3, samples=31, rtol=1e-6)


# -- the text of a page, without a browser -------------------------------------------------------------------------


def read_back(columns, packed, count):
    """Return packed columns, by the equations in view/packing.py and nothing of its code."""
    every = zlib.decompress(base64.b64decode(packed), -15)
    at, found = 0, []
    for low, step, width in columns:
        planes = np.frombuffer(every, np.uint8, width * count, at).reshape(width, count).astype(np.int64)
        at += width * count
        z = sum((plane << 8 * b for b, plane in enumerate(planes)), np.zeros(count, np.int64))
        s, n, values = np.where(z % 2, -(z + 1) // 2, z // 2), [0, 0], []
        for k in range(count):
            n.append(int(s[k] + 2 * n[-1] - n[-2]) % 256**width if width else 0)
            values.append(math.nan if low is None or (width and n[-1] == 256**width - 1) else low + step * n[-1])
        found.append(np.array(values))
    assert at == len(every)
    return found


def test_columns_are_kept_to_half_a_step_and_equal_ones_once():
    rng, packing = np.random.default_rng(3), Packing()
    t = np.linspace(0.0, 4.0, 300)
    holes = np.where(t > 3.0, np.nan, np.cos(t))
    given = [(t, 1e-9), (100.0 * t, 1e-4), (np.sin(9.0 * t), None), (rng.normal(size=300), None), (holes, 1e-3)]
    given += [(np.full(300, 7.5), None), (np.full(300, np.nan), None), (1e-300 * t, None), (1e300 * t, None)]
    given += [(np.where(t > 1.0, np.nan, 0.3), None)]  # one number, with gaps
    numbers = [packing.add(column, step) for column, step in given]
    assert packing.add(np.sin(9.0 * t), 1e-7) == numbers[2]  # once, and finer from now on
    heads, packed = packing.packed()
    assert len(heads) == len(given) and heads[2][1] == 1e-7
    for (column, _), found, (_, step, _) in zip(given, read_back(heads, packed, 300), heads, strict=True):
        assert np.array_equal(np.isnan(column), np.isnan(found))
        assert np.nanmax(np.abs(column - found), initial=0.0) <= 0.5001 * step + 1e-15 * np.nanmax(
            np.abs(column), initial=0.0
        )


def test_a_page_is_one_file_that_asks_nobody_for_anything(cranked):
    text = page.page(cranked)
    assert len(text) < 1_000_000
    assert not re.findall(r"https?:|@import|url\(", text)
    assert "default-src 'none'" in text and "script-src 'sha256-" in text
    assert set(re.findall(r'(?:src|href)="([^"]*)"', text)) == {"data:,"}


def test_names_of_parts_are_data_in_the_text():
    text = page.page(hostile())
    assert text.count("<script") == 3 and text.count("</script>") == 3
    assert "<img" not in text.partition('id="scene">')[2]


def test_unknown_charts_and_traces_are_named(cranked):
    with pytest.raises(pm.ModelError, match=r'column "crank\.omga" unknown'):
        page.page(cranked, charts=["crank.omga"])
    with pytest.raises(pm.ModelError, match='point "Q" unknown'):
        page.page(cranked, traces=["Q"])


def test_a_large_motion_is_a_page_below_25_megabytes():
    assert len(page.page(many_bodies(100, 10_000))) < 25e6


def test_notebooks_show_results_and_mechanisms_in_a_closed_frame(cranked):
    for shown in (cranked, cranked.system.mechanism):
        frame = shown._repr_html_()
        assert re.match(r'<iframe [^<>]*sandbox="allow-scripts"[^<>]* srcdoc="&lt;!DOCTYPE html&gt;', frame)
        assert frame.count("<") == 2  # all of the page is inside the attribute


def test_a_page_inside_a_notebook_has_fewer_samples(monkeypatch, cranked):
    monkeypatch.setattr(page, "NOTEBOOK", 20)
    assert "&quot;count&quot;:20," in page.framed(cranked)
    assert "&quot;name&quot;:&quot;crank.omega&quot;" in page.framed(cranked)


def test_the_command_writes_a_page(tmp_path, capsys):
    target = tmp_path / "out.html"
    words = ["--duration", "0.1", "--samples", "5", "-o", str(target)]
    assert main.main(["view", "four_bar", "crank.omega", *words]) == 0
    assert "written to" in capsys.readouterr().out
    first = target.read_text(encoding="utf-8")
    assert main.main(["run", "four_bar", *words]) == 0
    assert first.startswith("<!DOCTYPE html>") and target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert main.main(["view", "slider_crank", "-o", str(tmp_path / "a.png")]) == 2
    assert "suffix must be one of .html" in capsys.readouterr().err


def test_the_command_asks_a_second_formulation_for_the_certificate(tmp_path, capsys):
    target = tmp_path / "out.html"
    words = ["view", "four_bar", "--duration", "0.1", "--samples", "5", "-o", str(target), "--validate"]
    assert main.main(words) == 0
    said = r"agreed within 1e-05 of each range; \d\.\de-\d+ of each range, particles by \w+ against absolute by ida"
    assert re.search(f'"second opinion","{said}"', target.read_text("utf-8"))
    assert main.main([*words, "--formulation", "absolute"]) == 2
    assert "leave --formulation and --integrator out" in capsys.readouterr().err


def test_the_command_opens_a_page_in_a_browser(monkeypatch, capsys, tmp_path):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or len(opened) == 1)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path))
    assert main.main(["view", "four_bar", "--still"]) == 0
    assert opened == [(tmp_path / "Four_bar_linkage.html").as_uri()]
    assert main.main(["view", "four_bar", "--still"]) == 1
    assert "no browser was found; open" in capsys.readouterr().err


# -- in a browser --------------------------------------------------------------------------------------------------

needs_browser = pytest.mark.skipif(browser.found() is None, reason="no Chromium or Chrome is installed")


@pytest.fixture(scope="module")
def chromium():
    process = browser.Browser()
    yield process
    process.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open pages; at the end none of them may have complained or asked the network for anything."""
    tabs = []

    def open_page(shown, *, charts=None, traces=None, **window):
        path = tmp_path / f"page{len(tabs)}.html"
        page.save(shown, path, charts=charts, traces=traces)
        tab = browser.Tab(chromium, **window)
        tabs.append(tab)
        tab.open(path)
        return tab

    yield open_page
    for tab in tabs:
        said, asked = tab.complaints(), tab.requests()
        tab.close()
        assert not said
        assert not asked


def settle(tab):
    """Wait until what was asked for is drawn."""
    tab.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def go(tab, k):
    tab.value(f"particlemech.player.go(particlemech.motion.t[{k}])")
    settle(tab)


def camera(tab):
    box = "document.getElementById('stage').getBoundingClientRect()"
    found = f"(c => [c.scale, c.centre, c.width, c.height, {box}.x, {box}.y, c.right, c.up])(particlemech.stage.camera)"
    return SimpleNamespace(
        **dict(zip(("scale", "centre", "w", "h", "x", "y", "right", "up"), tab.value(found), strict=True))
    )


def expected(c, place):
    """Return where a place should be on the canvas."""
    q = np.append(place, np.zeros(3 - len(place))) - c.centre
    return np.array([0.5 * c.w + c.scale * np.dot(c.right, q), 0.5 * c.h - c.scale * np.dot(c.up, q)])


# pixels of the stage, read from a copy: reading the stage itself would slow it down, and the browser says so
PIXELS = """
(x, y, width, height) => {
  const copy = document.createElement("canvas"), ctx = copy.getContext("2d", { willReadFrequently: true });
  [copy.width, copy.height] = [width, height];
  ctx.drawImage(document.getElementById("stage"), -x, -y);
  return ctx.getImageData(0, 0, width, height).data;
}
"""
DOT = """
((pixels) => {
  const ratio = devicePixelRatio, reach = 9;
  const [x, y] = %s.map((v) => Math.round(v * ratio)), r = Math.round(reach * ratio);
  const data = pixels(x - r, y - r, 2 * r + 1, 2 * r + 1);
  let n = 0, sx = 0, sy = 0;
  for (let j = 0; j <= 2 * r; j++) for (let i = 0; i <= 2 * r; i++) {
    const at = 4 * (j * (2 * r + 1) + i);
    if (data[at] === 0 && data[at + 1] === 114 && data[at + 2] === 178) { n += 1; sx += i; sy += j; }
  }
  return [n, (x - r + sx / n + 0.5) / ratio, (y - r + sy / n + 0.5) / ratio];
})(%s)
"""


@needs_browser
@pytest.mark.parametrize("phone", [False, True], ids=["screen", "phone"])
@pytest.mark.parametrize("name", ["cranked", "spatial"])
def test_a_point_is_on_the_screen_where_the_result_says_to_a_pixel(opened, request, name, phone):
    result = request.getfixturevalue(name)
    size = {"width": 390, "height": 844} if phone else {}
    tab = opened(result, traces=["B"], phone=phone, **size)
    tab.value("particlemech.stage.shown.tail = 0; particlemech.stage.shown.load = false")
    c = camera(tab)
    for k in np.linspace(0, len(result.t) - 1, 10).round().astype(int):
        go(tab, k)
        place = expected(c, result["B"][k])
        n, x, y = tab.value(DOT % (json.dumps(place.tolist()), PIXELS))
        assert n > 20, "the dot of the trace is not there"
        assert math.hypot(x - place[0], y - place[1]) < 1.0


@needs_browser
@pytest.mark.parametrize("name", ["cranked", "spatial"])
def test_bodies_are_carried_as_their_frames_say_to_a_hundredth_of_a_pixel(opened, request, name):
    result = request.getfixturevalue(name)
    tab, m = opened(result), result.system.mechanism
    c = camera(tab)
    for k in np.linspace(0, len(result.t) - 1, 10).round().astype(int):
        go(tab, k)
        for body, spec in m.bodies.items():
            for p in spec.points:
                at = tab.value(f"particlemech.stage.at({json.dumps(body)}, {json.dumps(list(m.points[p]))})")
                assert np.hypot(*(expected(c, result[p][k]) - at[:2])) < 0.01


@needs_browser
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_primitive_is_drawn_and_found_by_the_pointer(opened, dimension):
    seen = one_of_each(dimension)
    tab = opened(seen)
    arrows = {"push", "turn"}  # of these a scene makes arrows
    kinds = {kind.__name__.lower() for kind in primitives.Primitive.__subclasses__()}
    assert set(tab.value("particlemech.looks")) == kinds - arrows == {type(p).__name__.lower() for p in seen.primitives}
    go(tab, 4)
    near = "particlemech.stage.items.map(i => [i.p.name, i.look.distance(particlemech.stage, i.p, i.places, ...%s)])"
    for p in seen.primitives:
        places = f"particlemech.stage.items.find(i => i.p.name === '{p.part.name}').places"
        (ax, ay), (bx, by) = (tab.value(f"{places}.at({k}).slice(0, 2)") for k in (0, -1))
        distances = dict(tab.value(near % json.dumps([0.5 * (ax + bx), 0.5 * (ay + by)])))
        if p.part.name not in ("curve", "rope"):  # their middles are not between their ends
            assert distances[p.part.name] < 8.0, p


# the part of a line on the stage, read at every half pixel, that has the colour of impulses
ALONG = """
((pixels) => {
  const [ax, ay, bx, by] = %s.map((v) => v * devicePixelRatio), steps = Math.round(2 * Math.hypot(bx - ax, by - ay));
  let n = 0;
  for (let i = 0; i <= steps; i++) {
    const data = pixels(Math.round(ax + (i / steps) * (bx - ax)), Math.round(ay + (i / steps) * (by - ay)), 1, 1);
    if (data[0] === 136 && data[1] === 85 && data[2] === 204) n += 1;
  }
  return n / (steps + 1);
})(%s)
"""


@needs_browser
@pytest.mark.parametrize("name", ["four_bar", "rssr"])
def test_an_impulse_is_seen_at_its_time_and_not_before_or_long_after(opened, name):
    m = pm.models.load(name)
    flat = m.kind == "planar"
    kind, size = (pm.Impulse, (-0.02, 0.03)) if flat else (pm.space.Impulse, (0.0, -0.02, 0.03))
    m = m.replaced(impulses={"hit": kind(body="rocker", point="B", time=0.2, impulse=size)})
    result = pm.simulate(m, duration=0.5, samples=51)
    tab = opened(result, traces=[])
    for k in (19, 20, 22, 30):
        go(tab, k)
        tail = tab.value(f"particlemech.stage.seen({[*result['B'][k].tolist(), 0.0][:3]})")[:2]
        factor = tab.value("particlemech.stage.factor(particlemech.stage.paper.arrows.find(g => g.name === 'impulse'))")
        u, v = tab.value(f"particlemech.stage.camera.direction({[*size, 0.0][:3]})")[:2]
        shaft = [tail[0] + s * factor * u for s in (0.3, 0.8)], [tail[1] + s * factor * v for s in (0.3, 0.8)]
        line = np.transpose(shaft).ravel().tolist()
        seen = tab.value(ALONG % (json.dumps(line), PIXELS))
        assert seen > 0.6 if k in (20, 22) else seen == 0.0


@needs_browser
def test_a_joint_that_is_taken_out_is_seen_until_then(opened):
    result = thrown("plane")
    tab, last = opened(result), int(np.searchsorted(result.t, result.switches[0].t)) - 1
    found = []
    for k in (0, last, last + 1, len(result.t) - 1, last):
        go(tab, k)
        found.append(tab.value("particlemech.stage.items.filter(i => i.p.kind !== 'plate').map(i => i.p.name).sort()"))
    held = ["B", "B", "O", "O", "spring", "stop"]  # its pin and its mark of friction; pin and support of the other
    assert found == [held, held, ["O", "O"], ["O", "O"], held]


@needs_browser
def test_every_shipped_mechanism_is_drawn(opened):
    for name in pm.models.names():
        m = pm.models.load(name)
        tab = opened(m, width=700, height=500)
        assert tab.value("document.title") == m.name
        places = np.array(tab.value("particlemech.stage.items.flatMap(i => i.places.map(p => p.slice(0, 2)))"))
        c = camera(tab)
        assert np.all(places > 0.0) and np.all(places < [c.w, c.h]), name


@needs_browser
def test_what_bends_is_where_its_curve_is(opened):
    seen = one_of_each(2)
    tab = opened(seen)
    c, curve = camera(tab), next(p for p in seen.primitives if p.part.name == "curve").points
    for k in range(5):
        go(tab, k)
        places = np.array(tab.value("particlemech.stage.items.find(i => i.p.name === 'curve').places"))[:, :2]
        assert places == pytest.approx(np.array([expected(c, place) for place in curve[k]]), abs=0.05)


@needs_browser
def test_a_rope_is_where_its_pulleys_are(opened):
    seen = scene(pm.simulate(tackle(), duration=0.5, samples=5))
    tab, rope = opened(seen), next(p for p in seen.primitives if isinstance(p, primitives.Band))
    c, places = camera(tab), band(np.stack([seen.place(*end) for end in rope.ends], axis=1), rope.radii, rope.closed)
    for k in range(5):
        go(tab, k)
        drawn = np.array(tab.value("particlemech.stage.items.find(i => i.p.kind === 'band').places"))[:, :2]
        assert drawn == pytest.approx(np.array([expected(c, place) for place in places[k]]), abs=0.05)


@needs_browser
def test_the_ground_is_hatched_on_its_side(opened):
    tab = opened(one_of_each(2))
    c = camera(tab)
    x, y = expected(c, np.array([-1.0, 0.0]))

    def ink(top):
        box = f"({PIXELS})({x:.0f} - 20, {top:.0f}, 40, 30)"
        return tab.value(f"[...{box}].filter((value, i) => i % 4 === 0 && value < 80).length")

    above, below = ink(y - 31), ink(y + 3)
    assert above > 20 and below == 0


@needs_browser
def test_it_plays_pauses_steps_and_loops(opened, cranked):
    tab = opened(cranked)
    now, index = "particlemech.motion.moment.t", "document.getElementById('scrub').value"
    assert tab.value(now) == 0.0
    tab.click(*tab.middle("#play"))
    tab.wait(f"{now} > 0")
    assert tab.value("document.getElementById('play').getAttribute('aria-label')") == "pause"
    tab.click(*tab.middle("#play"))
    settle(tab)
    rest = tab.value(now)
    settle(tab)
    assert tab.value(now) == rest
    go(tab, 7)
    tab.click(*tab.middle("#next"))
    settle(tab)
    assert tab.value(index) == "8" and tab.value(now) == pytest.approx(cranked.t[8])
    tab.click(*tab.middle("#back"))
    settle(tab)
    assert tab.value(index) == "7"
    # between two samples, a step leads to the next one
    tab.value(f"particlemech.player.go({0.5 * (cranked.t[7] + cranked.t[8])})")
    tab.click(*tab.middle("#back"))
    settle(tab)
    assert tab.value(now) == pytest.approx(cranked.t[7])
    go(tab, 60)
    tab.value("particlemech.player.speed = 0.05; particlemech.player.play()")
    tab.wait(f"{now} > 0 && {now} < 0.2")
    tab.value("particlemech.player.loop = false; particlemech.player.speed = 10")
    tab.wait("!particlemech.player.playing")
    assert tab.value(now) == pytest.approx(cranked.t[-1])


@needs_browser
def test_the_slider_and_the_charts_set_the_time(opened, cranked):
    tab = opened(cranked, charts=["crank.omega"])
    box = tab.value("(b => [b.x, b.y, b.width, b.height])(document.getElementById('scrub').getBoundingClientRect())")
    tab.click(box[0] + 0.5 * box[2], box[1] + 0.5 * box[3])
    settle(tab)
    assert abs(int(tab.value("document.getElementById('scrub').value")) - 30) <= 1
    assert tab.value("document.getElementById('clock').textContent").startswith("0.1")
    box = tab.value("(b => [b.x, b.y, b.width, b.height])(document.querySelector('.curve').getBoundingClientRect())")
    x = box[0] + 58 + 0.25 * (box[2] - 68)  # a quarter of the axis of time
    tab.click(x, box[1] + 50)
    settle(tab)
    assert tab.value("particlemech.motion.moment.t") == pytest.approx(0.25 * cranked.t[-1], abs=0.002)
    shown = tab.value("document.querySelector('.chip .value').textContent")
    assert float(shown) == pytest.approx(np.interp(0.075, cranked.t, cranked.omega("crank")), rel=1e-2)


@needs_browser
def test_the_slider_and_the_charts_of_a_cycle_are_over_its_driver(opened):
    result = pm.cycle(pm.models.load("four_bar"), "C", samples=61)
    tab = opened(result, charts=["O.angle"])
    first, last = np.degrees(result.coordinate("C")[[0, -1]])
    assert tab.value("document.getElementById('clock').textContent") == f"\u2212{-first:.2f}°"
    assert tab.value("document.getElementById('axis-name').textContent") == "C.angle"
    ticks = dict(tab.value("particlemech.motion.axis.ticks(4).map(t => [t.text, particlemech.motion.axis.value(t.t)])"))
    assert ticks == {"0": pytest.approx(0.0, abs=1e-9), "15": pytest.approx(15.0), "30": pytest.approx(30.0)}
    assert tab.value("document.querySelectorAll('#marks .toggle-mark').length") == 2
    assert tab.value("[...document.querySelectorAll('#mark-list bdi')].map(e => e.textContent)")[1] == "dead point of B"
    tab.click(*tab.middle("#mark-list .row:last-child"))
    settle(tab)
    assert tab.value("document.getElementById('clock').textContent") == f"{last:.2f}°"


@needs_browser
def test_rest_positions_are_stepped_through_with_nothing_between(opened):
    tab = opened(pm.equilibrium(pm.models.load("double_pendulum"), all=True))
    tab.value("particlemech.player.go(1.4)")
    assert tab.value("particlemech.motion.moment") == {"k": 1, "part": 0, "t": pytest.approx(1.0)}
    tab.click(*tab.middle("#next"))
    settle(tab)
    assert tab.value("document.getElementById('clock').textContent") == "3 of 4: unstable"
    assert tab.value("getComputedStyle(document.getElementById('play')).display") == "none"


@needs_browser
def test_quantities_are_found_added_and_removed(opened, cranked):
    tab = opened(cranked, charts=["energy.total"])
    tab.click(*tab.middle("#quantity"))
    for letter in "rod.om":
        tab.key(letter)
    tab.wait("document.querySelectorAll('#found button').length === 1")
    tab.key("Enter")
    settle(tab)
    names = "[...document.querySelectorAll('.chip bdi')].map(e => e.textContent)"
    assert tab.value(names) == ["energy.total", "rod.omega"]
    tab.click(*tab.middle(".chip"))
    assert tab.value(names) == ["rod.omega"]


@needs_browser
def test_toggles_change_the_picture_and_back(opened, cranked):
    tab = opened(cranked)
    go(tab, 20)
    picture = "document.getElementById('stage').toDataURL()"
    for name in tab.value("[...document.querySelectorAll('.toggle')].map(e => e.dataset.shows)"):
        button = f"[data-shows={name}]"
        before, pressed = tab.value(picture), tab.value(f"document.querySelector('{button}').ariaPressed")
        tab.click(*tab.middle(button))
        settle(tab)
        assert tab.value(f"document.querySelector('{button}').ariaPressed") != pressed
        assert tab.value(picture) != before, name
        tab.click(*tab.middle(button))
        settle(tab)
        assert tab.value(picture) == before, name


@needs_browser
def test_hovering_names_a_part_and_shows_its_numbers(opened, cranked):
    tab = opened(cranked)
    k = 20
    go(tab, k)
    c, (A, B) = camera(tab), (cranked[p][k] for p in "AB")
    x, y = expected(c, 0.5 * (A + B))
    tab.mouse("mouseMoved", c.x + x, c.y + y)
    tab.wait("!document.getElementById('tip').hidden")
    assert tab.value("document.querySelector('#tip .name').textContent") == "rod"
    rows = dict(
        tab.value(
            "[...document.querySelectorAll('#tip tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent])"
        )
    )
    assert float(rows["omega"].replace("−", "-")) == pytest.approx(cranked.omega("rod")[k], rel=1e-3)
    x, y = expected(c, A)
    tab.mouse("mouseMoved", c.x + x, c.y + y)
    tab.wait("document.querySelector('#tip .kind').textContent === 'revolute joint'")
    heads = tab.value("[...document.querySelectorAll('#tip .head')].map(e => e.textContent)")
    assert heads == ["Arevolute joint", "Apoint"]
    tab.mouse("mouseMoved", c.x + 3, c.y + 60)
    tab.wait("document.getElementById('tip').hidden")


@needs_browser
def test_wheel_and_drag_zoom_and_pan_the_plane(opened, cranked):
    tab = opened(cranked)
    c = camera(tab)
    tab.mouse("mouseWheel", c.x + 200, c.y + 150, deltaX=0, deltaY=-300)
    tab.wait(f"particlemech.stage.camera.scale > {1.2 * c.scale}")
    after = camera(tab)
    # what was under the pointer is still there
    place = np.array(c.centre[:2]) + np.array([200 - 0.5 * c.w, 0.5 * c.h - 150]) / c.scale
    assert expected(after, place) == pytest.approx([200.0, 150.0], abs=0.01)
    tab.drag((c.x + 300, c.y + 300), (c.x + 360, c.y + 280))
    settle(tab)
    assert expected(camera(tab), place) == pytest.approx([260.0, 130.0], abs=0.5)
    tab.key("f")
    settle(tab)
    assert camera(tab) == c


@needs_browser
def test_dragging_orbits_space_and_shift_pans(opened, spatial):
    tab = opened(spatial)
    c = camera(tab)
    start = (c.x + 300, c.y + 300)
    tab.drag(start, (start[0] + 50, start[1] + 20))
    after = camera(tab)
    assert np.dot(after.right, c.right) < 0.99 and after.centre == c.centre
    assert np.dot(after.right, after.up) == pytest.approx(0.0, abs=1e-12)
    tab.drag(start, (start[0] + 50, start[1]), modifiers=8)
    assert camera(tab).right == after.right and camera(tab).centre != after.centre


@needs_browser
def test_the_keyboard_does_all(opened, cranked):
    tab = opened(cranked)
    index = "Number(document.getElementById('scrub').value)"
    for key, more, found in (
        ("ArrowRight", {}, 1),
        ("ArrowRight", {"modifiers": 8}, 11),
        ("ArrowLeft", {}, 10),
        ("End", {}, 60),
        ("Home", {}, 0),
    ):
        tab.key(key, **more)
        settle(tab)
        assert tab.value(index) == found
    speed = tab.value("particlemech.player.speed")
    tab.key("]")
    assert tab.value("particlemech.player.speed") > speed
    tab.key("r")
    assert tab.value("particlemech.stage.shown.reaction") is True
    tab.key(" ")
    tab.wait("particlemech.player.playing")
    tab.key(" ")
    tab.wait("!particlemech.player.playing")
    tab.key("?")
    assert tab.value("document.getElementById('help').open") is True
    tab.key("Escape", windowsVirtualKeyCode=27)
    tab.wait("!document.getElementById('help').open")
    # letters typed into the search field are letters
    tab.click(*tab.middle("#quantity"))
    tab.key("r")
    assert tab.value("particlemech.stage.shown.reaction") is True
    assert tab.value("document.getElementById('quantity').value") == "r"


@needs_browser
def test_dark_and_light_follow_the_system_and_the_button(opened, cranked):
    tab = opened(cranked, dark=True)
    corner = f"[...({PIXELS})(2, 60, 1, 1)].slice(0, 3)"
    dark = tab.value(corner)
    assert max(dark) < 60
    tab.preferring("light")
    settle(tab)
    assert tab.value(corner) == [255, 255, 255]
    tab.key("d")
    settle(tab)
    assert tab.value(corner) == dark
    assert tab.value("getComputedStyle(document.body).backgroundColor") == f"rgb({dark[0]}, {dark[1]}, {dark[2]})"


@needs_browser
def test_no_empty_picture_is_seen_while_the_window_changes(opened, cranked):
    tab = opened(cranked)
    settle(tab)
    # an observer that comes after the page's own sees the canvas as it is about to be shown
    seen = """new Promise((done) => {
        const view = document.getElementById('view'), stage = document.getElementById('stage');
        let rounds = 0;
        new ResizeObserver(() => {
            if ((rounds += 1) < 2) { view.style.width = '300px'; view.style.flex = 'none'; return; }
            const ink = stage.getContext('2d').getImageData(0, 0, stage.width, stage.height).data;
            done(stage.width < 320 && ink.some((value, k) => k % 4 === 0 && ink[k + 3] === 255 && value < 128));
        }).observe(view);
    })"""
    assert tab.value(seen) is True


@needs_browser
def test_the_picture_follows_the_window(opened, cranked):
    tab = opened(cranked)
    for width, height in ((700, 500), (1500, 900)):
        tab.sized(width, height)
        tab.wait("Math.abs(particlemech.stage.camera.width - document.getElementById('view').clientWidth) < 1")
        settle(tab)
        c = camera(tab)
        low, high = np.min([cranked[p] for p in "OAB"], axis=(0, 1)), np.max([cranked[p] for p in "OAB"], axis=(0, 1))
        for corner in (low, high):
            x, y = expected(c, corner)
            assert 0.0 < x < c.w and 0.0 < y < c.h
        assert tab.value("document.getElementById('stage').width") == round(c.w)
        assert tab.value("document.documentElement.scrollWidth") <= width


@needs_browser
def test_a_phone_shows_all_in_its_width_and_answers_to_fingers(opened, cranked):
    tab = opened(cranked, width=390, height=844, phone=True)
    assert tab.value("document.documentElement.scrollWidth") <= 390
    heights = tab.value("[...document.querySelectorAll('header button, footer button')].map(b => b.offsetHeight)")
    assert min(filter(None, heights)) >= 36
    c = camera(tab)

    def touch(kind, *places):
        points = [{"x": float(c.x + x), "y": float(c.y + y), "id": i} for i, (x, y) in enumerate(places)]
        tab.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", (150, 150), (250, 150))
    touch("touchMove", (100, 150), (300, 150))
    touch("touchEnd")
    settle(tab)
    assert camera(tab).scale == pytest.approx(2.0 * c.scale, rel=0.05)
    tab.key("f")
    settle(tab)
    x, y = expected(c, cranked["A"][0])
    touch("touchStart", (x, y))
    touch("touchEnd")
    tab.wait("!document.getElementById('tip').hidden")
    assert tab.value("document.querySelector('#tip .name').textContent") == "A"


@needs_browser
def test_hostile_names_are_shown_as_text(opened):
    tab = opened(hostile())
    a, b, c, d, e, f, g = HOSTILE
    tab.value("document.querySelectorAll('#model details').forEach(e => { e.open = true })")
    tab.key("n")
    go(tab, 5)
    assert tab.value("document.title") == TITLE
    assert tab.value("document.querySelector('h1').textContent") == TITLE
    rows = tab.value("[...document.querySelectorAll('#model th')].map(e => e.textContent)")
    assert rows == [b, e, f, a, c, d, g]
    traces = tab.value("[...document.querySelectorAll('#traces label')].map(e => e.textContent)")
    assert traces == [e, f]
    known = tab.value("particlemech.motion.paper.quantities.map(q => q.name)")
    tab.value(f"particlemech.charts.add({known.index(c + '.omega')})")
    assert c + ".omega" in tab.value("[...document.querySelectorAll('.chip bdi')].map(e => e.textContent)")
    x, y = tab.value("particlemech.stage.seen(particlemech.motion.vector(particlemech.motion.paper.points[2].at))")[:2]
    box = camera(tab)
    tab.mouse("mouseMoved", box.x + x, box.y + y)
    tab.wait("!document.getElementById('tip').hidden")
    assert f in tab.value("[...document.querySelectorAll('#tip .name')].map(e => e.textContent)")
    assert tab.value("[window.hit === undefined, document.images.length, document.scripts.length]") == [True, 0, 2]


@needs_browser
def test_the_certificate_is_in_a_corner(opened, cranked):
    tab = opened(cranked)
    assert "closure" in tab.value("document.querySelector('#certificate summary').textContent")
    tab.click(*tab.middle("#certificate summary"))
    rows = tab.value(
        "[...document.querySelectorAll('#certificate dt')].map(e => [e.textContent, e.nextSibling.textContent])"
    )
    assert dict(map(tuple, rows)) == scene(cranked).certificate


@needs_browser
def test_a_mechanism_is_a_still_without_time(opened, cranked):
    tab = opened(cranked.system.mechanism)
    assert tab.value("getComputedStyle(document.querySelector('footer')).display") == "none"
    assert tab.value("particlemech.stage.items.length") > 4


@needs_browser
def test_the_page_runs_inside_the_frame_of_a_notebook(chromium, tmp_path, cranked):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><body data-ready='yes'>{cranked._repr_html_()}", encoding="utf-8")
    tab = browser.Tab(chromium, width=900, height=700)
    tab.open(path)
    settle(tab)
    for _ in range(5):  # the frame does not tell when it is ready to be clicked
        tab.click(28 + 50, 8 + 600 - 20)  # the button that plays, by its place: scripts cannot look into the frame
        first = tab.picture()
        tab.wait("true")
        if any(tab.picture() != first for _ in range(6)):
            break
    else:
        pytest.fail("nothing moves")
    assert not tab.complaints() and not tab.requests()
    tab.close()


# -- runs that did not complete, and curves that hide each other ---------------------------------------------------


@pytest.fixture(scope="module")
def locked():
    """Return a four-bar whose rocker is turned further than its joints allow."""
    bar = pm.models.load("four_bar")
    turn = pm.drivers.Rotation(bodies=("ground", "rocker"), motion=pm.signals.Linear(rate=1.5))
    held = bar.replaced(drivers={"motor": turn}, initial={"omega": {}, "velocity": {}})
    return pm.simulate(held, duration=4.0, samples=81, throw=False)


def test_pages_of_runs_that_did_not_complete_are_titled_so(locked, cranked):
    seen = scene(locked)
    assert seen.ended == f"{locked.status.value}, shown to {locked.t[-1]:.4g} s" and seen.message == locked.message
    assert f"<title>Four-bar linkage: {seen.ended}</title>" in page.page(locked)
    assert next(iter(seen.certificate.items())) == ("status", locked.status.value)
    assert scene(cranked).ended == scene(cranked).message == ""
    assert f"<title>{scene(cranked).title}</title>" in page.page(cranked)


@needs_browser
def test_a_run_that_did_not_complete_says_so_at_first_sight(opened, locked, cranked):
    tab = opened(locked)
    said = tab.value("document.getElementById('ended').textContent")
    assert said == f"This run did not complete: {scene(locked).ended}. {locked.message}"
    # across the window, above the picture, and not over it
    left, top, width, height, stage = tab.value(
        "(b => [b.left, b.top, b.width, b.height, document.querySelector('main').getBoundingClientRect().top])"
        "(document.getElementById('ended').getBoundingClientRect())"
    )
    assert (
        left == 0.0 and width == tab.value("innerWidth") and 20.0 < height < 120.0 and abs(top + height - stage) < 1.5
    )
    short = tab.value("document.querySelector('#certificate .short').textContent")
    assert short.startswith(f" · {locked.status.value} · closure")
    good = opened(cranked)
    assert good.value("document.getElementById('ended').hidden")
    assert good.value("document.querySelector('#certificate .short').textContent").startswith(" · completed · closure")


@needs_browser
def test_energies_that_are_equal_but_for_rounding_are_equal_on_the_page(opened):
    slow = pm.Mechanism(
        gravity=(0.0, -9.81),
        points={"O": (0.0, 0.0), "P": (1.0, 0.0)},
        bodies={"arm": pm.Body(points=("O", "P"), mass=1.0)},
        joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "arm"))},
        drivers={"d": pm.drivers.Rotation(bodies=("ground", "arm"), motion=pm.signals.Linear(rate=1e-9))},
    )
    result = pm.simulate(slow, duration=1.0, samples=50)
    tab = opened(result, charts=["energy.potential", "energy.total", "energy.kinetic"])
    column = "particlemech.columns.at(particlemech.motion.paper.quantities.find(q => q.name === 'energy.{}').column)"
    potential, total = (tab.value(f"[...{column.format(name)}]") for name in ("potential", "total"))
    assert potential == total and max(potential) > 4e-9
    same = tab.value("[...document.querySelectorAll('.chip .same')].map(e => e.textContent)")
    assert same[:2] == ["", "= energy.potential"]


def test_energies_of_a_motion_add_up_on_the_page_to_a_step(cranked):
    text = page.page(cranked)
    paper = json.loads(re.search(r'id="scene">(.*?)</script>', text, re.DOTALL)[1])
    packed = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    values = read_back(paper["columns"], packed, paper["count"])
    of = {q["name"]: q["column"] for q in paper["quantities"]}
    kinetic, potential, total = (values[of[f"energy.{name}"]] for name in ("kinetic", "potential", "total"))
    # one step for all; a column that is constant needs none
    (step,) = {paper["columns"][of[f"energy.{name}"]][1] for name in ("kinetic", "potential", "total")} - {0.0}
    assert step < 1e-5 * cranked.energy.scale
    assert np.max(np.abs(kinetic + potential - total)) < 1.5001 * step


# -- what swings -----------------------------------------------------------------------------------------------------


@needs_browser
def test_natural_motions_swing_with_the_amplitude_that_is_chosen(opened):
    modes = pm.modes(pm.models.load("double_pendulum"), "equilibrium")
    tab = opened(modes)
    c = camera(tab)
    s = (modes.shapes[:, 0] / modes.shapes[0, 0]).real  # of the angles at O and A
    pendulum = modes.linear.result

    def hand(z):
        """Where the end is when the angles at O and A are z off those at rest."""
        A, AB = pendulum["A"][0], pendulum["B"][0] - pendulum["A"][0]
        turn = [complex(math.cos(of), math.sin(of)) for of in (z[0], z[0] + z[1])]
        at = turn[0] * complex(*A) + turn[1] * complex(*AB)
        return np.array([at.real, at.imag])

    most = modes.swings[0].levels[-1]
    for amount, phase in ((most, 0.0), (0.5 * most, 0.5), (0.6 * most, 0.0), (0.3 * most, 0.25)):
        tab.value(f"particlemech.motion.swinging.amount = {amount}; particlemech.player.go({2.0 * phase})")
        settle(tab)
        at = tab.value("particlemech.stage.at('lower', particlemech.motion.paper.points ? [0.5, -0.4] : 0)")[:2]
        wanted = expected(c, hand(amount * math.cos(2.0 * math.pi * phase) * s))
        assert np.hypot(*(wanted - at)) < 0.006 * c.scale  # of a length of 0.9
    tab.click(*tab.middle("#swing-list .row:last-child"))
    settle(tab)
    assert tab.value("document.querySelector('#swing-list [aria-pressed=true] span').textContent") == "1.669 Hz"
    facts = dict(
        tab.value(
            "[...document.querySelectorAll('#facts tr')].map(r => [...r.children].slice(0, 2).map(e => e.textContent))"
        )
    )
    assert facts["frequency"] == f"{modes.frequency[1]:.6g} Hz" and facts["damping"] == "none"
    assert facts["A.angle"] == "1 rad"  # the largest of the shape


@needs_browser
def test_a_deflection_at_rest_is_shown_as_large_as_one_likes(opened):
    rest = pm.equilibrium(pm.models.load("cantilever"))
    tab = opened(rest)
    tip = "particlemech.stage.paper.points.find(p => p.name === 'tip').at"
    for factor in (0.0, 1.0, 8.0, 20.0):
        tab.value(f"particlemech.motion.swinging.amount = {factor}; particlemech.player.go(0)")
        y = tab.value(f"particlemech.motion.vector({tip})[1]")
        assert y == pytest.approx(factor * rest.elastic("tip")[0, 1], rel=5e-3, abs=1e-6)
    assert tab.value("document.getElementById('amount-name').textContent") == "exaggeration"
    assert tab.value("getComputedStyle(document.getElementById('play')).display") == "none"


def test_a_spring_is_stretched_from_the_drawing_to_rest():
    text = """
    gravity = [0.0, -9.81]
    [points]
    O = [0.0, 0.0]
    P = [1.0, 0.0]
    Q = [1.0, 1.0]
    [bodies]
    lever = { points = ["O", "P"], mass = 2.0 }
    [joints]
    O = { type = "revolute", point = "O", bodies = ["ground", "lever"] }
    [forces]
    hold = { type = "spring", points = ["P", "Q"], bodies = ["lever", "ground"], stiffness = 500.0 }
    """
    (swing,) = pm.equilibrium(loads(text)).swings
    seen, rest = swing.scene, pm.equilibrium(loads(text))
    angle = float(rest.coordinate("O")[0])
    drawn, true = seen.points["P"][:2]
    assert drawn == pytest.approx([1.0, 0.0], abs=1e-12) and true == pytest.approx(rest["P"][0], abs=1e-12)
    assert swing.levels[0] == 1.0 and swing.levels[-1] > 5.0
    last = swing.levels[-1] * angle  # joints stay closed: the lever turns, it does not grow
    assert seen.points["P"][-1] == pytest.approx([math.cos(last), math.sin(last)], abs=1e-9)


def test_modes_show_themselves_in_notebooks():
    modes = pm.modes(pm.models.load("pendulum"), "equilibrium")
    assert modes._repr_html_().startswith("<iframe") and "&quot;swings&quot;:[{" in modes._repr_html_()
