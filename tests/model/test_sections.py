"""Cross-sections and materials: closed forms, sums over small areas, tables of handbooks; files; what cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import particlemech as pm
from particlemech import space
from particlemech.cli.main import main
from particlemech.engine.bending.assembly import clamped, vibrations
from particlemech.engine.bending.local_inertia import integrals
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.quadrature import numbers
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space.parts import Body
from particlemech.model.space.sections import NAMES, IBeam, Rectangle, Round, Tube
from tests.support.flexible_chains import member

STEEL = {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}
SHAPES = [
    Rectangle(width=0.03, height=0.05),
    Round(diameter=0.04),
    Tube(outer=0.06, inner=0.05),
    IBeam(height=0.1, width=0.055, web=0.0041, flange=0.0057),
]
KEYS = [
    {"type": "rectangle", "width": 0.03, "height": 0.05},
    {"type": "round", "diameter": 0.04},
    {"type": "tube", "outer": 0.06, "inner": 0.05},
    {"type": "I", "height": 0.1, "width": 0.055, "web": 0.0041, "flange": 0.0057},
]
BEND = [{"along": d, "shape": s} for d in "yz" for s in ([0, 0, 1], [0, 0, 0, 1])]
TWIST, STRETCH = {"about": "x", "shape": [0, 1]}, {"along": "x", "shape": [0, 1]}


def inside(section, y, z) -> np.ndarray:
    """Return whether places are in a section."""
    if isinstance(section, Rectangle):
        return (abs(y) <= section.width / 2) & (abs(z) <= section.height / 2)
    if isinstance(section, IBeam):
        in_flange = (abs(z) >= section.height / 2 - section.flange) & (abs(y) <= section.width / 2)
        return (abs(z) <= section.height / 2) & (in_flange | (abs(y) <= section.web / 2))
    r = np.hypot(y, z)
    return (r <= section.radius) & (r >= getattr(section, "inner", 0.0) / 2)


# -- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", SHAPES, ids=lambda s: type(s).__name__)
def test_area_and_second_moments_are_sums_over_small_squares(section):
    n, a = 2000, 1.001 * max(section.c_y, section.c_z)
    side = (np.arange(n) + 0.5) / n * 2 * a - a
    y, z = np.meshgrid(side, side)
    y, z, dA = *(of[inside(section, y, z)] for of in (y, z)), (2 * a / n) ** 2
    assert section.area == pytest.approx(dA * len(y), rel=0.01)
    assert section.I_y == pytest.approx(dA * z @ z, rel=0.01)
    assert section.I_z == pytest.approx(dA * y @ y, rel=0.01)
    assert (section.c_y, section.c_z) == pytest.approx((y.max(), z.max()), rel=0.01)


@pytest.mark.parametrize(
    ("ratio", "beta", "alpha"),
    [(1.0, 0.1406, 0.208), (1.5, 0.196, 0.231), (2.0, 0.229, 0.246), (4.0, 0.281, 0.282), (10.0, 0.312, 0.312)],
)
def test_torsion_of_rectangles_is_that_of_the_handbook(ratio, beta, alpha):
    """J = beta l s^3, W_t = alpha l s^2: the table of Timoshenko and Goodier."""
    for keys in ({"width": ratio, "height": 1.0}, {"width": 1.0, "height": ratio}):
        section = Rectangle(**keys)
        assert section.J / ratio == pytest.approx(beta, abs=6e-4)
        assert section.W_t / ratio == pytest.approx(alpha, abs=6e-4)


def test_torsion_of_a_square_solves_poissons_equation():
    """J = 2 int phi dA with lap phi = -2: the double Fourier series, summed in another way than J is."""
    n = np.arange(1, 801, 2)
    m, k = np.meshgrid(n, n)
    for b, h in ((1.0, 1.0), (2.0, 0.7)):
        terms = 1.0 / (m**2 * k**2 * ((m / b) ** 2 + (k / h) ** 2))
        assert Rectangle(width=b, height=h).J == pytest.approx(256.0 * b * h / math.pi**6 * terms.sum(), rel=1e-6)


def test_a_narrow_rectangle_is_a_thin_wall_and_a_thin_tube_is_bredts():
    assert Rectangle(width=1.0, height=1e-3).J == pytest.approx(1e-9 / 3, rel=1e-3)
    assert Rectangle(width=1.0, height=1e-4).W_t == pytest.approx(1e-8 / 3, rel=1e-4)
    thin = Tube(outer=1.0005, inner=0.9995)  # 4 A^2 t/s of the middle line
    assert thin.J == pytest.approx(4 * (math.pi / 4) ** 2 * 0.0005 / math.pi, rel=1e-6)
    assert thin.W_t == pytest.approx(2 * math.pi / 4 * 0.0005, rel=1e-3)


def test_a_rolled_section_is_near_its_table():
    """IPE 100: A = 10.3 cm^2, I_y = 171 cm^4, I_z = 15.9 cm^4; the fillets, 0.6 cm^2 of it, are not here."""
    ipe = SHAPES[3]
    assert ipe.area == pytest.approx(9.9e-4, rel=0.01)
    assert ipe.I_y == pytest.approx(171e-8, rel=0.05)
    assert ipe.I_z == pytest.approx(15.9e-8, rel=0.01)


def test_a_tube_without_a_bore_is_a_round_bar():
    tube, bar = Tube(outer=0.04, inner=0.0), Round(diameter=0.04)
    for word in ("area", "I_y", "I_z", "J", "W_t", "c_y", "c_z"):
        assert getattr(tube, word) == pytest.approx(getattr(bar, word), rel=1e-14)


# -- stresses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", SHAPES, ids=lambda s: type(s).__name__)
def test_the_largest_stress_is_that_of_all_fibres(section):
    rng = np.random.default_rng(7)
    n, a = 1501, max(section.c_y, section.c_z)
    y, z = np.meshgrid(*[np.linspace(-a, a, n)] * 2)
    here = inside(section, y, z)
    for _ in range(5):
        N, My, Mz = rng.normal(size=3) * (1e4, 100.0, 100.0)
        sigma = N / section.area + My * z[here] / section.I_y - Mz * y[here] / section.I_z
        assert section.stress(N, My, Mz, 0.0).normal == pytest.approx(np.abs(sigma).max(), rel=0.01)


def test_stresses_take_whole_histories():
    bar = Round(diameter=0.02)
    T = np.linspace(-5.0, 5.0, 11)
    normal, shear = bar.stress(0.0, 3.0 * np.ones(11), 4.0, T)
    assert normal == pytest.approx(np.full(11, 32 * 5.0 / (math.pi * 0.02**3)))
    assert shear == pytest.approx(16 * np.abs(T) / (math.pi * 0.02**3))


# -- bodies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", SHAPES, ids=lambda s: type(s).__name__)
def test_a_section_and_its_material_give_what_numbers_per_length_give(section):
    E, G, rho = 2.1e11, 2.1e11 / 2.6, 7850.0
    modes = [*BEND, TWIST, STRETCH]
    I_y, I_z = section.I_y, section.I_z
    by_numbers = member(
        end=(2, 0, 0), modes=modes, density=rho * section.area, EI={"y": E * I_z, "z": E * I_y}, GJ=G * section.J,
        EA=E * section.area, rotary=[rho * (I_y + I_z), rho * I_y, rho * I_z],
    )  # fmt: skip
    by_section = member(end=(2, 0, 0), modes=modes, section=section, up="z", **STEEL)
    one, other = integrals(by_numbers), integrals(by_section)
    assert other.matrix == pytest.approx(one.matrix, rel=1e-12, abs=1e-12)
    assert pytest.approx(one.K, rel=1e-12, abs=1e-9 * one.K.max()) == other.K


def test_height_points_up_and_any_direction_will_do():
    """A skew body with a skew section is the straight one turned."""
    Q, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    Q *= np.sign(np.linalg.det(Q))
    modes = [{"along": tuple(Q @ np.eye(3)["xyz".index(m["along"])]), "shape": m["shape"]} for m in BEND]
    keys = {"section": SHAPES[0], **STEEL}
    straight = integrals(member(end=(2, 0, 0), modes=BEND, up="z", **keys))
    tilted = tuple(Q @ (0.3, 0.0, 1.0))  # what of it is along the body does not count
    skew = integrals(member(end=tuple(2 * Q[:, 0]), modes=modes, up=tilted, **keys))
    assert pytest.approx(straight.K, rel=1e-9, abs=1e-6) == skew.K
    assert skew.I_LL == pytest.approx(Q @ straight.I_LL @ Q.T, abs=1e-12)
    # the height is the stiff direction
    assert straight.K[2, 2] / straight.K[0, 0] == pytest.approx((5 / 3) ** 2)


def test_static_deflection_of_a_steel_bar():
    """F L^3/(3 E I) upward, and sideways."""
    made = numbers("bar", member(end=(1.2, 0, 0), modes=BEND, section=SHAPES[0], up="z", **STEEL))[0]
    for c, I in ((1, 0.05 * 0.03**3 / 12), (2, 0.03 * 0.05**3 / 12)):
        q = np.linalg.solve(made.K, 100.0 * made.end_delta[c])
        assert made.end_delta[c] @ q == pytest.approx(100.0 * 1.2**3 / (3 * 2.1e11 * I), rel=1e-12)


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_rotary_inertia_of_sections_lowers_frequencies_as_rayleigh_says(parts):
    """EI w'''' + rho I omega^2 w'' - rho A omega^2 w = 0, clamped and free: its roots, for any number of parts."""
    bar = {"section": Round(diameter=0.2), "E": 1.0e7, "rho": 1000.0}
    shapes = [{"along": "y", "shape": [0, 0, *[0] * k, 1]} for k in range(7)]
    mu, _ = vibrations(*clamped(numbers("bar", member(modes=shapes, sublinks=parts, **bar))))
    EI, A, I = 1.0e7 * math.pi * 0.2**4 / 64, 1000.0 * math.pi * 0.01, 1000.0 * math.pi * 0.2**4 / 64

    def closed(omega):
        p, q = I * omega**2 / EI, A * omega**2 / EI
        b = math.sqrt(p / 2 + math.sqrt(p * p / 4 + q))
        a = math.sqrt(-p / 2 + math.sqrt(p * p / 4 + q))
        # w = cosh a x - cos b x + c (sinh a x / a - sin b x / b); at the free end w'' = 0 and w''' + p w' = 0
        ch, sh, co, si = math.cosh(a), math.sinh(a), math.cos(b), math.sin(b)
        moment = a * a * ch + b * b * co, a * sh + b * si
        force = a**3 * sh - b**3 * si + p * (a * sh + b * si), a * a * ch + b * b * co + p * (ch - co)
        return moment[0] * force[1] - moment[1] * force[0]

    slender = np.array([1.8751040687, 4.6940911330]) ** 2 * math.sqrt(EI / A)
    for k, loss in enumerate((0.001, 0.01)):
        exact = brentq(closed, 0.9 * slender[k], 1.001 * slender[k])
        assert exact < (1 - loss) * slender[k]  # it matters here
        assert mu[k] ** -0.5 == pytest.approx(exact, rel=2e-6)


