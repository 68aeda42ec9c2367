"""Pictures show what the result says: outlines where the bodies are, paths as computed, units on the axes."""

import builtins
import math

import matplotlib
import numpy as np
import pytest
from problems import PLANAR, TREES

import particlemech as pm
from particlemech import tree, view
from particlemech.view import sketch
from particlemech.view.skeleton import faces, skeleton

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle, Polygon


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def turning():
    return pm.simulate(pm.models.load("quick_return"), duration=1.0, samples=41, rtol=1e-6)


def bodies(ax):
    return [p for p in ax.patches if isinstance(p, Polygon) and p.get_gid()]


def inside(polygon, place):
    return polygon.get_path().contains_point(place)


@pytest.mark.parametrize("name", PLANAR)
def test_every_planar_model_is_drawn_with_its_points_inside_its_bodies(name):
    m = pm.models.load(name)
    figure = view.mechanism(m)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert [p.get_gid() for p in bodies(ax)] == sorted(m.bodies, key=lambda b: -len(m.bodies[b].points))
    for shape in bodies(ax):
        assert all(inside(shape, m.points[p]) for p in m.bodies[shape.get_gid()].points)
    pins = {tuple(c.get_center()) for c in ax.patches if isinstance(c, Circle)}
    assert pins == {m.points[j.point] for j in m.joints.values() if isinstance(j, pm.joints.Revolute)}


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
def test_sizes_follow_the_mechanism(factor):
    m = pm.models.load("four_bar")
    scaled = m.replaced(points={name: (factor * x, factor * y) for name, (x, y) in m.points.items()})
    assert sketch.radius(scaled) == pytest.approx(factor * sketch.radius(m))
    low, high = np.array([view.mechanism(x).axes[0].get_xlim() for x in (m, scaled)])
    assert high == pytest.approx(factor * low)


def test_rods_stay_thin_against_their_own_length_in_a_long_row():
    assert sketch.radius(pm.models.n_four_bar(40)) <= 0.1


def test_axes_are_equal_and_carry_units():
    (ax,) = view.mechanism(pm.models.load("four_bar")).axes
    assert ax.get_aspect() == 1.0
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x [m]", "y [m]", "Four-bar linkage")


def test_a_motion_shows_the_computed_paths_and_the_last_pose_in_full(turning):
    (ax,) = view.motion(turning, points=["C", "A"], ghosts=3).axes
    paths = {line.get_label(): line.get_xydata() for line in ax.lines if line.get_label().startswith("path")}
    assert list(paths) == ["path of C", "path of A"]
    assert np.array_equal(paths["path of A"], turning["A"])
    full = [p for p in bodies(ax) if p.get_alpha() is None]
    ghosts = [p for p in bodies(ax) if p.get_alpha() is not None]
    assert (len(full), len(ghosts)) == (4, 12)
    lever = next(p for p in full if p.get_gid() == "lever")
    assert inside(lever, turning["B"][-1]) and inside(lever, turning["L"][-1])


def test_a_motion_without_points_shows_the_longest_path(turning):
    (ax,) = view.motion(turning).axes
    longest = max(turning.system.layout.points, key=lambda p: sketch.length_of(turning[p]))
    assert [line.get_label() for line in ax.lines if line.get_label().startswith("path")] == [f"path of {longest}"]


def test_a_motion_is_drawn_into_given_axes(turning):
    figure, (left, right) = plt.subplots(1, 2)
    assert view.motion(turning, ax=right) is figure
    assert right.patches and not left.patches


def test_both_formulations_are_drawn_alike():
    m = pm.models.load("slider_crank")
    results = [pm.simulate(m, duration=0.2, samples=5, formulation=f) for f in ("planar", "absolute")]
    shapes = [bodies(view.motion(result, points=["B"], ghosts=1).axes[0]) for result in results]
    for a, b in zip(*shapes, strict=True):
        assert np.allclose(a.get_xy().mean(axis=0), b.get_xy().mean(axis=0), atol=1e-6)


def test_a_place_on_a_body_is_carried_along(turning):
    # the slot is cut into the lever, so the crank pin stays on its line
    for pose in sketch.poses(turning, range(0, 41, 5)):
        foot, along = pose.place("lever", (0.0, 0.0)), pose.turned("lever", (0.0, 1.0))
        x, y = pose.point["A"] - foot
        assert abs(x * along[1] - y * along[0]) < 1e-8


