"""URDF robots as trees: dynamics by a second method in the frames of the file, and what reports and errors say."""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import space
from particlemech.cli import main
from particlemech.engine.recursive.equations import system
from particlemech.errors import ModelError
from particlemech.model import inertia as tensors
from particlemech.model import toml
from tests.support.urdf_robots import Base, about, efforts, humanoid, parts, placed

DATA = Path(__file__).parents[1] / "data"
STATES = 100
GRAVITY = np.array([0.3, -0.7, -9.81])


class Case:
    """A robot as text and as tree, and random states of both."""

    def __init__(self, path, floats):
        self.robot = parts(path.read_text(encoding="utf-8"))
        self.mechanism, self.report = pm.read_urdf(path, floating_base=floats, gravity=tuple(GRAVITY))
        self.system = system(self.mechanism)
        self.floats = floats
        stages_of = self.system.compiled.stages_of
        moving = [p.joint for p in self.robot if p.joint and p.kind != "fixed"]
        self.stage = {joint: stages_of[joint].start for joint in moving}
        rng = np.random.default_rng(5)
        self.x, self.x_dot, self.x_ddot = rng.uniform(-2.0, 2.0, (3, STATES, len(self.system.compiled.coordinates)))
        self.y = np.zeros((STATES, self.system.n))
        for e, stage in enumerate(self.system.compiled.tables.stage):
            if stage["q"] >= 0:
                self.y[:, stage["q"]] = self.x[:, e]
            self.y[:, self.system.n_q + stage["u"]] = self.x_dot[:, e]
        if floats:
            quaternions = rng.normal(size=(STATES, 4))
            self.quaternions = quaternions / np.linalg.norm(quaternions, axis=1)[:, None]
            at = self.system.compiled.quaternions["root"]
            self.y[:, at : at + 4] = self.quaternions

    def of(self, numbers):
        """Return numbers of one state by joint."""
        return {joint: numbers[e] for joint, e in self.stage.items()}

    def base(self, k):
        if not self.floats:
            return Base(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        w, *xyz = self.quaternions[k]
        half = np.linalg.norm(xyz)
        root = self.system.compiled.stages_of["root"]
        move, turn = root[:3], root[3:]
        return Base(
            about(xyz / half, 2.0 * np.arctan2(half, w)),
            self.x_dot[k, turn],
            self.x_ddot[k, turn],
            self.x_ddot[k, move],
        )

    def expected(self, k):
        """Return forces along all stages by the second method."""
        states = (self.of(u[k]) for u in (self.x, self.x_dot, self.x_ddot))
        along, force, moment = efforts(self.robot, *states, GRAVITY, self.base(k))
        found = np.zeros(len(self.system.compiled.coordinates))
        for joint, e in self.stage.items():
            found[e] = along[joint]
        if self.floats:
            found[list(self.system.compiled.stages_of["root"])] = [*force, *moment]
        return found

    def forces(self):
        """Return forces along all stages by the tree, at all states."""
        seen = self.system.observed(np.zeros(STATES), self.y, self.x_ddot)
        joints = [j for j, stages in self.system.compiled.stages_of.items() if len(stages)]
        found = np.hstack([seen.generalised_force(j).reshape(STATES, -1) for j in joints])
        if self.floats:  # the moment itself, not its parts about the axes of the angles
            child = self.mechanism.joints["root"].second
            found[:, self.system.compiled.stages_of["root"][-3:]] = seen.transmitted("root", on=child).moment
        return found


@pytest.fixture(scope="module", params=["arm", "arm afloat", "humanoid", "humanoid afloat"])
def case(request, tmp_path_factory):
    if request.param.startswith("arm"):
        path = DATA / "arm.urdf"
    else:
        path = tmp_path_factory.mktemp("urdf") / "humanoid.urdf"
        path.write_text(humanoid(), encoding="utf-8")
    return Case(path, request.param.endswith("afloat"))


def test_the_arm_has_six_joints_that_move_and_the_humanoid_thirty_six(case):
    root = 6 if case.floats else 0
    assert len(case.system.compiled.coordinates) - root == (6 if "turret" in case.mechanism.bodies else 36)


def test_inverse_dynamics_agrees_with_newton_euler_in_the_frames_of_the_links(case):
    expected = np.array([case.expected(k) for k in range(STATES)])
    error = np.abs(case.forces() - expected).max(axis=0) / np.abs(expected).max(axis=0)
    assert error.max() < 1e-10


def test_the_motion_that_inverse_dynamics_was_asked_for_comes_out_of_its_forces(case):
    names = [(c.joint, c.name) for c in case.system.compiled.coordinates]
    needed = case.forces()
    for k in range(0, STATES, 25):
        # what acts in all includes the dampers of the file, so they are taken out
        motors = {
            f"m{e}": space.forces.Motor(joint=joint, coordinate=name, effort=needed[k, e])
            for e, (joint, name) in enumerate(names)
            if not (joint == "root" and name.startswith("angle"))
        }
        if case.floats:
            motors["moment"] = space.forces.Motor(joint="root", moment=needed[k, 3:6])
        dampers = dict.fromkeys(case.mechanism.forces)
        pushed = system(case.mechanism.replaced(forces=dampers).replaced(forces=motors))
        _, slopes = pushed.slopes(0.0, case.y[k])
        found = slopes[pushed.n_q : -1]
        assert np.abs(found - case.x_ddot[k]).max() < 1e-8


def test_the_mass_matrix_is_symmetric_and_positive_definite(case):
    for y in case.y[::10]:
        A, _ = case.system.dynamics(0.0, y[: case.system.n_q], y[case.system.n_q : -1], np.zeros(1))
        assert np.abs(A - A.T).max() < 1e-12 * np.abs(A).max()
        assert np.linalg.eigvalsh(A).min() > 0.0


def test_no_mass_is_lost(case):
    assert sum(b.mass for b in case.mechanism.bodies.values()) == pytest.approx(sum(p.mass for p in case.robot))


def test_the_frames_of_the_file_can_be_followed(case):
    seen = case.system.observed(np.zeros(STATES), case.y)
    k = 3
    root = case.base(k).R
    at = seen.place("root")[k]
    for part in case.robot:
        R, r = placed(case.robot, case.of(case.x[k]))[part.link]
        axes = seen.orientation(part.link)[k] @ case.report.frames[part.link].rotation
        assert np.abs(axes - root @ R).max() < 1e-12
        assert np.abs(seen.place(part.joint or "root")[k] - at - root @ r).max() < 1e-12


def test_dampers_of_the_file_act_in_the_joints():
    case = Case(DATA / "arm.urdf", False)
    assert {f.joint: f.damping for f in case.mechanism.forces.values()} == {"turn": 2.5, "shoulder": 1.25}


def test_a_robot_survives_a_model_file(case):
    assert toml.loads(toml.dumps(case.mechanism)) == case.mechanism


# -- reports -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gadget():
    return pm.read_urdf(DATA / "gadget.urdf")


def test_everything_that_is_not_modelled_is_listed(gadget):
    found = {(f.what, f.part) for f in gadget[1].not_modelled}
    assert found == {
        ("contact", 'link "cart"'),
        ("damping", 'joint "drive"'),
        ("effort", 'joint "jaw.left"'),
        ("velocity", 'joint "jaw.left"'),
        ("friction", 'joint "jaw.left"'),
        ("safety_controller", 'joint "jaw.left"'),
        ("calibration", 'joint "jaw.left"'),
        ("loop_joint", 'joint "gauge"'),
        ("transmission", "the robot (line 68)"),
        ("gazebo", "the robot (line 69)"),
    }
    assert gadget[1].shapes == 2


def test_a_joint_that_mimics_another_is_coupled_to_it(gadget):
    coupling = space.joints.Coupling(joints=("jaw_left_joint", "follow"), ratio=1.0)
    assert gadget[0].joints["follow_mimic"] == coupling


def test_a_mimic_joint_with_an_offset_moves_freely_and_is_reported(tmp_path):
    told = (DATA / "gadget.urdf").read_text().replace('<mimic joint="jaw.left"', '<mimic offset="0.1" joint="jaw.left"')
    mechanism, report = pm.read_urdf(written(tmp_path, told))
    assert "follow_mimic" not in mechanism.joints
    assert 'not modelled: joint "follow": mimic (joint="jaw.left" multiplier="1" offset="0.1"): the joint' in str(
        report
    )


def test_names_that_cannot_stay_are_changed_and_reported(gadget):
    mechanism, report = gadget
    assert report.renamed == {
        'link "ground"': "ground_link",
        'link "jaw.left"': "jaw_left",
        'link "jaw,right"': "jaw_right",
        'joint "ball"': "ball_joint",
        'joint "jaw.left"': "jaw_left_joint",
    }
    assert mechanism.joints["jaw_left_joint"].bodies == ("cart", "jaw_left")
    assert mechanism.forces["jaw_left_joint_damping"].damping == 0.5
    assert 'renamed: link "jaw.left" -> "jaw_left"' in str(report)


def test_a_planar_joint_is_two_prismatic_joints_and_a_revolute(gadget):
    joints = gadget[0].joints
    kinds = [(name, type(joints[name]).__name__, joints[name].bodies) for name in joints if name.startswith("drive")]
    assert kinds == [
        ("drive_x", "Prismatic", ("ground_link", "drive_x_frame")),
        ("drive_y", "Prismatic", ("drive_x_frame", "drive_y_frame")),
        ("drive_turn", "Revolute", ("drive_y_frame", "cart")),
    ]
    # the frame of the joint is a quarter turn about z away from the global one
    axes = [joints[name].axis for name, *_ in kinds]
    assert np.allclose(axes, [(0, 1, 0), (-1, 0, 0), (0, 0, 1)], atol=1e-15)


def test_a_floating_joint_is_free_and_the_root_is_fixed_unless_it_floats(gadget):
    assert type(gadget[0].joints["ball_joint"]) is space.joints.Free
    assert type(gadget[0].joints["root"]) is space.joints.Weld
    afloat, _ = pm.read_urdf(DATA / "gadget.urdf", floating_base=True)
    assert type(afloat.joints["root"]) is space.joints.Free


def test_what_is_welded_and_the_rest_have_one_warning_each():
    with pytest.warns(UserWarning) as caught:
        mechanism = pm.from_urdf(DATA / "gadget.urdf")
    assert mechanism == pm.read_urdf(DATA / "gadget.urdf")[0]
    welded, rest = [str(w.message) for w in caught]
    assert not any("\n" in str(w.message) for w in caught)
    assert 'joint "gauge": nothing beyond it resists its motion, so it is welded at zero and link "needle"' in welded
    assert 'renamed: link "ground" -> "ground_link"' in rest


def test_bounds_of_the_file_are_kept_by_joint(gadget):
    assert gadget[1].limits == {"jaw_left_joint": (0.0, 0.05, 20.0, 0.1)}
    assert gadget[0].joints["jaw_left_joint"].limits == (0.0, 0.05)


def test_a_bound_that_is_no_number_is_no_bound(tmp_path):
    bounded = GOOD.replace("<axis", '<limit lower="-inf" upper="a" velocity="2"/><axis')
    assert pm.read_urdf(written(tmp_path, bounded))[1].limits == {"j": (None, None, None, 2.0)}


def test_a_base_that_floats_without_mass_is_reported(tmp_path):
    _, report = pm.read_urdf(written(tmp_path, GOOD), floating_base=True)
    assert report.summary == 'not modelled: motion without mass of joint "root"'


def test_nothing_is_said_of_a_robot_that_is_modelled_as_it_stands(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pm.from_urdf(written(tmp_path, GOOD))


def test_many_findings_of_one_sort_are_counted():
    _, report = pm.read_urdf(DATA / "arm.urdf")
    some = 'joint "shoulder", joint "elbow", joint "roll" and 2 more'
    assert report.summary == f"not modelled: effort of {some}; velocity of {some}"


# -- what cannot be used -------------------------------------------------------------------------------------------

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
GOOD = (
    f'<robot name="r"><link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>'
)
BROKEN = {  # what is wrong -> what is replaced, by what, words of the message
    "no closing tag": ("</robot>", "", "not well-formed XML"),
    "an unknown entity": ('name="r"', 'name="&r;"', "Entity 'r' not defined"),
    "another format": ("robot", "sdf", "outermost tag is <sdf>"),
    "macros": ("<link name=\"a\"/>", '<x:macro xmlns:x="http://www.ros.org/wiki/xacro"/>', "<xacro:macro> is a macro"),
    "no links": (GOOD, "<robot/>", "has no link"),
    "an unknown parent": ('parent link="b"', 'parent link="bb"', 'joint "k": parent link "bb" unknown'),
    "an unknown child": ('child link="c"', 'child link="d"', 'joint "k": child link "d" unknown'),
    "two roots": ('type="fixed"><parent link="b"/>', 'type="fixed"><parent link="c"/>', '"c" hang on each other'),
    "a link alone": ("</robot>", '<link name="d"/></robot>', 'links "a", "d" have no parent'),
    "a circle of all": ("</robot>", '<joint name="l" type="fixed"><parent link="c"/><child link="a"/></joint></robot>',
                        'links "b", "c", "a" hang on each other in a circle'),
    "two parents": ("</robot>", '<joint name="l" type="fixed"><parent link="a"/><child link="c"/></joint></robot>',
                    'link "c": joints "k" and "l" both lead to it'),
    "a link twice": ('name="c"', 'name="b"', 'two links "b"'),
    "a joint twice": ('name="k"', 'name="j"', 'two joints "j"'),
    "no name": ('<link name="a"/>', "<link/>", "a link has no name"),
    "an unknown type": ('"revolute"', '"revolut"', 'type "revolut" unknown (did you mean "revolute"?)'),
    "no type": (' type="revolute"', "", 'joint "j": <joint> has no attribute type'),
    "no parent": ('<parent link="b"/>', "", 'joint "k": <joint> has no <parent>'),
    "no child's name": ('<child link="c"/>', "<child/>", 'joint "k": <child> has no attribute link'),
    "an axis of zero": ("0 0 1", "0 0 0", 'joint "j": <axis> xyz: a direction must not be'),
    "two numbers of three": ("0 0 1", "0 1", 'joint "j": <axis> xyz: expected three numbers'),
    "commas": ("0 0 1", "0,0,1", "numbers have a point and spaces between them"),
    "no number": ("0 0 1", "0 0 nan", "expected a finite number"),
    "a quaternion": ("<axis", '<origin quat_xyzw="0 0 0 1"/><axis', "gives a quaternion"),
    "negative damping": ("<axis", '<dynamics damping="-1"/><axis', 'joint "j": key "damping": must not be negative'),
    "no mass": ('<mass value="1"/>', "", 'link "b": <inertial> has no <mass>'),
    "a negative mass": ('value="1"', 'value="-1"', 'link "b": key "mass": must not be negative'),
    "half an inertia": ('izz="1"', "", 'link "b": <inertia> has no attribute izz'),
    "a negative moment": ('izz="1"', 'izz="-1"', 'link "b": the least principal moment is -2 kg m^2, which no body'),
    "two inertias": (BODY, BODY + BODY, 'link "b": has two <inertial>'),
}  # fmt: skip


def written(folder, text):
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def message_of(path):
    with pytest.raises(ModelError) as caught:
        pm.read_urdf(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text


def test_the_file_that_is_broken_below_is_good(tmp_path):
    mechanism, report = pm.read_urdf(written(tmp_path, GOOD))
    assert list(mechanism.bodies) == ["a", "b", "c"]
    assert report.summary == ""


def test_a_namespace_of_all_tags_does_not_matter(tmp_path):
    plain, _ = pm.read_urdf(written(tmp_path, GOOD))
    spaced, report = pm.read_urdf(written(tmp_path, GOOD.replace("<robot", '<robot xmlns="http://www.ros.org"')))
    assert spaced == plain
    assert report.summary == ""


@pytest.mark.parametrize("what", BROKEN)
def test_a_robot_that_cannot_be_used_is_named_in_one_line(tmp_path, what):
    old, new, words = BROKEN[what]
    assert old in GOOD
    assert words in message_of(written(tmp_path, GOOD.replace(old, new)))


def test_a_file_that_is_not_there_is_named(tmp_path):
    assert "cannot be read" in message_of(tmp_path / "nothing.urdf")
    assert "cannot be read" in message_of(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_never_expanded(tmp_path, encoding):
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 40))
    bomb = f'<!DOCTYPE robot [<!ENTITY e0 "boom">{entities}]>' + GOOD.replace('"r"', '"&e39;"')
    path = tmp_path / "robot.urdf"
    path.write_text(bomb, encoding=encoding)
    start = time.perf_counter()
    assert "declares a document type" in message_of(path)
    assert time.perf_counter() - start < 1.0


def test_no_other_file_is_read(tmp_path):
    secret = written(tmp_path, "secret")
    path = tmp_path / "thief.urdf"
    path.write_text(f'<!DOCTYPE robot [<!ENTITY s SYSTEM "{secret.as_uri()}">]>' + GOOD, encoding="utf-8")
    assert "declares a document type" in message_of(path)


def test_a_long_chain_of_links_is_no_burden(tmp_path):
    n = 3000
    links = "".join(f'<link name="l{k}">{BODY}</link>' for k in range(n))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k - 1}"/><child link="l{k}"/></joint>' for k in range(1, n)
    )
    mechanism, _ = pm.read_urdf(written(tmp_path, f"<robot>{links}{joints}</robot>"))
    assert len(mechanism.bodies) == n
    assert mechanism.name == "robot"


