"""Well-known robots of the package example-robot-data: they load, and accelerate as Pinocchio says.

Both packages are large and not needed otherwise: pip install pin example-robot-data.
"""

import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech.engine.recursive.equations import system
from particlemech.errors import ModelError

pytest.importorskip("lxml")

# the wheel has files only, no module to import
try:
    FILES = sorted(
        Path(f.locate()).resolve() for f in metadata.files("example-robot-data") or () if f.name.endswith(".urdf")
    )
except metadata.PackageNotFoundError:
    FILES = []
if not FILES:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

# file -> words of the message; all others load
REFUSED = {
    "ur3.urdf": "has no link",  # an empty robot
    "romeo_laas_small.urdf": "the least principal moment is -0.00",  # of a thigh that moves
}
TOLERANCE = 1e-10  # of the largest acceleration
# Not held to it: the head is a point mass on axes that nearly meet, and its spin has almost no inertia. The condition
# of the mass matrix reaches 4.8e9 (afloat 2.4e11), accelerations differ by up to 5.9e-9: compared are the efforts.
SENSITIVE = {"icub.urdf"}
STATES = 5


def names(files):
    return [f"{f.parent.parent.name}/{f.name}" for f in files]


def refusal(path, **options):
    """Return why a robot does not load; empty if it does."""
    try:
        pm.read_urdf(path, **options)
    except ModelError as error:
        return str(error)
    return ""


def test_nearly_all_load(capsys):
    refused = {path: refusal(path) for path in FILES}
    refused = {path: why for path, why in refused.items() if why}
    with capsys.disabled():
        print(f"\n{len(FILES) - len(refused)} of {len(FILES)} robots load; not: {', '.join(names(refused)) or 'none'}")
    for path, why in refused.items():
        assert path.name in REFUSED, why
        assert REFUSED[path.name] in why
        assert "\n" not in why


class Twin:
    """A robot here and in Pinocchio, at random states; a root that floats is at rest, and not turned."""

    def __init__(self, path, floats):
        pin = pytest.importorskip("pinocchio")
        self.pin, self.floats = pin, floats
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mechanism = pm.from_urdf(path, floating_base=floats)
            _, report = pm.read_urdf(path, floating_base=floats)
            root = (pin.JointModelFreeFlyer(),) if floats else ()
            model = pin.buildModelFromUrdf(str(path), *root)
        # Pinocchio lets joints that mimic others move on their own: so do both here
        coupled = [name for name, joint in mechanism.joints.items() if not joint.bodies]
        mechanism = mechanism.replaced(joints=dict.fromkeys(coupled))
        back = {new: old.split('"')[1] for old, new in report.renamed.items() if old.startswith("joint")}
        moving = {back.get(name, name): name for name, joint in mechanism.joints.items() if joint.dof}
        # what is welded here is locked there
        locked = [k for k, name in enumerate(model.names) if k and name not in moving and name != "root_joint"]
        self.model = pin.buildReducedModel(model, locked, pin.neutral(model)) if locked else model
        self.model.gravity.linear = np.array([0.0, 0.0, -9.81])
        self.system = system(mechanism)
        self.pairs = []  # (stage here, joint there)
        for k, name in enumerate(self.model.names):
            if k and name != "root_joint":
                (stage,) = self.system.compiled.stages_of[moving[name]]
                self.pairs.append((stage, self.model.joints[k]))
        self.root = list(self.system.compiled.stages_of["root"])
        assert len(self.pairs) + len(self.root) == self.model.nv == len(self.system.compiled.coordinates)

    def accelerations(self, rng):
        """Return the accelerations of both at one random state, in the order of Pinocchio, and its mass matrix."""
        q, v = self.pin.neutral(self.model), np.zeros(self.model.nv)
        y = np.zeros(self.system.n)
        if self.floats:
            y[self.system.compiled.quaternions["root"]] = 1.0
        table = self.system.compiled.tables.stage
        for stage, joint in self.pairs:
            x, rate = rng.uniform(-1.0, 1.0, 2)
            q[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
            v[joint.idx_v] = rate
            y[table[stage]["q"]] = x
            y[self.system.n_q + table[stage]["u"]] = rate
        _, slopes = self.system.slopes(0.0, y)
        found = slopes[self.system.n_q : -1]
        stages = [*self.root, *(s for s, _ in sorted(self.pairs, key=lambda pair: pair[1].idx_v))]
        here = found[[table[s]["u"] for s in stages]]
        there = self.pin.aba(self.model, self.model.createData(), q, v, -np.asarray(self.model.damping) * v)
        upper = np.triu(self.pin.crba(self.model, self.model.createData(), q))
        return here, there, upper + np.triu(upper, 1).T


@pytest.mark.parametrize("floats", [False, True], ids=["fixed", "afloat"])
@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_a_robot_accelerates_as_in_pinocchio(path, floats):
    if refusal(path, floating_base=floats):
        assert path.name in REFUSED
        pytest.skip("does not load")
    twin = Twin(path, floats)
    if not twin.model.nv:
        pytest.skip("nothing moves")
    rng = np.random.default_rng(7)
    worst = needed = condition = 0.0
    for _ in range(STATES):
        here, there, M = twin.accelerations(rng)
        worst = max(worst, np.abs(here - there).max() / (np.abs(there).max() or 1.0))
        needed = max(needed, np.abs(M @ (here - there)).max() / ((np.abs(M) @ np.abs(there)).max() or 1.0))
        condition = max(condition, np.linalg.cond(M))
    base = "afloat" if floats else "fixed"
    print(f"{path.name}, {base}: {twin.model.nv} speeds, {worst:.1e}, {needed:.1e}, {condition:.1e}")  # pytest -s
    assert (needed if path.name in SENSITIVE else worst) < TOLERANCE
