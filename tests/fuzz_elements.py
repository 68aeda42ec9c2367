"""Random mechanisms of the plane with machine elements: `python -m tests.fuzz_elements 200` in the root of a checkout.

A linkage of fuzz_mechanisms.py without its loads gets one to four of

    gear, rack, belt, cam                   wheels, racks and followers on the ground, driven by what turns there
    friction                                of pins and slides, smooth
    stop, contact                           rigid with restitution, or giving way
    motor, pid, cylinder, load              with states, on signals of all kinds
    event                                   that switches a signal, locks a joint, or ends the run

It starts slowly, and is run by explicit steps, by IDA, and by IDA in absolute coordinates, and judged by

    agree       all completed alike, pm.validate agrees, and each run balances its power: energy error at most BALANCE
                of the energy in play
    refused     all say in words why not, alike: a jam, a driver at its limit
    differs     ends differ, or one is `inaccurate`
    wrong       completed, but they do not agree, or power is not balanced
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import particlemech as pm
from particlemech.errors import ModelError, SimulationError
from particlemech.model.mechanism import Initial
from particlemech.model.toml import dumps, from_dict
from particlemech.run.preparing import prepared
from tests.fuzz_mechanisms import Sketch, _linkage

Rng = np.random.Generator
RTOL, SAMPLES, LASTS = 1e-9, 21, 0.4  # s
FASTEST = 10.0  # 1/s
BALANCE = 1e-6  # of the energy in play
WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "ida": {"integrator": "ida"},
    "absolute": {"formulation": "absolute", "integrator": "ida"},
}
MOST_STEPS = 40_000
ELEMENTS = ("gear", "rack", "belt", "cam", "friction", "stop", "contact", "motor", "pid", "cylinder", "load", "event")


class Judged(NamedTuple):
    """What came of one mechanism."""

    seed: int
    kind: str
    why: str
    drew: tuple[str, ...]
    text: str


def drawn(seed: int) -> tuple[pm.Mechanism, tuple[str, ...]]:
    """Return the mechanism of a seed, and its elements."""
    rng = np.random.default_rng([31, seed])
    said = ""
    for _ in range(50):
        try:
            sketch = Sketch(rng)
            sketch.uneven = False
            _linkage(sketch)
            made = sketch.mechanism(seed).replaced(gravity=(0.0, -9.81), initial=Initial())
            table = tomllib.loads(dumps(made))
            drew = _equipped(table, rng)
            table["run"] = {"duration": LASTS, "samples": SAMPLES, "rtol": RTOL}
            found = slowed(from_dict(table))
        except ModelError as error:  # what cannot be written down
            said = str(error)
            if "unknown" in said:  # it is drawn in words that do not exist
                raise
            continue
        return found, drew
    raise LookupError(f"seed {seed} draws no mechanism: {said}")


def slowed(mechanism: pm.Mechanism) -> pm.Mechanism:
    """Return a mechanism whose fastest point starts at most at FASTEST of the mechanism's size, if it can start.

    A pin beside a dead centre starts others a hundred times as fast as itself, and IDA takes some 1000 steps for each
    turn: 40 of 200 such mechanisms could be judged, 276 of 280 that start no faster than this.
    """
    try:
        system, start = prepared(mechanism, "particles")
    except ModelError:
        return mechanism
    motion = system.motion(start.q[None], start.v[None], start.a[None], start.x[None])
    way = max(float(np.abs(v).max()) for v in (motion.point_v, motion.com_v)) / system.scale.length
    share = min(1.0, FASTEST / way) if way else 1.0
    omega = {body: share * rate for body, rate in mechanism.initial.omega.items()}
    return mechanism.replaced(initial=Initial(omega=omega))


def _equipped(table: dict[str, Any], rng: Rng) -> tuple[str, ...]:
    """Add elements to the table of a mechanism; return which."""
    drew = []
    table.setdefault("forces", {})
    for k, name in enumerate(rng.choice(len(ELEMENTS), int(rng.integers(1, 5)), replace=False)):
        kind = ELEMENTS[name]
        if _ADD[kind](table, rng, f"x{k}"):
            drew.append(kind)
    table["initial"] = {"omega": {body: float(rng.uniform(-4.0, 4.0)) for _, body, _ in _pinned(table)[:1]}}
    if not table["initial"]["omega"]:
        del table["initial"]
    if not drew:
        raise ModelError("nothing fits")
    return tuple(drew)


def _pinned(table: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the pins on the ground: joint, body, point."""
    return [
        (name, joint["bodies"][1], joint["point"])
        for name, joint in table["joints"].items()
        if joint["type"] == "revolute" and joint["bodies"][0] == "ground" and len(joint["bodies"]) == 2
    ]