def test_without_lxml_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    assert 'pip install "particlemech[urdf]"' in message_of(written(tmp_path, GOOD))


# -- faults that other readers accept --------------------------------------------------------------------------------


def link(name, mass=0.0, moments=(0.0, 0.0, 0.0), at="0 0 0"):
    inertia = " ".join(f'{k}="{x}"' for k, x in zip(("ixx", "iyy", "izz"), moments, strict=True))
    inertial = f'<inertial><origin xyz="{at}"/><mass value="{mass}"/><inertia {inertia}/></inertial>'
    return f'<link name="{name}">{inertial if mass or any(moments) else ""}</link>'


def joint(name, kind, parent, child, axis="0 0 1", more=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
        f"{more}</joint>"
    )


def robot(folder, *parts, **options):
    return pm.read_urdf(written(folder, f"<robot>{''.join(parts)}</robot>"), **options)


REAL = (1.0, 1.0, 1.0)
ARM = (link("base"), link("arm", 1.0, REAL), joint("turn", "revolute", "base", "arm"))


def test_a_link_without_mass_on_a_fixed_joint_is_a_frame_on_its_parent(tmp_path):
    mechanism, report = robot(tmp_path, *ARM, link("eye"), joint("gaze", "fixed", "arm", "eye", axis="0 0 0"))
    assert type(mechanism.joints["gaze"]) is space.joints.Weld
    assert "eye" in report.frames
    assert report.changed == ()


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "floating", "planar"])
def test_a_joint_with_nothing_heavy_behind_it_is_welded_and_told_once(tmp_path, kind):
    damper = '<dynamics damping="2"/>'
    mechanism, report = robot(tmp_path, *ARM, link("tip"), joint("spin", kind, "arm", "tip", more=damper))
    assert [name for name, j in mechanism.joints.items() if j.dof] == ["turn"]
    assert mechanism.forces == {}
    (told,) = report.changed
    assert told.startswith('joint "spin": nothing beyond it resists its motion, so it is welded at zero and link "tip"')
    assert 'fixed to link "arm"' in told