def test_a_body_that_the_assembly_turned_is_drawn_where_it_is():
    m = pm.models.load("four_bar").replaced(bodies={"coupler": {"length": 0.34}})
    pose = sketch.poses(pm.simulate(m, duration=0.01, samples=3), [0])[0]
    assert pose.place("rocker", m.points["B"]) == pytest.approx(pose.point["B"], abs=1e-8)


def test_springs_run_between_their_ends_and_the_ground_holds_them():
    m = pm.models.load("andrews_squeezer")
    (coil,) = sketch.springs(sketch.drawn(m), 1e-3)
    assert tuple(coil[0]) == m.points["C"] and coil[-1] == pytest.approx(m.points["D"])
    assert set(sketch.anchors(m)) == {m.points[p] for p in "OABC"}


def test_the_hull_of_discs_has_the_area_of_a_capsule():
    x, y = sketch.rounded([np.array([0.0, 0.0]), np.array([3.0, 0.0])], 0.5).T
    area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    n = len(sketch.ROUND)
    assert area == pytest.approx(3.0 + 0.25 * 0.5 * n * math.sin(2.0 * math.pi / n))


def test_series_shows_columns_in_one_panel_per_unit(turning):
    figure = view.series(turning, ["C.x", "ram.x", "motor.effort", "lever.omega"])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position [m]", "moment [N m]", "angular velocity [rad/s]"]
    drawn = {line.get_label(): line.get_ydata() for ax in figure.axes for line in ax.lines}
    assert np.array_equal(drawn["motor.effort"], turning.effort("motor"))
    assert np.array_equal(drawn["C.x"], turning["C"][:, 0])
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_every_column_of_a_result_has_a_unit(turning):
    figure = view.series(turning, [name for name in turning.columns() if name != "t"])
    assert all("[" in ax.get_ylabel() for ax in figure.axes)


def test_a_name_without_its_last_letter_stands_for_all_components(turning):
    (ax,) = view.series(turning, ["C"]).axes
    assert [line.get_label() for line in ax.lines] == ["C.x", "C.y"]


def test_an_unknown_column_or_point_is_named_with_the_nearest_one(turning):
    with pytest.raises(pm.ModelError, match=r'column "C\.z" unknown'):
        view.series(turning, ["C.z"])
    with pytest.raises(pm.ModelError, match="no column to draw"):
        view.series(turning, [])
    with pytest.raises(pm.ModelError, match='point "Q" unknown'):
        view.motion(turning, points=["Q"])


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_figure_is_saved_where_a_path_is_given(tmp_path, suffix):
    path = tmp_path / f"drawing.{suffix}"
    view.display(view.mechanism(pm.models.load("pendulum")), path)
    assert path.stat().st_size > 1000