# -- files -----------------------------------------------------------------------------------------------------------


def arm(**keys) -> space.Mechanism:
    """Return one bending body along x, welded to the ground."""
    return space.Mechanism(
        points={"A": (0, 0, 0), "B": (2, 0, 0)},
        bodies={"arm": space.Body(**{"points": ("A", "B"), "modes": [*BEND, TWIST], "up": "z"} | STEEL | keys)},
        joints={"root": space.joints.Weld(bodies=("ground", "arm"))},
    )


@pytest.mark.parametrize(("section", "keys"), list(zip(SHAPES, KEYS, strict=True)), ids=[k["type"] for k in KEYS])
def test_sections_come_back_from_files_unchanged(section, keys, tmp_path):
    mechanism = arm(section=keys)
    assert mechanism.bodies["arm"].section == section
    text = toml.dumps(mechanism)
    assert f'type = "{keys["type"]}"' in text
    assert toml.loads(text) == mechanism
    assert toml.from_dict(toml.to_dict(mechanism)) == mechanism
    pm.save(mechanism, tmp_path / "arm.toml")
    assert pm.load(tmp_path / "arm.toml") == mechanism


@pytest.mark.parametrize("word", NAMES)
def test_info_shows_the_keys_of_a_section(word, capsys):
    assert main(["info", word]) == 0
    assert f"cross-section {word}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"section": "tube"}, 'key "section": expected a table'),
        ({"section": {"diameter": 1.0}}, '"type" is missing; one of rectangle, round, tube, I'),
        ({"section": {"type": "pipe", "outer": 1.0}}, "'pipe' unknown"),
        ({"section": {"type": "round"}}, 'key "diameter" is missing'),
        ({"section": {"type": "round", "radius": 1.0}}, 'key "radius" unknown'),
        ({"section": {"type": "round", "diameter": -1.0}}, '"diameter": must be above zero'),
        (
            {"section": {"type": "tube", "outer": 0.05, "inner": 0.05}},
            '"inner": 0.05 leaves no wall inside outer = 0.05',
        ),
        ({"section": {**KEYS[3], "flange": 0.05}}, '"flange": two of 0.05 leave no web in height = 0.1'),
        ({"section": {**KEYS[3], "web": 0.06}}, '"web": 0.06 is not less than width = 0.055'),
        ({"section": KEYS[0], "up": None}, '"up" is missing; the section is of type "rectangle"'),
        ({"section": KEYS[0], "up": "x"}, '"up": .* points along the body itself'),
        ({"section": KEYS[1], "E": None}, '"E" is missing'),
        ({"section": KEYS[1], "EI": 1.0}, 'keys "EI" and "E" both give the stiffness; take "EI" out, or "E"'),
        ({"section": KEYS[1], "density": 1.0}, 'keys "density" and "rho" both'),
        ({"section": KEYS[1], "rotary": [1.0, 0, 0]}, 'keys "rotary" and "rho" both'),
        ({"section": KEYS[1], "G": 1.0}, 'keys "G" and "nu" both'),
        ({"section": KEYS[1], "nu": 0.6}, '"nu": 0.6, but Poisson'),
        ({"section": None}, '"E": means something with a "section" only'),
        ({"section": KEYS[1], "rho": None}, 'one of the keys "mass", "density", "rho" and "lumps" is needed'),
        ({"section": KEYS[1], "modes": []}, "is for bodies that bend"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(keys, words):
    with pytest.raises(ModelError, match=words) as caught:
        arm(**keys)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"nu": None}, '"G" is missing, and the body twists'),
        ({"modes": [{"about": "y", "shape": [0, 1]}]}, "mode 1 turns sections about an axis across"),
    ],
)
def test_what_a_mode_needs_of_a_section_is_told(keys, words):
    body = Body(**{"points": ("A", "B"), "section": KEYS[1], "modes": [*BEND, TWIST]} | STEEL | keys)
    with pytest.raises(ModelError, match=words):
        numbers("arm", Member(body, (0, 0, 0), (2, 0, 0)))