def test_a_chain_of_links_without_mass_is_welded_joint_by_joint(tmp_path):
    parts = (link("a"), link("b"), joint("one", "revolute", "arm", "a"), joint("two", "prismatic", "a", "b"))
    mechanism, report = robot(tmp_path, *ARM, *parts)
    assert [name for name, j in mechanism.joints.items() if j.dof] == ["turn"]
    assert [told.split(":")[0] for told in report.changed] == ['joint "one"', 'joint "two"']


def test_a_point_mass_on_the_axis_of_a_revolute_does_not_resist_it_and_one_beside_it_does(tmp_path):
    for at, moving in (("0 0 0.3", ["turn"]), ("0.1 0 0.3", ["turn", "spin"])):
        tip = (link("tip", 1.0, at=at), joint("spin", "revolute", "arm", "tip"))
        mechanism, _ = robot(tmp_path, *ARM, *tip)
        assert [name for name, j in mechanism.joints.items() if j.dof] == moving


def test_links_without_mass_between_heavy_ones_move_as_a_universal_joint_does(tmp_path):
    """Against the joint that has both axes at once, from the same state."""
    hand = link("hand", 1.5, (0.02, 0.03, 0.04), at="0.1 0.2 0.3")
    pair = joint("first", "revolute", "arm", "cross", "1 0 0"), joint("second", "revolute", "cross", "hand", "0 1 0")
    mechanism, report = robot(tmp_path, *ARM, link("cross"), hand, *pair)
    assert report.changed == ()
    one = space.joints.Universal(bodies=("arm", "hand"), point=(0, 0, 0), axes=((1, 0, 0), (0, 1, 0)))
    whole = space.Mechanism(
        gravity=mechanism.gravity,
        bodies={name: mechanism.bodies[name] for name in ("base", "arm", "hand")},
        joints={"root": mechanism.joints["root"], "turn": mechanism.joints["turn"], "both": one},
    )
    y = np.array([0.3, 0.5, -0.4, 1.0, -2.0, 0.7, 0.0])
    found, expected = (system(m).slopes(0.0, y)[1] for m in (mechanism, whole))
    assert np.abs(found - expected).max() < 1e-12


