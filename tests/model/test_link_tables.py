"""Link tables as drawings: where links are by products of their matrices, what they weigh, the arm of the report."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import models, modes
from particlemech.errors import ModelError
from particlemech.model.readers.link_tables import frames, from_link_table, read_link_table
from particlemech.model.signals import Constant

HALF = 0.5 * math.pi
# Puma 560, Corke and Armstrong-Helouvry 1994, standard form: m, rad, kg, tensors about the centres of mass
PUMA = [
    {"d": 0.0, "a": 0.0, "alpha": HALF, "mass": 0.0},
    {"a": 0.4318, "mass": 17.4, "com": (-0.3638, 0.006, 0.2275), "inertia": (0.13, 0.524, 0.539)},
    {"d": 0.15005, "a": 0.0203, "alpha": -HALF, "mass": 4.8, "com": (-0.0203, -0.0141, 0.07),
     "inertia": (0.066, 0.086, 0.0125), "inertia_rule": "positive"},
    {"d": 0.4318, "alpha": HALF, "mass": 0.82, "com": (0, 0.019, 0), "inertia": (1.8e-3, 1.3e-3, 1.8e-3)},
    {"alpha": -HALF, "mass": 0.34, "com": (0, 0, 0), "inertia": (3e-4, 4e-4, 3e-4)},
    {"d": 0.05, "mass": 0.09, "com": (0, 0, 0.032), "inertia": (1.5e-4, 1.5e-4, 4e-5)},
]  # fmt: skip
PUMA[0] |= {"com": (0, 0, 0), "inertia": (0, 0, 0)}


def moved(axis, by):
    """Return the matrix of a translation, (4, 4)."""
    T = np.eye(4)
    T["xyz".index(axis), 3] = by
    return T


def turned(axis, angle):
    """Return the matrix of a rotation, (4, 4)."""
    T, c, s = np.eye(4), math.cos(angle), math.sin(angle)
    i, j = ((1, 2), (2, 0), (0, 1))["xyz".index(axis)]
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    return T


def product(rows, form, q):
    """Return the matrices of all links by the formulas of the textbooks, (n + 1, 4, 4)."""
    T = [np.eye(4)]
    for row, value in zip(rows, q, strict=True):
        a, alpha, d, theta = (row.get(word, 0.0) for word in ("a", "alpha", "d", "theta"))
        d, theta = (d + value, theta) if row.get("type") == "prismatic" else (d, theta + value)
        if form == "standard":
            T.append(T[-1] @ turned("z", theta) @ moved("z", d) @ moved("x", a) @ turned("x", alpha))
        else:
            T.append(T[-1] @ turned("x", alpha) @ moved("x", a) @ turned("z", theta) @ moved("z", d))
    return np.array(T)


def rows_of(rng, n=6):
    """Return a table of any geometry, with a slide in it."""
    rows = []
    for k in range(n):
        words = ("a", "alpha", "d", "theta")
        row = dict(zip(words, rng.normal(size=4).tolist(), strict=True))
        rows.append(row | {"mass": 1.0, "com": tuple(rng.normal(size=3)), "inertia": (1.0, 1.1, 1.2, 0.1, 0.2, -0.1)})
        rows[-1] |= {"type": "prismatic"} if k == 2 else {}
    return rows


@pytest.mark.parametrize("form", ["standard", "modified"])
@pytest.mark.parametrize("table", ["puma", "any"])
def test_links_are_where_the_product_of_their_matrices_puts_them(form, table, rng):
    for _ in range(5):
        rows = PUMA if table == "puma" else rows_of(rng)
        arm, (_, axes) = from_link_table(rows, form), frames(rows, form)
        q = rng.uniform(-math.pi, math.pi, len(rows))
        seen = pm.inverse(arm, {f"joint{k}": [x] for k, x in enumerate(q, start=1)}, {}, {})
        T = product(rows, form, q)
        assert np.abs(seen["tip"][0] - T[-1, :3, 3]).max() < 1e-12
        for k, row in enumerate(rows, start=1):
            assert np.abs(seen.orientation(f"link{k}")[0] @ axes[k] - T[k, :3, :3]).max() < 1e-12
            if row["mass"]:
                assert np.abs(seen.com(f"link{k}")[0] - T[k, :3, 3] - T[k, :3, :3] @ row["com"]).max() < 1e-12


@pytest.mark.parametrize("form", ["standard", "modified"])
def test_the_kinetic_energy_is_that_of_the_tables_own_masses(form, rng):
    rows = rows_of(rng)
    arm = from_link_table(rows, form)
    q, u, h = rng.normal(size=6), rng.normal(size=6), 1e-6
    names = [f"joint{k}" for k in range(1, 7)]
    initial = {word: dict(zip(names, [[x] for x in of], strict=True)) for word, of in (("position", q), ("rate", u))}
    run = pm.simulate(arm.replaced(initial=initial), duration=1e-6, samples=2)
    T, rate = product(rows, form, q), (product(rows, form, q + h * u) - product(rows, form, q - h * u)) / (2.0 * h)
    kinetic = 0.0
    for k, row in enumerate(rows, start=1):
        v = rate[k, :3, 3] + rate[k, :3, :3] @ row["com"]
        W = T[k, :3, :3].T @ rate[k, :3, :3]  # in link axes
        w = np.array([W[2, 1], W[0, 2], W[1, 0]])
        xx, yy, zz, xy, xz, yz = row["inertia"]
        kinetic += 0.5 * row["mass"] * v @ v + 0.5 * w @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ w
    assert run.kinetic[0] == pytest.approx(kinetic, rel=1e-8)


def test_tensors_may_be_about_the_origin():
    com, mass = np.array([0.3, -0.2, 0.1]), 2.0
    central = np.diag([1.0, 1.1, 1.2])
    about_origin = central + mass * (com @ com * np.eye(3) - np.outer(com, com))
    row = {"a": 1.0, "alpha": 0.3, "theta": 0.7, "mass": mass, "com": tuple(com)}
    one = from_link_table([row | {"inertia": central.tolist()}])
    other = from_link_table([row | {"inertia": about_origin.tolist()}], inertia_about="origin")
    assert one.inertia("link1") == pytest.approx(other.inertia("link1"), abs=1e-15)


def test_the_table_of_the_report_is_the_shipped_arm():
    arm = models.load("rms_flexible")
    O = [arm.points[name] for name in ("shoulder", "lift", "elbow", "wrist", "swing", "roll", "tip")]
    made = from_link_table(REPORT, "report", base=SPACECRAFT, inertia_about="origin", bending=arm.bending,
                           units=arm.units)  # fmt: skip
    assert [made.points[f"O{k}"] for k in range(1, 7)] + [made.points["tip"]] == O
    for name in (f"link{k}" for k in range(1, 7)):
        assert made.centre(name) == pytest.approx(arm.centre(name), abs=1e-12)
        assert made.inertia(name) == pytest.approx(arm.inertia(name), rel=1e-12, abs=1e-12)
        assert made.bodies[name].modes == arm.bodies[name].modes and made.bodies[name].K == arm.bodies[name].K
        assert made.joints[f"joint{name[-1]}"].axis == arm.joints[f"joint{name[-1]}"].axis
    held = {f"hold{k}": {"joint": f"joint{k}", "motion": Constant(value=0.0)} for k in range(1, 7)}
    made = from_link_table(REPORT, "report", base=SPACECRAFT, inertia_about="origin", bending=arm.bending,
                           units=arm.units, drivers=held)  # fmt: skip
    assert modes(made).frequency[3:] == pytest.approx(modes(arm).frequency[3:], rel=1e-9)


def shapes():
    """Return the modes of the report, in axes of a link."""
    square, cubic = [0.0, 0.0, 1.0], [0.0, 0.0, 1.0, -1.2]
    return [*({"along": d, "shape": s} for d in "yz" for s in (square, cubic)), {"about": "x", "shape": [0.0, 1.0]}]


def stiffness(one, both, other, torsion):
    """Return the matrix of the report for these modes."""
    K = np.zeros((5, 5))
    K[:2, :2] = K[2:4, 2:4] = [[one, both], [both, other]]
    K[4, 4] = torsion
    return K.tolist()


SPACECRAFT = {
    "name": "craft", "motion": "translates", "mass": 6390.0, "com": (0, 0, 0), "end": (-35.88, -8.07, 0.8),
    "alpha": math.pi, "inertia": [[8.9e5, 1.6e4, -2.9e5], [1.6e4, 6.9e6, 3.5e3], [-2.9e5, 3.5e3, 7.3e6]],
}  # fmt: skip
REPORT = [
    {"end": (0, 0, 1), "alpha": HALF, "theta": math.pi, "mass": 2.198, "com": (0, 0, 0),
     "inertia": [[1.37, 0.014, -0.059], [0.014, 1.595, -0.027], [-0.059, -0.027, 0.439]]},
    {"end": (20.92, 0, 0), "mass": 9.536, "com": (10.46, 0, 0), "modes": shapes(), "rotary": (2.38 / 20.92, 0, 0),
     "inertia": [[2.38, -6.77, 1.423], [-6.77, 1.8e3, -0.223], [1.423, -0.223, 1.8e3]],
     "K": stiffness(4.5e3, -3.5e3, 7.7e3, 1.1e6)},
    {"end": (23.18, 0, 0), "mass": 5.982, "com": (11.58, 0, 0), "modes": shapes(), "rotary": (1.17 / 23.18, 0, 0),
     "inertia": [[1.17, 2.79, -0.592], [2.79, 1.3e3, -0.059], [-0.592, -0.059, 1.3e3]],
     "K": stiffness(2.2e3, -1.7e3, 3.8e3, 8.3e5)},
    {"end": (1.5, 0, 0), "alpha": 3 * HALF, "mass": 0.58, "com": (0.75, 0, 0), "inertia": (0.066, 0.622, 0.622)},
    {"end": (0, -2.5, 0), "alpha": HALF, "theta": HALF, "mass": 3.144, "com": (0, -1.25, 0),
     "inertia": (8.36, 0.301, 8.36)},
    {"end": (0, 0, 2.17), "mass": 3.094, "com": (0, 0, 1.08), "inertia": (8.63, 8.63, 0.301)},
]  # fmt: skip


# -- files and faults --------------------------------------------------------------------------------------------------


def test_tables_are_read_from_files(tmp_path):
    table = "# a test\nname, type, a, alpha, d, theta, mass, com_x, xx, yy, zz\n"
    table += "upper, , 1.0, 0.5, 0.1, , 2.0, -0.5, 0.1, 0.2, 0.2\nfore, prismatic, , , 0.3, 0.2, 1.0, , 0.1, 0.1, 0.1\n"
    (tmp_path / "arm.csv").write_text(table)
    rows = [
        {"name": "upper", "a": 1.0, "alpha": 0.5, "d": 0.1, "mass": 2.0, "com": (-0.5, 0, 0),
         "inertia": (0.1, 0.2, 0.2)},
        {"name": "fore", "type": "prismatic", "d": 0.3, "theta": 0.2, "mass": 1.0, "com": (0, 0, 0),
         "inertia": (0.1, 0.1, 0.1)},
    ]  # fmt: skip
    assert read_link_table(tmp_path / "arm.csv", gravity=(0, 0, -9.81)) == from_link_table(rows, gravity=(0, 0, -9.81))
    (tmp_path / "arm.toml").write_text(
        'form = "modified"\ngravity = [0, 0, -9.81]\n[[links]]\na = 1.0\nmass = 2.0\ncom = [0.5, 0, 0]\n'
        "inertia = [0.1, 0.2, 0.2]\n"
    )
    row = {"a": 1.0, "mass": 2.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.2, 0.2)}
    assert read_link_table(tmp_path / "arm.toml") == from_link_table([row], "modified", gravity=(0, 0, -9.81))


GOOD = {"a": 1.0, "mass": 2.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.2, 0.2)}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: from_link_table([]), "at least one row"),
        (lambda: from_link_table([GOOD], "denavit"), 'form "denavit" unknown.*standard, modified, report'),
        (lambda: from_link_table([GOOD | {"alfa": 1.0}]), 'row 1: key "alfa" unknown .*"alpha"'),
        (lambda: from_link_table([GOOD | {"end": (1, 0, 0)}]), 'row 1: key "end"'),
        (lambda: from_link_table([GOOD | {"d": "long"}]), 'row 1: key "d": expected a'),
        (lambda: from_link_table([{"a": 1.0, "mass": 1.0}]), 'row 1, "link1": key "inertia" is missing'),
        (lambda: from_link_table([GOOD | {"type": "ball"}]), 'row 1, "link1": type "ball" unknown'),
        (lambda: from_link_table([GOOD], inertia_about="end"), 'inertia_about "end" unknown'),
        (lambda: from_link_table([GOOD], base={"motion": "floats"}), 'base: motion "floats" unknown'),
        (lambda: from_link_table([GOOD | {"inertia": (0.1, 0.2, 9.0)}]), 'body "link1": .*triangle'),
        (lambda: read_link_table("nowhere.csv"), "nowhere.csv: cannot be read"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_one_line(ask, words):
    with pytest.raises(ModelError, match=words):
        ask()


def test_a_stiffness_by_axes_needs_a_link_along_an_axis_of_the_drawing():
    bends = {"end": (1, 0, 0), "density": 1.0, "EI": {"y": 1.0, "z": 2.0}, "modes": shapes()[:4]}
    straight = from_link_table([bends | {"theta": HALF}], "report")
    assert straight.bodies["link1"].EI == {"x": (1.0,), "z": (2.0,)}
    with pytest.raises(ModelError, match='"link1": a stiffness by axes: y of the link is along no axis of the drawing'):
        from_link_table([bends | {"theta": 0.3}], "report")


def test_a_section_of_a_skew_link_turns_with_it():
    bar = {"section": {"type": "rectangle", "width": 0.02, "height": 0.05}, "up": "z", "E": 2.1e11, "rho": 7850.0}
    bends = {"end": (1, 0, 0), "modes": shapes()[:4], "alpha": 0.4, "damping_ratio": 0.01, **bar}
    skew = from_link_table([bends, bends | {"theta": 0.3}], "report").bodies["link2"]
    # z of the second link is that of its joint, tilted by alpha about x of the first
    assert skew.up == pytest.approx((0.0, -math.sin(0.4), math.cos(0.4)))
    assert skew.section.height == 0.05
    assert skew.damping_ratio == 0.01
