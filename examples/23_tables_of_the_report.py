"""What the report on the shuttle arm prints, beside what its own data give: reproduced, misprint or impossible?

A printed number stands for all that round to it. The verdicts follow from that and from nothing else:

    reproduced   ours rounds to the printed number
    cut off      ours begins with the printed digits, but rounds to other ones
    last digit   ours rounds to a number one unit of the last digit away
    misprint     ours is another number; one that gives the printed digits, or comes near, is named
    impossible   no arm has it: the library refuses it, no stiffness fits, or no mode vibrates like this

Shapes (x/L)^2 and (x/L)^2 - 1.2 (x/L)^3, linear torsion; mass spread evenly [G88] section 3.1.

New here: integrals of a link, and data that contradict each other.
"""

import sys
import textwrap
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from scipy.signal import hilbert

import particlemech as pm
from particlemech import space, view
from particlemech.engine.bending.local_inertia import integrals
from particlemech.engine.bending.members import Member
from particlemech.model.signals import Constant
from particlemech.view.looks import COLOURS

LINKS = [f"link{n}" for n in range(1, 7)]
AXES = {  # of the links in which the report gives its tables, in the drawing
    **dict.fromkeys(("link2", "link3"), np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])),
    "link6": np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]),
}
arm = pm.models.load("rms_flexible")  # as printed, but for what is impossible
bent = arm.replaced(drivers={"hold3": {"motion": Constant(value=0.5 * np.pi)}})  # configuration #2
links = {n: arm.bodies[f"link{n}"] for n in (2, 3)}
lengths = {name: np.linalg.norm(np.subtract(*(arm.points[p] for p in arm.bodies[name].points))) for name in LINKS}
found = {n: integrals(arm, f"link{n}") for n in links}


class Entry(NamedTuple):
    item: str
    printed: str
    ours: str
    verdict: str
    reason: str = ""
    ratio: float = np.nan  # ours/printed


page: list[Entry] = []


def unit(printed):
    """Return one unit of the last printed digit."""
    return float(Decimal(1).scaleb(Decimal(printed).as_tuple().exponent))


def seen(printed, ours):
    """Return how a number may have come into print, or nothing."""
    units = (abs(ours) - abs(float(printed))) / unit(printed)
    if ours * float(printed) <= 0.0 or abs(units) > 1.5:
        return None
    return "reproduced" if abs(units) <= 0.5 else "cut off" if 0.0 < units < 1.0 else "last digit"


def number(item, printed, ours, taken_for=None):
    """Put a number on the page, and what it may have been taken for: a word and a value."""
    verdict, reason = seen(printed, ours) or "misprint", ""
    if verdict == "misprint" and taken_for:
        word, value = taken_for
        reason = f"{'is' if seen(printed, value) else 'comes near'} {word} = {value:.5g}"
    page.append(Entry(item, printed, f"{ours:.6g}", verdict, reason, ours / float(printed)))


def allowed(item, printed, name, com, tensor):
    """Put on the page whether the library takes the arm with a link as printed: in its axes, about its origin."""
    R, O, c = AXES[name], np.array(arm.points[arm.bodies[name].points[0]]), np.array(com)
    central = np.array(tensor) - arm.mass(name) * (c @ c * np.eye(3) - np.outer(c, c))
    try:
        pm.check(arm.replaced(bodies={name: {"com": O + R @ c, "inertia": R @ central @ R.T}}))
        page.append(Entry(item, printed, "", "reproduced", "a body can have it"))
    except pm.ModelError as error:
        page.append(Entry(item, printed, "", "impossible", str(error)))


def label(item, printed, ours, right, reason):
    """Put a symbol or an equation on the page that numbers beside it confirm or not."""
    page.append(Entry(item, printed, ours, "reproduced" if right else "misprint", reason))


# -- shapes ------------------------------------------------------------------------------------------------------------


def uniform(modes):
    """Return a uniform beam along x with length, mass and stiffness 1."""
    return Member(space.Body(points=("A", "B"), mass=1.0, EI=1.0, modes=modes), (0, 0, 0), (1, 0, 0))