@pytest.mark.parametrize(("mass", "moments"), [(1.0, (1.0, 1.0, 3.0)), (1.0, (0.0, 0.0, 1.0)), (0.0, (1.0, 1.0, 1.0))])
def test_an_inertia_that_no_body_has_is_kept_and_told(tmp_path, mass, moments):
    tip = (link("tip", mass, moments), joint("spin", "revolute", "arm", "tip"))
    mechanism, report = robot(tmp_path, *ARM, *tip)
    assert tensors.tensor(mechanism.bodies["tip"].inertia)[:3] == moments
    (told,) = report.changed
    assert told.startswith('link "tip": ')
    assert "which no body has; kept as it stands" in told
    assert toml.loads(toml.dumps(mechanism)) == mechanism


def test_moments_that_rounding_made_negative_are_zero_without_a_word(tmp_path):
    tip = (link("tip", 0.5, (-5e-20, -5e-20, 0.0), at="0.1 0 0"), joint("spin", "revolute", "arm", "tip"))
    mechanism, report = robot(tmp_path, *ARM, *tip)
    assert tensors.tensor(mechanism.bodies["tip"].inertia) == (0.0,) * 6
    assert report.changed == ()


def test_a_negative_moment_goes_to_what_the_link_is_welded_to(tmp_path):
    for first, second, word in (("arm", "fin", "to which it is"), ("fin", "arm", "which is")):
        parts = (link("base"), link("arm", 1.0, REAL), link("fin", 0.1, (-0.1, 0.2, 0.2), at="1 0 0"))
        hung = (joint("turn", "revolute", "base", first), joint("weld", "fixed", first, second))
        mechanism, report = robot(tmp_path, *parts, *hung)
        assert mechanism.bodies[first].mass == pytest.approx(1.1)
        # about the common centre: 0.1 m * 1 / 1.1 away; both tensors and the reduced mass 0.1 / 1.1 across x
        assert mechanism.bodies[first].inertia[:3] == pytest.approx((0.9, 1.2 + 0.1 / 1.1, 1.2 + 0.1 / 1.1))
        assert mechanism.bodies[second].mass == 0.0
        (told,) = report.changed
        assert told.startswith('link "fin": the least principal moment is -0.1 kg m^2, which no body has; lumped with')
        assert word in told


def test_a_negative_moment_does_not_matter_where_nothing_moves_and_is_refused_where_it_does(tmp_path):
    parts = link("base", 1.0, (-1.0, 1.0, 1.0)), link("arm", 1.0, REAL), joint("turn", "revolute", "base", "arm")
    _, report = robot(tmp_path, *parts)
    assert report.changed[0].endswith("taken as 0, for the link is fixed to the ground")
    with pytest.raises(ModelError, match='link "base": the least principal moment is -1 kg m'):
        robot(tmp_path, *parts, floating_base=True)


def test_load_and_the_commands_take_a_robot(tmp_path, capsys):
    path = written(tmp_path, GOOD)
    assert pm.load(path) == pm.from_urdf(path)
    for words in (["check"], ["run", "--duration", "0.01"], ["view", "--still", "-o", str(tmp_path / "page.html")]):
        assert main.main([words[0], str(path), *words[1:]]) == 0, words


def test_commands_say_in_one_line_what_is_wrong_with_a_robot(tmp_path, capsys):
    for path in (tmp_path / "nothing.urdf", written(tmp_path, "<robot/>")):
        assert main.main(["run", str(path)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"particlemech: {path}: ")
