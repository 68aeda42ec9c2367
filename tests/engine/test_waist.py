"""The waist holds for systems that are not of the plane: quaternions, no rows, impulses at breaks."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from particlemech.engine.system import Layout, Levels, Scale
from particlemech.run import explicit, ida
from particlemech.run.events import Event
from particlemech.run.start import Start, accelerations
from particlemech.run.trajectory import Status, struck

INERTIA = np.array([1.0, 2.0, 3.5])
JUMP = np.array([0.3, 0.0, -0.2])  # change of omega


def rates(q, v):
    """Return the rates of a quaternion (scalar first) whose body turns with v in its own axes."""
    w, u = q[0], q[1:]
    return 0.5 * np.concatenate([[-u @ v], w * v + np.cross(u, v)])


class Top:
    """A rigid body that turns freely: four coordinates, three speeds; struck at t = 1 and, an ulp later, once more."""

    formulation, mechanism, dense = "tree", None, True
    scale = Scale(1.0, 1.0, 1.0)
    n, n_q, n_v, n_row, n_lam = 8, 4, 3, 0, 0
    layout = Layout((), slice(0, 4), slice(4, 7), slice(7, 7), slice(7, 7), slice(7, 8))
    size_q, size_v = np.ones(4), np.ones(3)
    breaks, until, cuts = (1.0, math.nextafter(1.0, 2.0)), math.inf, ()
    indptr, indices = np.arange(0, 65, 8, dtype=np.int32), np.tile(np.arange(8, dtype=np.int32), 8)

    def kinematics(self, t, q, v):
        return rates(q, v)

    def levels(self, t, q, v):
        return Levels(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 3)))

    def dynamics(self, t, q, v, x):
        return np.diag(INERTIA), -np.cross(v, INERTIA * v)

    def struck(self, t, y):
        after = y.copy()
        after[4:7] += 0.5 * JUMP
        after[7] += 0.5 * (INERTIA * after[4:7]) @ after[4:7] - 0.5 * (INERTIA * y[4:7]) @ y[4:7]
        return after

    def energy(self, q, v, x):
        return 0.5 * v**2 @ INERTIA, np.zeros(len(q))

    def energies(self, t, y):
        return self.energy(y[:, :4], y[:, 4:7], y[:, 7:])

    def state(self, t, y):
        return SimpleNamespace(omega=y[4:7])

    def not_finite(self, t, y):
        return "the motion"

    def following(self, t, q, v, lam, x):
        return np.zeros(1)

    def slope(self, y):
        return np.concatenate([rates(y[:4], y[4:7]), -np.cross(y[4:7], INERTIA * y[4:7]) / INERTIA, [0.0]])

    def callbacks(self, sparse):
        def residual(t, y, yp, res):
            res[:] = yp - self.slope(y)
            return bool(np.all(np.isfinite(res)))

        def jacobian(t, y, yp, res, cj, J):
            step = 1e-7 * np.eye(8)
            full = cj * np.eye(8) - np.array([(self.slope(y + s) - self.slope(y - s)) / 2e-7 for s in step]).T
            J[:] = full.T.reshape(-1) if sparse else full

        return residual, jacobian


def begun(system):
    q, v, x = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.01, 1.0, 0.0]), np.zeros(1)
    return Start(q, v, *accelerations(system, 0.0, q, v, x), x, {})


@pytest.fixture(scope="module", params=["auto", "sparse"])
def run(request):
    system = Top()
    events = {"reversal": Event(lambda t, state: state.omega[0])}
    return ida.run(system, begun(system), np.linspace(0.0, 2.0, 21), 1e-9, request.param, events)


def test_a_body_that_turns_freely_keeps_its_energy_but_for_the_work_of_impulses(run):
    assert run.status is Status.COMPLETED
    kinetic, _ = Top().energy(run.y[:, :4], run.y[:, 4:7], run.y[:, 7:])
    assert np.allclose(kinetic - kinetic[0], run.y[:, 7], atol=1e-8)
    assert abs(run.y[-1, 7]) > 1e-3


def test_a_quaternion_stays_one(run):
    assert np.allclose(np.linalg.norm(run.y[:, :4], axis=1), 1.0, atol=1e-8)


def test_momentum_in_space_changes_by_the_impulses_alone(run):
    def in_space(y):
        w, u, h = y[0], y[1:4], INERTIA * y[4:7]
        return h + 2.0 * np.cross(u, w * h + np.cross(u, h))

    h = np.array([in_space(y) for y in run.y])
    assert np.allclose(h[:11], h[0], atol=1e-8)  # the sample at the impulse is the one before it
    assert np.allclose(h[11:], h[11], atol=1e-8)
    jump = run.y[10].copy()
    jump[4:7] = JUMP
    assert np.allclose(h[11] - h[10], in_space(jump), atol=1e-8)


def test_breaks_that_nearly_coincide_strike_all_of_them():
    y = np.zeros(8)
    assert np.allclose(struck(Top(), 1.0, 1e-12, y)[4:7], JUMP)
    assert struck(Top(), 0.5, 1e-12, y) is y


def test_the_units_of_coordinates_and_speeds_may_differ():
    one, other = Top(), Top()
    other.size_q, other.size_v = np.full(4, 1e3), np.full(3, 1e3)
    times = np.array([0.0, 0.9])
    steps = [ida.run(s, begun(s), times, 1e-9).stats["steps"] for s in (one, other)]
    assert steps[1] < 0.7 * steps[0]


def test_a_jacobian_without_zeros_is_never_sparse_by_itself(monkeypatch):
    monkeypatch.setattr(ida, "SPARSE_FROM", 1)
    times = np.array([0.0, 0.1])
    full, loose = Top(), Top()
    loose.dense = False
    assert not ida.run(full, begun(full), times, 1e-6).stats["sparse"]
    assert ida.run(loose, begun(loose), times, 1e-6).stats["sparse"]


class Flight:
    """A march of a top as if it were free of moments: coordinates stay, the work counts time; steps of 0.3 s."""

    def __init__(self, times):
        self.times, self.samples, self.t, self.steps = times, np.zeros((len(times), 8)), 0.0, 0

    def put(self, y):
        self.y = y.copy()

    def begin(self, t, stop, clamp):
        self.t, self.last = t, self.y
        return True

    def go(self, stop, most, done):
        while self.t < stop and self.steps < 100:
            first, self.t, self.last = self.t, min(self.t + 0.3, stop), self.y
            self.y = self.at(self.t, first)
            self.steps += 1
            while done < len(self.times) and self.times[done] <= self.t:
                self.samples[done] = self.at(self.times[done], first)
                done += 1
        return explicit.REACHED

    def at(self, t, first=None):
        return self.y.copy() if first is None else self.last + (t - first) * np.eye(8)[7]

    def safe(self):
        return self.t, self.y

    def certificate(self, safe=False):
        return None

    def stats(self):
        return {"steps": self.steps}


def test_a_march_goes_on_from_the_state_after_an_impulse():
    system = Top()
    system.march = lambda rtol, times: Flight(times)
    run = explicit.run(system, begun(system), np.linspace(0.0, 2.0, 21), 1e-9)
    v = np.array([0.01, 1.0, 0.0])
    assert np.array_equal(run.y[:11, 4:7], np.tile(v, (11, 1)))  # the sample at the impulse is the one before it
    assert np.allclose(run.y[11:, 4:7], v + JUMP)
    worked = 0.5 * INERTIA @ ((v + JUMP) ** 2 - v**2)
    assert np.allclose(run.y[:, 7], run.t + np.where(run.t > 1.0, worked, 0.0))