powers = [{"along": "y", "shape": [0.0] * p + [1.0]} for p in (2, 3)]
both = integrals(uniform(powers)).I_qq
number("(3.1-8) r2 at r1 = 0", "-1.2", -both[0, 0] / both[0, 1])

refused = ""
try:
    constant = [{"along": (0, 0, -1), "shape": [-1.2, 0.0, 1.0]}]
    pm.check(arm.replaced(bodies={"link2": {"modes": constant, "K": [[1.0]]}}))
except pm.ModelError as error:
    refused = str(error)
label("(3.1-10) second shape", "(x/L)² - 1.2", "(x/L)² - 1.2 (x/L)³", not refused, refused)

start = pm.simulate(arm, duration=0.2, samples=21)
elbow = np.einsum("kji,kj->ki", start.orientation("link2"), start.elastic("elbow")) @ AXES["link2"][:, 1]
off = [np.abs(elbow - q[:, 0] + 0.2 * q[:, 1]).max() for q in (start.modal("link2"), start.modal_rate("link2"))]
said = f"the elbow is at delta q within {off[0]:.0e} ft, at delta q' within {off[1]:.0e}"
label("(3.1-13) deflection", "delta q'", "delta q", off[1] < off[0], said)

# -- integrals of appendix A -------------------------------------------------------------------------------------------

printed = {
    2: {"mq": ("3.18", ".318"), "Lq": ("49.8", "1.99", "1.19"), "qq": ("2.38", ".05449", ".793")},
    3: {"mq": ("1.99", ".199"), "Lq": ("34.6", "1.39", ".585"), "qq": ("1.45", ".03419", ".39")},
}
for n, entries in printed.items():
    at, mass, length = found[n], links[n].mass, lengths[f"link{n}"]
    I_mq, I_Lq = (AXES[f"link{n}"].T @ of for of in (at.I_mq, at.I_Lq))
    for word, ours in zip(entries["mq"], I_mq[1, :2], strict=True):
        number(f"I_mq link {n}", word, ours)
    for word, ours in zip(entries["Lq"], (I_Lq[2, 0], I_Lq[2, 1], I_Lq[0, 4]), strict=True):
        number(f"I_Lq link {n}", word, ours)
    by_length, by_square = 0.25 * mass, 0.25 * mass * length  # of mu L/4 and mu L^2/4
    right = seen(entries["Lq"][0], by_length) is not None
    said = f"{by_length:.4g} or {by_square:.4g}, printed {entries['Lq'][0]}"
    label(f"(3.1-22) row 3, link {n}", "mu L/4", "mu L²/4", right, said)
    other = I_mq[0, 4], I_Lq[0, 4]
    said = f"entry {entries['Lq'][2]}: I_mq has {other[0]:.3g} there, I_Lq {other[1]:.3g}"
    label(f"(3.1-23) left side, link {n}", "I_mq", "I_Lq", seen(entries["Lq"][2], other[0]) is not None, said)
    first, second, third = entries["qq"]
    number(f"I_qq link {n}", first, at.I_qq[0, 0], ("m/4, the mu L/4 of (3.1-22),", by_length))
    number(f"I_qq link {n}", second, at.I_qq[1, 1])
    number(f"I_qq link {n}", third, at.I_qq[4, 4])
    whose = [k for k, other in found.items() if seen(second, other.I_qq[1, 1]) and seen(third, other.I_qq[4, 4])]
    said = f"its second and third entry are those of link {whose[0]}"
    label(f"(3.1-{27 + n}) left side", "I_qq5", f"I_qq{whose[0]}", whose == [5], said)

# -- stiffness of appendix B: one EI for three entries -----------------------------------------------------------------

beam = uniform([{"along": "y", "shape": mode.shape} for mode in links[2].modes[:2]])
factors = integrals(beam).K[np.triu_indices(2)]  # 4, -16/5, 172/25
stiffness = {2: ("4.5e3", "-3.5e3", "7.7e3"), 3: ("2.2e3", "-1.7e3", "3.8e3")}
torsion = {2: "1.1e6", 3: "8.3e5"}