def _of(table: dict[str, Any], *kinds: str) -> list[str]:
    return [name for name, joint in table["joints"].items() if joint["type"] in kinds]


def _pick(rng: Rng, among: list[Any]) -> Any:
    return among[int(rng.integers(len(among)))]


def _unit(rng: Rng) -> np.ndarray:
    angle = rng.uniform(0.0, 2.0 * math.pi)
    return np.array([math.cos(angle), math.sin(angle)])


def _at(place: Any) -> list[float]:
    return [float(x) for x in place]


def _wheel(table: dict[str, Any], rng: Rng, name: str, place: np.ndarray) -> None:
    """Add a wheel with a bearing on the ground."""
    table["points"][f"{name}c"] = _at(place)
    mass = float(rng.uniform(0.3, 2.0))
    table["bodies"][name] = {"points": [f"{name}c"], "mass": mass, "com": _at(place), "inertia": 0.02 * mass}
    table["joints"][f"{name}b"] = {"type": "revolute", "point": f"{name}c", "bodies": ["ground", name]}


def _slide(table: dict[str, Any], rng: Rng, name: str, place: np.ndarray, axis: np.ndarray) -> None:
    """Add a body that slides on the ground."""
    table["points"][f"{name}c"] = _at(place)
    mass = float(rng.uniform(0.3, 2.0))
    table["bodies"][name] = {"points": [f"{name}c"], "mass": mass, "com": _at(place), "inertia": 0.02 * mass}
    guide = {"type": "prismatic", "point": f"{name}c", "bodies": ["ground", name], "axis": _at(axis)}
    table["joints"][f"{name}g"] = guide