def test_without_a_screen_the_cure_is_to_name_a_file():
    with pytest.raises(pm.ModelError, match="name of a file"):
        view.display(view.mechanism(pm.models.load("pendulum")))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    original = builtins.__import__

    def missing(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(pm.ModelError, match=r"particlemech\[view\]"):
        view.mechanism(pm.models.load("pendulum"))


# -- trees in space ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def falling():
    return pm.simulate(pm.models.load("human_fall"), samples=41)


def solid_bodies(ax):
    return {collection.get_gid() for collection in ax.collections}


@pytest.mark.parametrize("name", TREES)
def test_every_tree_is_drawn_with_equal_axes_in_its_unit_of_length(name):
    m = pm.models.load(name)
    figure = view.mechanism(m)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert ax.get_title() == m.name
    assert {ax.get_xlabel(), ax.get_zlabel()} == {f"{axis} [{m.unit.length}]" for axis in "xz"}
    spans = np.array([np.ptp(getattr(ax, f"get_{axis}lim")()) for axis in "xyz"])
    assert spans / spans.max() == pytest.approx(ax._box_aspect / ax._box_aspect.max(), rel=1e-9)
    assert solid_bodies(ax) == {b for b, body in m.bodies.items() if faces(body)}


def test_a_tree_is_drawn_where_its_coordinates_start():
    m = pm.models.load("space_manipulator")
    (ax,) = view.mechanism(m).axes
    lines = [np.array(line.get_data_3d()).T for line in ax.lines]
    places = np.vstack([line for line in lines if line.shape == (2, 3)])
    for hand in ((0.0, 72.0, -6.0), (36.0, 0.0, -42.0)):
        assert np.abs(places - hand).max(axis=1).min() < 1e-9


def test_a_cube_a_rod_and_a_disk_are_shown_as_what_they_are():
    cube, rod, disk = (pm.models.load("space_manipulator").bodies[b] for b in ("main", "upper1", "disk1"))
    assert np.ptp(np.vstack(faces(cube)), axis=0) == pytest.approx((12.0, 12.0, 12.0))
    assert faces(rod) == []
    (ring,) = faces(disk)
    assert np.linalg.norm(ring - disk.com, axis=1) == pytest.approx(math.sqrt(8.0))  # in; m R^2/2 = 1 slug in^2
    assert np.ptp(ring[:, 2]) == pytest.approx(0.0, abs=1e-12)


def test_the_motion_of_a_tree_shows_computed_paths_ghosts_and_the_last_pose(falling):
    (ax,) = view.motion(falling, points=["left_hand"], ghosts=2).axes
    (path,) = [line for line in ax.lines if line.get_label() == "path of left_hand"]
    assert np.array_equal(np.array(path.get_data_3d()).T, falling["left_hand"])
    ghosts = [line for line in ax.lines if line.get_alpha() is not None]
    full = [line for line in ax.lines if line.get_color() == view.plot.INK and line.get_linestyle() == "-"]
    assert len(ghosts) == 2 * (len(full) - len(ghosts)) > 0


def test_stills_stand_side_by_side_with_the_fall_taken_out(falling):
    (ax,) = view.stills(falling, [0.0, 1.0, 2.0], step=(0.0, 2.0, 0.0)).axes
    assert ax.get_title() == "Falling figure at 0, 1, 2 s"
    heads = [np.vstack(skeleton(falling, k).bones[1].faces).mean(axis=0) for k in (0, 20, 40)]
    assert heads[2][2] < heads[0][2] - 19.0
    assert np.ptp(ax.get_zlim()) < 2.5


def test_joints_of_a_skeleton_lie_on_both_of_their_bodies(falling):
    drawn = skeleton(falling, 17)
    bones = {bone.body: bone.lines for bone in drawn.bones}
    for joint, place in zip([j for j in falling.mechanism.joints.values() if j.dof < 6], drawn.joints, strict=True):
        for body in joint.bodies:
            assert np.abs(bones[body] - place).max(axis=-1).min() < 1e-9
    assert len(drawn.held) == 0


def test_springs_and_supports_of_a_tree_are_drawn():
    spring = tree.forces.Spring(bodies=("ground", "disk"), points=((1.0, 0.0, 0.0), "tip"), stiffness=1.0, length=0.1)
    m = pm.models.load("gyroscope").replaced(forces={"spring": spring})
    drawn = skeleton(view.space.start(m))
    assert drawn.springs[0] == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.3 * math.sqrt(0.75), 0.0, 0.15]]))
    assert drawn.held == pytest.approx(np.zeros((1, 3)))
    view.mechanism(m)


def test_series_of_a_tree_carry_the_units_of_its_model():
    m = pm.models.load("space_manipulator").replaced(impulses={"hit": tree.Impulse(body="main", impulse=(12.0, 0, 0))})
    result = pm.simulate(m, duration=0.1, samples=5)
    figure = view.series(result, ["hand1", "base.angle", "main.omega", "momentum.h", "wrist1.disk1.m"], degrees=True)
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "position [in]", "angle [°]", "angular velocity [°/s]", "angular momentum [slug in²/s]", "moment [slug in²/s²]",
    ]  # fmt: skip
    assert [len(ax.lines) for ax in figure.axes] == [3, 3, 3, 3, 3]
    turned = figure.axes[1].lines[1]
    assert turned.get_label() == "base.angle2"
    assert np.array_equal(turned.get_ydata(), np.degrees(result.coordinate("base", "angle2")))


def test_every_column_of_a_tree_has_a_unit(falling):
    figure = view.series(falling, [name for name in falling.columns() if name != "t"])
    assert all("[" in ax.get_ylabel() for ax in figure.axes)


def test_legends_of_series_stand_beside_the_curves(falling):
    figure = view.series(falling, ["base.angle", "left_spread.effort"])
    figure.draw_without_rendering()
    for ax in figure.axes:
        assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1 - 1.0
        assert ax.get_legend().get_window_extent().x1 <= figure.bbox.x1


def test_a_tree_asks_for_axes_in_space(falling):
    with pytest.raises(pm.ModelError, match='projection="3d"'):
        view.motion(falling, ax=plt.subplots()[1])