def bounds(words, most=0.5, without=None):
    """Return the EI/L^3 that give all printed entries but one; a number stands for up to `most` units more."""
    sizes = [(abs(float(w)), unit(w), abs(c)) for w, c in zip(words, factors, strict=True) if w != without]
    return max((v - 0.5 * u) / c for v, u, c in sizes), min((v + most * u) / c for v, u, c in sizes)


for n, words in stiffness.items():
    low, high = bounds(words)
    verdict, reason = "reproduced", f"EI/L³ from {low:.2f} to {high:.2f} lbf/ft"
    if low > high:
        left = {w: bounds(words, without=w) for w in words}
        odd = [w for w, (least, most) in left.items() if least < most]
        low, high = left[odd[0]]
        said = " or ".join(f"{w}: {left[w][0]:.2f} to {left[w][1]:.2f}" for w in odd)
        cut = bounds(words, most=1.0)
        verdict, reason = "impossible", f"no EI/L³ rounds to all three; it may without {said} lbf/ft"
        if cut[0] < cut[1]:
            verdict, reason = "cut off", f"{reason}; with digits cut off {cut[0]:.2f} to {cut[1]:.2f}"
    middle = 0.5 * (low + high)
    page.append(Entry(f"K link {n}, bending together", " ".join(words), f"EI/L³ = {middle:.2f}", verdict, reason))
    for name, word, factor in zip(("K11", "K12", "K22"), words, factors, strict=True):
        number(f"{name} link {n}", word, middle * factor)
    length = lengths[f"link{n}"]
    EI, GJ = middle * length**3, float(torsion[n]) * length
    poisson = EI / GJ - 1.0  # of a round tube: EI/GJ = 1 + Poisson's ratio
    verdict = "reproduced" if 0.0 <= poisson <= 0.5 else "impossible"
    reason = f"GJ = {GJ:.4g} lbf ft² is {GJ / EI:.2f} EI; a round tube with it has a Poisson's ratio of {poisson:.2f}"
    page.append(Entry(f"K55 link {n}", torsion[n], f"{EI / length / 1.5:.2g} to {EI / length:.2g}", verdict, reason))

# -- tables of geometry and mass ---------------------------------------------------------------------------------------

number("length of the arm, ft", "55", sum(lengths.values()))

tensors = {
    "link2": [[2.38, -6.77, 1.423], [-6.77, 1.8e3, -0.223], [1.423, -0.223, 1.8e3]],
    "link3": [[1.17, 2.79, -0.592], [2.79, 8.5e2, -0.059], [-0.592, -0.059, 1.3e3]],
    "link6": [[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.721, 0.0, 8.63]],
}
repaired = np.array(tensors["link3"])
repaired[1, 1] = 1.3e3
symmetric = np.minimum(tensors["link6"], np.transpose(tensors["link6"]))
allowed("link 2, mass and tensor", "Table 3.1-2", "link2", (10.46, 0, 0), tensors["link2"])
allowed("link 3, centre", "0, 0, 2.17 ft", "link3", (11.58, 0, 2.17), repaired)
allowed("link 3, yy", "8.5e2", "link3", (11.58, 0, 0), tensors["link3"])
allowed("link 6, xz and zx", "-.712, -.721", "link6", (0, 0, 1.08), tensors["link6"])
allowed("link 6, made symmetric", "5.71, .301, 8.63", "link6", (0, 0, 1.08), symmetric)

# -- what the report saw -----------------------------------------------------------------------------------------------

modes, modes_bent = pm.modes(arm), pm.modes(bent)


def vibrating(item, printed, found, reason):
    """Put a frequency on the page: is it one of the arm?"""
    moving = found.frequency[found.frequency > 1e-3]
    nearest = moving[np.argmin(np.abs(np.log(moving / float(printed))))]
    verdict = "reproduced" if abs(nearest - float(printed)) <= 0.5 * unit(printed) else "impossible"
    page.append(Entry(item, printed, f"{nearest:.4f}", verdict, reason, nearest / float(printed)))