def _gear(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (pins := _pinned(table)):
        return False
    _, body, point = _pick(rng, pins)
    r1, r2 = (float(r) for r in rng.uniform(0.05, 0.3, 2))
    internal = bool(rng.random() < 0.3) and r1 > 1.2 * r2
    _wheel(table, rng, name, np.array(table["points"][point]) + (r1 - r2 if internal else r1 + r2) * _unit(rng))
    mesh = {"type": "gear", "bodies": [body, name], "points": [point, f"{name}c"], "radii": [r1, r2]}
    mesh |= {"internal": True} if internal else {}
    mesh |= {"pressure_angle": 0.35} if rng.random() < 0.5 else {}
    mesh |= {"efficiency": float(rng.uniform(0.85, 0.99))} if rng.random() < 0.4 else {}
    table["joints"][f"{name}m"] = mesh
    return True


def _rack(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (pins := _pinned(table)):
        return False
    _, body, point = _pick(rng, pins)
    e = _unit(rng)
    _slide(table, rng, name, np.array(table["points"][point]) + rng.uniform(0.05, 0.3) * np.array([-e[1], e[0]]), e)
    mesh = {"type": "rack", "bodies": [name, body], "points": [f"{name}c", point], "axis": _at(e)}
    table["joints"][f"{name}m"] = mesh
    return True


def _belt(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (pins := _pinned(table)):
        return False
    _, body, point = _pick(rng, pins)
    r = [float(x) for x in rng.uniform(0.05, 0.2, 2)]
    _wheel(table, rng, name, np.array(table["points"][point]) + (sum(r) + rng.uniform(0.1, 0.5)) * _unit(rng))
    belt = {"type": "belt", "pulleys": [body, name], "points": [point, f"{name}c"], "radii": r}
    belt |= {"crossed": [name]} if rng.random() < 0.3 else {}
    belt |= {"pretension": 500.0} if rng.random() < 0.5 else {}
    table["joints"][f"{name}m"] = belt
    return True


def _cam(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (pins := _pinned(table)):
        return False
    _, body, point = _pick(rng, pins)
    e = _unit(rng)
    base, roll, lift = (float(x) for x in (rng.uniform(0.15, 0.3), rng.uniform(0.02, 0.05), rng.uniform(0.01, 0.05)))
    _slide(table, rng, name, np.array(table["points"][point]) + (base + roll) * e, e)
    law = str(rng.choice(["cycloidal", "polynomial 3-4-5", "modified sine"]))
    cam = {"type": "cam", "bodies": [body, name], "points": [point, f"{name}c"], "follower": "roller", "radius": roll}
    cam |= {"axis": _at(e), "law": law, "angles": [1.6, 3.1, 4.7, 2.0 * math.pi], "lift": [lift, lift, 0.0, 0.0]}
    table["joints"][f"{name}m"] = cam
    return True


def _friction(table: dict[str, Any], rng: Rng, name: str) -> bool:
    every = [n for n in _of(table, "revolute", "prismatic") if "friction" not in table["joints"][n]]
    if not every:
        return False
    for n in rng.permutation(every)[: int(rng.integers(1, 4))]:
        joint = table["joints"][str(n)]
        law: dict[str, Any] = {"mu": float(rng.uniform(0.02, 0.3)), "velocity": float(10.0 ** rng.uniform(-2.5, -0.5))}
        law |= {"radius": float(rng.uniform(0.005, 0.03))} if joint["type"] == "revolute" else {"length": 0.3}
        law |= {"viscous": float(rng.uniform(0.0, 0.2))} if rng.random() < 0.3 else {}
        joint["friction"] = law
    return True


def _stop(table: dict[str, Any], rng: Rng, name: str) -> bool:
    every = [n for n in _of(table, "revolute", "prismatic") if len(table["joints"][n]["bodies"]) == 2]
    if not every:
        return False
    stop: dict[str, Any] = {"type": "stop", "joint": str(_pick(rng, every)), "upper": float(rng.uniform(0.05, 0.6))}
    stop["lower"] = -float(rng.uniform(0.05, 0.6))
    if rng.random() < 0.6:
        stop["restitution"] = float(rng.choice([0.0, rng.uniform(0.1, 0.8)]))
    else:
        stop |= {"stiffness": float(10.0 ** rng.uniform(2.0, 4.0)), "damping": float(rng.uniform(0.0, 5.0))}
    table["joints"][name] = stop
    return True


def _contact(table: dict[str, Any], rng: Rng, name: str) -> bool:
    body = str(_pick(rng, list(table["bodies"])))
    point = str(_pick(rng, table["bodies"][body]["points"]))
    below = np.array(table["points"][point]) - [0.0, rng.uniform(0.02, 0.3)]
    table["points"][f"{name}o"] = _at(below)
    law = {"restitution": float(rng.uniform(0.0, 0.7))} if rng.random() < 0.6 else {"stiffness": 3e3, "damping": 5.0}
    line = {"type": "contact", "bodies": ["ground", body], "points": [f"{name}o", point], "axis": [1.0, 0.0]}
    table["joints"][name] = line | law
    return True


def _turning(table: dict[str, Any]) -> list[str]:
    return [n for n in _of(table, "revolute") if len(table["joints"][n]["bodies"]) == 2]


def _signal(rng: Rng, size: float) -> Any:
    a, f = float(size * rng.uniform(-1.0, 1.0)), float(rng.uniform(0.5, 4.0))
    return _pick(
        rng,
        [
            a,
            {"type": "sine", "amplitude": a, "frequency": f},
            {"type": "linear", "rate": a * f},
            {"type": "step", "time": float(rng.uniform(0.05, 0.3)), "before": -a, "after": a},
            {"type": "sum", "parts": [a, {"type": "sine", "amplitude": 0.5 * a, "frequency": f}]},
            {"type": "pulse", "start": 0.1, "width": 0.1, "value": a},
        ],
    )


def _motor(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (every := _turning(table)):
        return False
    motor: dict[str, Any] = {"type": "dc_motor", "joint": _pick(rng, every), "voltage": _signal(rng, 24.0)}
    motor |= {"resistance": float(rng.uniform(0.5, 3.0)), "constant": float(rng.uniform(0.05, 0.5))}
    motor |= {"inductance": float(10.0 ** rng.uniform(-3.0, -1.0))} if rng.random() < 0.7 else {}
    motor |= {"reduction": float(rng.uniform(1.0, 5.0)), "rotor": 1e-4} if rng.random() < 0.5 else {}
    table["forces"][name] = motor
    return True


def _pid(table: dict[str, Any], rng: Rng, name: str) -> bool:
    if not (every := _turning(table)):
        return False
    joint = _pick(rng, every)
    pid: dict[str, Any] = {"type": "pid", "joint": joint, "sensor": f"{joint}.angle", "setpoint": _signal(rng, 0.5)}
    pid |= {
        "kp": float(rng.uniform(1.0, 30.0)),
        "ki": float(rng.uniform(0.0, 20.0)),
        "kd": float(rng.uniform(0.0, 2.0)),
    }
    pid |= {"filter": 0.02} if pid["kd"] else {}
    pid |= {"limits": [-12.0, 15.0]} if rng.random() < 0.5 else {}
    pid |= {"period": 0.05} if rng.random() < 0.3 else {}
    table["forces"][name] = pid
    return True


def _cylinder(table: dict[str, Any], rng: Rng, name: str) -> bool:
    body = str(_pick(rng, list(table["bodies"])))
    point = str(_pick(rng, table["bodies"][body]["points"]))
    foot = np.array(table["points"][point]) + rng.uniform(0.4, 1.0) * _unit(rng)
    table["points"][f"{name}o"] = _at(foot)
    ends = {"bodies": ["ground", body], "points": [f"{name}o", point]}
    push = {"area": 1e-3, "pressure": _signal(rng, 2e4), "damping": float(rng.uniform(0.0, 20.0))}
    table["forces"][name] = {"type": "cylinder", **ends, **push}
    return True


def _load(table: dict[str, Any], rng: Rng, name: str) -> bool:
    body = str(_pick(rng, list(table["bodies"])))
    point = str(_pick(rng, table["bodies"][body]["points"]))
    force = [_signal(rng, 10.0), float(rng.uniform(-10.0, 10.0))]
    table["forces"][name] = {"type": "load", "body": body, "point": point, "force": force}
    return True


def _event(table: dict[str, Any], rng: Rng, name: str) -> bool:
    loads = [n for n, force in table["forces"].items() if force["type"] in ("dc_motor", "torque")]
    when = f"t > {rng.uniform(0.1, 0.3):.4f}"
    if loads and rng.random() < 0.5:
        event = {"when": when, "do": "switch signal", "of": loads[0], "to": {"type": "linear", "rate": -4.0}}
    elif every := _turning(table):
        event = {"when": when, "do": "lock joint", "joint": _pick(rng, every)}
    else:
        event = {"when": when, "do": "stop"}
    table.setdefault("events", {})[name] = event
    return True


_ADD = {
    "gear": _gear,
    "rack": _rack,
    "belt": _belt,
    "cam": _cam,
    "friction": _friction,
    "stop": _stop,
    "contact": _contact,
    "motor": _motor,
    "pid": _pid,
    "cylinder": _cylinder,
    "load": _load,
    "event": _event,
}


def judged(seed: int) -> Judged:
    """Return the verdict on the mechanism of a seed."""
    mechanism, drew = drawn(seed)
    runs, words = {}, {}
    for how, way in WAYS.items():
        try:
            runs[how] = pm.simulate(mechanism, throw=False, max_steps=MOST_STEPS, **way)
            words[how] = runs[how].status.value
        except ModelError as error:
            words[how] = f"refused: {error}"

    def said(kind: str, why: str) -> Judged:
        return Judged(seed, kind, why, drew, dumps(mechanism))

    if all(word.startswith("refused") for word in words.values()):
        return said("refused", words["auto"])
    if len(runs) < len(WAYS) or len(set(words.values())) > 1:
        told = [f"{how} {words[how]} {runs[how].message if how in runs else ''}" for how in WAYS]
        return said("gave up" if "step limit" in words.values() else "differs", "; ".join(told))
    if words["auto"] != "completed":
        return said("refused", runs["auto"].message)
    for how, run in runs.items():
        off = float(np.abs(run.energy.error).max()) / max(run.energy.scale, 1e-300)
        if not off <= BALANCE:
            return said("wrong", f"{how}: energy error {off:.1e} of the energy in play")
    found = pm.validate(mechanism)
    if not found.agreed:
        return said("wrong", f"{found.verdict} {found.remark}")
    return said("agree", found.remark)


class OutOfTimeError(Exception):
    """The time limit of one case."""


def limited(seed: int, limit: float) -> Judged:
    """Return a verdict within a limit of CPU time, s."""

    def over(*_: object) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return judged(seed)
    except OutOfTimeError:
        return Judged(seed, "gave up", f"time limit of {limit:g} s", (), dumps(drawn(seed)[0]))
    except (LookupError, ModelError, SimulationError, ValueError, ArithmeticError, TypeError, KeyError) as error:
        return Judged(seed, "error", f"{type(error).__name__}: {error}", (), "")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def main() -> int:
    """Judge many mechanisms and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_elements", description=__doc__.partition("\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=1, help="how many mechanisms")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--time-limit", type=float, default=60.0, help="CPU time of one, s")
    parser.add_argument("--out", type=Path, default=Path("fuzz_failures"), help="where failing models are kept")
    given = parser.parse_args()
    counts, drew, began = Counter[str](), Counter[str](), time.process_time()
    for seed in range(given.seed, given.seed + given.number):
        found = limited(seed, given.time_limit)
        counts[found.kind] += 1
        drew.update(found.drew)
        if found.kind != "agree":
            print(f"{seed}: {found.kind}: {found.why} {found.drew}", flush=True)
        if found.kind not in ("agree", "refused"):
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / f"elements_{seed}.toml").write_text(found.text)
    print(f"{dict(counts)}; {dict(drew)}; {time.process_time() - began:.0f} s of CPU", file=sys.stderr)
    return int(any(counts[kind] for kind in ("differs", "wrong", "error")))


if __name__ == "__main__":
    raise SystemExit(main())