alone = np.sqrt(np.diag(modes.linear.K) / np.diag(modes.linear.M)) / (2.0 * np.pi)
firsts = [alone[modes.coordinates.index(c)] for c in ("link2.q1", "link3.q1")]
said = " and ".join(f"{f:.3f} Hz ({seen('3', f) or 'not this either'})" for f in firsts)
vibrating("#1: around, Hz", "3", modes, f"first shapes of links 2 and 3, all else held: {said}")

twisting = np.array([c.endswith("q5") for c in modes.coordinates])
momentum = modes.linear.M @ modes.shapes.real
share = np.sum((modes.shapes.real * momentum)[twisting], axis=0)  # of the kinetic energy of each mode
twist, bend = modes.frequency[share > 0.5].min(), modes.frequency[3]
verdict = "reproduced" if twist > 10.0 * bend else "misprint"
page.append(Entry("#1: torsion", "much faster", f"{twist:.2f} Hz", verdict, f"{twist / bend:.0f} times the lowest"))


def beating(load):
    """Return depth and frequency with which the first mode of link 2 is modulated in #2 under a step of some size."""
    push = {"step": {"force": (load,) * 3}, "twist": {"torque": (load,) * 3}}
    run = pm.simulate(bent.replaced(forces=push), duration=20.0, samples=2001, rtol=1e-6)
    q = run.modal("link2")[:, 0]
    envelope = np.abs(hilbert(q - q.mean()))[100:-100]  # its ends belong to the transform
    n = 16 * len(envelope)
    hill = np.abs(np.fft.rfft((envelope - envelope.mean()) * np.hanning(len(envelope)), n))
    slow = hill[: int(n * run.t[1])]  # below 1 Hz
    return np.ptp(envelope) / (2.0 * envelope.mean()), np.argmax(slow) / (n * run.t[1])


(depth, beat), (light, _) = beating(1000.0), beating(10.0)
f, shapes = modes_bent.frequency, np.abs(modes_bent.shapes)
low, second, third = np.flatnonzero(f > 1e-3)[:3]
shared = (shapes[:, second] * shapes[:, third]).max() / (shapes[:, second].max() * shapes[:, third].max())
difference, twice = f[third] - f[second], 2.0 * f[low] - f[third]
said = (
    f"{f[third]:.4f} - {f[second]:.4f} = {difference:.4f} Hz, but these two modes share {shared:.0e} of their "
    f"coordinates; a step of 1000 lbf modulates the first shape of link 2 by {100 * depth:.0f} % with {beat:.2f} Hz, "
    f"near 2 x {f[low]:.4f} - {f[third]:.4f} = {twice:.2f}, one of 10 lbf by {100 * light:.0f} %: not linear"
)
vibrating("#2: order of, Hz", "0.1", modes_bent, said)

counted = {word: sum(e.verdict == word for e in page) for word in dict.fromkeys(e.verdict for e in page)}


def show():
    import matplotlib.pyplot as plt

    numbers, verdicts = [e for e in page if e.ratio < 2.0], list(counted)
    figure, ax = plt.subplots(figsize=(8.0, 7.5), layout="constrained")
    for k, e in enumerate(numbers):
        half = 0.5 * unit(e.printed) / abs(float(e.printed))
        ax.barh(k, 2.0 * half, left=1.0 - half, height=0.6, color="#dfe4e8")
        ax.plot(e.ratio, k, "o", color=COLOURS[verdicts.index(e.verdict)], ms=5.0)
    for word in dict.fromkeys(e.verdict for e in numbers):
        ax.plot([], [], "o", color=COLOURS[verdicts.index(word)], ms=5.0, label=word)
    ax.set_yticks(range(len(numbers)), [f"{e.item}: {e.printed}" for e in numbers], fontsize=8)
    ax.invert_yaxis()
    ax.set(xlabel="ours / printed; grey: what rounds to the printed digits")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=9, loc="center left")
    return figure


if __name__ == "__main__":
    for e in page:
        print(f"{e.item:30}{e.printed:>20}   {e.ours:24}{e.verdict}")
        for line in textwrap.wrap(e.reason, 112):
            print(f"    {line}")
    print("; ".join(f"{word}: {count}" for word, count in counted.items()))
    view.display(show(), *sys.argv[1:])
