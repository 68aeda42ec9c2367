"""Pictures show what the result says: outlines where the bodies are, paths as computed, units on the axes."""

import builtins
import math

import matplotlib
import numpy as np
import pytest

import particlemech as pm
from particlemech import space, view
from particlemech.model import inertia as tensors
from particlemech.model import shapes
from particlemech.model.primitives import Part, Ram
from particlemech.view import strokes
from particlemech.view.charts import _drawn
from particlemech.view.families import particles as planar
from particlemech.view.families import scene
from particlemech.view.looks import ARROWS
from particlemech.view.scene import Frame, Scene, settled
from tests.support.problems import PLANAR, SPATIAL, TREES

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle, FancyArrowPatch, Polygon


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def turning():
    return pm.simulate(pm.models.load("quick_return"), duration=1.0, samples=41, rtol=1e-6)


@pytest.fixture(scope="module")
def falling():
    return pm.simulate(pm.models.load("human_fall"), samples=41)


def bodies(ax):
    return [p for p in ax.patches if isinstance(p, Polygon) and p.get_gid()]


def inside(polygon, place):
    return polygon.get_path().contains_point(place)


# -- in the plane ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLANAR)
def test_every_planar_model_is_drawn_with_its_points_inside_its_bodies(name):
    m = pm.models.load(name)
    figure = view.mechanism(m)
    (ax,) = figure.axes
    assert {p.get_gid() for p in bodies(ax)} == set(m.bodies)
    for shape in bodies(ax):
        assert all(inside(shape, m.points[p]) for p in m.bodies[shape.get_gid()].points)
    pins = np.array([c.get_center() for c in ax.patches if isinstance(c, Circle)])
    for joint in m.joints.values():
        if isinstance(joint, pm.joints.Revolute):
            assert np.min(np.hypot(*(pins - m.drawn(joint.point)).T)) < 1e-12


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_sizes_follow_the_mechanism(factor):
    m = pm.models.load("four_bar")
    scaled = m.replaced(points={name: (factor * x, factor * y) for name, (x, y) in m.points.items()})
    assert planar.radius(scaled) == pytest.approx(factor * planar.radius(m))
    low, high = np.array([view.mechanism(x).axes[0].get_xlim() for x in (m, scaled)])
    assert high == pytest.approx(factor * low)


def test_rods_stay_thin_against_their_own_length_in_a_long_row():
    assert planar.radius(pm.models.n_four_bar(40)) <= 0.1


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
    longest = max(turning.system.layout.points, key=lambda p: np.hypot(*np.diff(turning[p], axis=0).T).sum())
    assert [line.get_label() for line in ax.lines if line.get_label().startswith("path")] == [f"path of {longest}"]


def test_what_does_not_move_has_no_path():
    still = pm.simulate(pm.models.load("space_manipulator"), duration=0.1, samples=3)
    (ax,) = view.motion(still).axes
    assert ax.get_legend() is None


def test_a_motion_is_drawn_into_given_axes(turning):
    figure, (left, right) = plt.subplots(1, 2)
    assert view.motion(turning, ax=right) is figure
    assert right.patches and not left.patches


def test_both_formulations_are_drawn_alike():
    m = pm.models.load("slider_crank")
    results = [pm.simulate(m, duration=0.2, samples=5, formulation=f) for f in ("particles", "absolute")]
    drawn = [bodies(view.motion(result, points=["B"], ghosts=1).axes[0]) for result in results]
    for a, b in zip(*drawn, strict=True):
        assert np.allclose(a.get_xy().mean(axis=0), b.get_xy().mean(axis=0), atol=1e-6)


def test_an_instant_is_drawn_where_the_result_is_then(turning):
    (ax,) = view.mechanism(turning, t=0.5, arrows=["velocity"]).axes
    assert ax.get_title() == "Quick-return mechanism at 0.5 s"
    crank = next(p for p in bodies(ax) if p.get_gid() == "crank")
    assert inside(crank, turning["A"][20]) and not inside(crank, turning["A"][10])
    with pytest.raises(pm.ModelError, match="lies outside the motion"):
        view.mechanism(turning, t=9.0)


def test_arrows_point_along_the_vectors_and_the_longest_is_named(turning):
    (ax,) = view.mechanism(turning, t=0.25, arrows=["velocity"]).axes
    fastest = max(float(np.max(np.hypot(*turning.velocity(p).T))) for p in turning.system.layout.points)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [f"velocity, at most {fastest:.3g} m/s"]
    shown = {tuple(a._posA_posB[0]): np.subtract(*a._posA_posB[::-1]) for a in ax.patches if hasattr(a, "_posA_posB")}
    v, drawn = turning.velocity("A")[10], shown[tuple(turning["A"][10])]
    assert np.cross([*v, 0.0], [*drawn, 0.0])[2] == pytest.approx(0.0, abs=1e-12) and v @ drawn > 0.0


def test_unknown_arrows_and_points_are_named_with_the_nearest(turning):
    with pytest.raises(pm.ModelError, match='arrows "velocty" unknown'):
        view.mechanism(turning, arrows=["velocty"])
    with pytest.raises(pm.ModelError, match="simulate it"):
        view.mechanism(pm.models.load("four_bar"), arrows=["velocity"])
    with pytest.raises(pm.ModelError, match='point "Q" unknown'):
        view.motion(turning, points=["Q"])
    with pytest.raises(pm.ModelError, match="a mechanism or a result is drawn"):
        view.mechanism("four_bar")


def test_the_hull_of_discs_has_the_area_of_a_capsule():
    x, y = np.array(shapes.rounded([(0.0, 0.0), (3.0, 0.0)], 0.5)).T
    area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    n = len(shapes.RING)
    assert area == pytest.approx(3.0 + 0.25 * 0.5 * n * math.sin(2.0 * math.pi / n))


def test_dark_backgrounds_get_light_lines():
    with plt.style.context("dark_background"):
        (ax,) = view.mechanism(pm.models.load("pendulum")).axes
        assert view.looks.palette(ax) is view.looks.DARK
        assert bodies(ax)[0].get_edgecolor()[:3] > (0.8, 0.8, 0.8)
    (ax,) = view.mechanism(pm.models.load("pendulum")).axes
    assert bodies(ax)[0].get_edgecolor()[:3] < (0.3, 0.3, 0.3)


def test_names_that_look_like_formulas_are_shown_as_they_are():
    m = pm.models.load("pendulum").replaced(name="$\\frac{1}$ <b> 🦾 مرحبا")
    with pytest.warns(UserWarning, match="missing from"):  # matplotlib's font lacks the arm
        figure = view.mechanism(m)
        figure.draw_without_rendering()
    assert figure.axes[0].get_title() == m.name


@pytest.mark.parametrize("name", ["platform_manipulator", "andrews_squeezer", "human_fall", "universal_shaft"])
def test_no_label_or_legend_is_cut_off(name):
    figure = view.mechanism(pm.models.load(name))
    figure.canvas.draw()
    (ax,) = figure.axes
    axes = [ax.xaxis, ax.yaxis, *([ax.zaxis] if ax.name == "3d" else [])]
    beside = [*figure.texts, *figure.legends, *([ax.get_legend()] if ax.get_legend() else [])]
    boxes = [b.get_window_extent() for b in (*beside, *(axis.label for axis in axes))]
    if ax.name != "3d":  # in space the box of an axis counts what lies behind it too
        boxes += [axis.get_tightbbox(figure.canvas.get_renderer()) for axis in axes]
    for box in boxes:
        assert box.x0 >= 0.0 and box.y0 >= 0.0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1


# -- charts ------------------------------------------------------------------------------------------------------------


def test_series_shows_columns_in_one_panel_per_unit(turning):
    figure = view.series(turning, ["C.x", "ram.x", "motor.effort", "lever.omega"])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position [m]", "moment [N m]", "angular velocity [rad/s]"]
    drawn = {line.get_label(): line.get_ydata() for ax in figure.axes for line in ax.lines}
    assert np.array_equal(drawn["motor.effort"], turning.effort("motor"))
    assert np.array_equal(drawn["C.x"], turning["C"][:, 0])
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_a_name_without_its_last_letter_stands_for_all_components(turning):
    (ax,) = view.series(turning, ["C"]).axes
    assert [line.get_label() for line in ax.lines] == ["C.x", "C.y"]


def test_an_unknown_column_is_named_with_the_nearest_one(turning):
    with pytest.raises(pm.ModelError, match=r'column "C\.z" unknown'):
        view.series(turning, ["C.z"])
    with pytest.raises(pm.ModelError, match="no column to draw"):
        view.series(turning, [])


def test_reactions_show_their_peak_and_root_mean_square(turning):
    (ax,) = view.reactions(turning, ["O"]).axes
    size = np.hypot(*turning.reaction("O", "crank").T)
    rms = math.sqrt(np.mean(size**2))
    assert ax.lines[0].get_label() == f"O.crank: peak {size.max():.4g}, RMS {rms:.4g} N"
    assert ax.lines[1].get_ydata() == pytest.approx([size.max()])
    assert ax.get_ylabel() == "force of joints [N]"
    with pytest.raises(pm.ModelError, match='joint "P" unknown'):
        view.reactions(turning, ["P"])


def test_hodographs_are_the_curves_of_the_forces(turning, falling):
    (ax,) = view.hodograph(turning, "slot").axes
    assert np.array_equal(ax.lines[0].get_xydata(), turning.reaction("slot", "crank"))
    assert ax.get_xlabel() == "force x [N]"
    (ax,) = view.hodograph(falling, "left_hip").axes
    assert ax.name == "3d"


def test_energies_add_up_and_closure_is_shown_where_there_are_loops(turning, falling):
    upper, error, closure = view.energy(turning).axes
    drawn = {line.get_label(): line.get_ydata() for line in upper.lines}
    assert drawn["kinetic"] + drawn["potential"] == pytest.approx(drawn["total"])
    assert np.array_equal(error.lines[0].get_ydata(), turning.energy.error)
    assert np.array_equal(closure.lines[0].get_ydata(), turning.closure.position)
    assert len(view.energy(falling).axes) == 2


def test_two_formulations_are_compared_with_their_difference_below():
    m = pm.models.load("slider_crank")
    a, b = (pm.simulate(m, duration=0.2, samples=21, formulation=f) for f in ("particles", "absolute"))
    upper, lower = view.compare(a, b, ["B.x"]).axes
    assert [line.get_label() for line in upper.lines] == ["B.x, particles", "B.x, absolute"]
    assert np.array_equal(lower.lines[0].get_ydata(), b["B"][:, 0] - a["B"][:, 0])
    assert np.abs(lower.lines[0].get_ydata()).max() < 1e-6


def test_results_with_other_samples_are_compared_at_common_times():
    m = pm.models.load("slider_crank")
    a, b = (pm.simulate(m, duration=d, samples=n, rtol=1e-10) for d, n in ((0.2, 21), (0.15, 301)))
    _, lower = view.compare(a, b, ["B.x"], labels=("long", "short")).axes
    t, gap = lower.lines[0].get_data()
    assert t == pytest.approx(a.t[:16]) and np.abs(gap).max() < 1e-8
    with pytest.raises(pm.ModelError, match="missing in the second"):
        view.compare(a, pm.simulate(pm.models.load("pendulum"), duration=0.1, samples=3), ["B.x"])


def test_legends_stand_beside_the_curves(falling):
    figure = view.series(falling, ["base.angle", "left_spread.effort"])
    figure.draw_without_rendering()
    for ax in figure.axes:
        assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1 - 1.0
        assert ax.get_legend().get_window_extent().x1 <= figure.bbox.x1


def test_a_few_words_choose_the_figure(turning):
    assert view.plot.chosen(turning, ["energy"]).axes[0].get_ylabel() == "energy [J]"
    assert view.plot.chosen(turning, ["A.x"]).axes[0].get_ylabel() == "position [m]"
    assert view.plot.chosen(turning, [], at=0.5).axes[0].get_title().endswith("at 0.5 s")
    assert view.plot.chosen(turning, [], points=["B"]).axes[0].get_title().endswith("0 to 1 s")
    with pytest.raises(pm.ModelError, match="leave out"):
        view.plot.chosen(turning, ["A.x"], at=0.5)


# -- files and screens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_figure_is_saved_where_a_path_is_given(tmp_path, suffix):
    path = tmp_path / f"drawing.{suffix}"
    view.display(view.mechanism(pm.models.load("pendulum")), path)
    assert path.stat().st_size > 1000
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_an_unknown_suffix_is_named_before_anything_is_written(tmp_path):
    with pytest.raises(pm.ModelError, match=r"\.png, \.svg, \.pdf"):
        view.display(view.mechanism(pm.models.load("pendulum")), tmp_path / "drawing.bmp")
    assert list(tmp_path.iterdir()) == []


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


# -- in space ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*TREES, *SPATIAL])
def test_every_model_in_space_is_drawn_with_equal_axes_in_its_unit_of_length(name):
    m = pm.models.load(name)
    (ax,) = view.mechanism(m).axes
    assert ax.get_title() == m.name
    assert {ax.get_xlabel(), ax.get_zlabel()} == {f"{axis} [{m.unit.length}]" for axis in "xz"}
    spans = np.array([np.ptp(getattr(ax, f"get_{axis}lim")()) for axis in "xyz"])
    assert spans / spans.max() == pytest.approx(ax._box_aspect / ax._box_aspect.max(), rel=1e-9)


def test_a_tree_is_drawn_where_its_coordinates_start():
    m = pm.models.load("space_manipulator")
    (ax,) = view.mechanism(m).axes
    places = np.vstack([np.array(line.get_data_3d()).T for line in ax.lines])
    for hand in ((0.0, 72.0, -6.0), (36.0, 0.0, -42.0)):
        assert np.abs(places - hand).max(axis=1).min() < 1e-9


def test_a_cube_a_rod_and_a_disk_are_shown_as_what_they_are():
    parts = [pm.models.load("space_manipulator").bodies[b] for b in ("main", "upper1", "disk1")]
    cube, rod, disk = (shapes.faces(b.mass, b.com, tensors.tensor(b.inertia)) for b in parts)
    assert np.ptp(np.vstack(cube), axis=0) == pytest.approx((12.0, 12.0, 12.0))
    assert rod == ()
    ring = np.array(disk[0])
    assert np.linalg.norm(ring - parts[2].com, axis=1) == pytest.approx(math.sqrt(8.0))  # in; m R^2/2 = 1 slug in^2
    assert np.ptp(ring[:, 2]) == pytest.approx(0.0, abs=1e-12)


def test_the_motion_of_a_tree_shows_computed_paths_ghosts_and_the_last_pose(falling):
    (ax,) = view.motion(falling, points=["left_hand"], ghosts=2).axes
    (path,) = [line for line in ax.lines if line.get_label() == "path of left_hand"]
    assert np.array_equal(np.array(path.get_data_3d()).T, falling["left_hand"])
    ghosts = [line for line in ax.lines if line.get_alpha() is not None]
    bones = [p for p in scene(falling).primitives if type(p).__name__ == "Line"]
    assert len(ghosts) == 2 * len(bones) > 0


def test_stills_stand_side_by_side_with_the_fall_taken_out(falling):
    (ax,) = view.stills(falling, [0.0, 1.0, 2.0], step=(0.0, 2.0, 0.0)).axes
    assert ax.get_title() == "Falling figure at 0, 1, 2 s"
    assert falling.com("head")[-1][2] < falling.com("head")[0][2] - 19.0
    assert np.ptp(ax.get_zlim()) < 2.5


def test_springs_and_supports_of_a_tree_are_drawn():
    spring = space.forces.Spring(bodies=("ground", "disk"), points=((1.0, 0.0, 0.0), "tip"), stiffness=1.0, length=0.1)
    m = pm.models.load("gyroscope").replaced(forces={"spring": spring})
    (coil,) = [p for p in scene(m).primitives if type(p).__name__ == "Spring"]
    ends = np.array([scene(m).place(*end)[0] for end in coil.ends])
    assert ends == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.3 * math.sqrt(0.75), 0.0, 0.15]]))
    held = {p.at for p in scene(m).primitives if type(p).__name__ == "Hatch"}
    assert held == {(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)}
    view.mechanism(m)


@pytest.mark.parametrize("law", [{"stiffness": 1.0}, {"damping": 1.0}], ids=["spring", "damper"])
def test_a_spring_along_a_slide_can_be_drawn_where_its_ends_meet(law):
    rail = space.joints.Prismatic(bodies=("ground", "sled"), point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    m = space.Mechanism(
        bodies={"sled": space.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))},
        joints={"rail": rail},
        forces={"coil": space.forces.Torsion(joint="rail", **law)},
    )
    view.mechanism(m)


def test_a_picture_has_the_arrow_of_an_impulse_at_its_time_alone():
    hit = pm.Impulse(body="rod", point="P", time=0.2, impulse=(0.0, 0.5), moment=0.1)
    m = pm.models.load("pendulum").replaced(impulses={"hit": hit})
    result = pm.simulate(m, duration=1.0, samples=101)
    for of, t, there in ((m, None, True), (result, None, False), (result, 0.21, True), (result, 0.5, False)):
        (ax,) = view.mechanism(of, t=t).axes
        (arrow,) = (a for a in ax.get_children() if isinstance(a, FancyArrowPatch))
        turning = [line for line in ax.lines if line.get_color() == ARROWS["impulse"]]
        assert [arrow.get_visible(), *(line.get_visible() for line in turning)] == [there] * 3
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["impulse, at most 0.5 kg m/s", "impulse, at most 0.1 kg m²/s"]


def test_series_of_a_tree_carry_the_units_of_its_model():
    m = pm.models.load("space_manipulator").replaced(impulses={"hit": space.Impulse(body="main", impulse=(12.0, 0, 0))})
    result = pm.simulate(m, duration=0.1, samples=5)
    figure = view.series(result, ["hand1", "base.angle", "main.omega", "momentum.h", "wrist1.disk1.m"], degrees=True)
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "position [in]", "angle [°]", "angular velocity [°/s]", "angular momentum [slug in²/s]", "moment [slug in²/s²]",
    ]  # fmt: skip
    assert [len(ax.lines) for ax in figure.axes] == [3, 3, 3, 3, 3]
    turned = figure.axes[1].lines[1]
    assert turned.get_label() == "base.angle2"
    assert np.array_equal(turned.get_ydata(), np.degrees(result.coordinate("base", "angle2")))


def test_space_asks_for_axes_in_space_and_the_plane_for_plane_ones(falling, turning):
    with pytest.raises(pm.ModelError, match='projection="3d"'):
        view.motion(falling, ax=plt.subplots()[1])
    with pytest.raises(pm.ModelError, match="plane axes"):
        view.motion(turning, ax=plt.figure().add_subplot(projection="3d"))


# -- curves, springs and cylinders that can be told apart ------------------------------------------------------------


def test_curves_of_many_joints_differ_in_colour_or_style():
    result = pm.simulate(pm.models.load("andrews_squeezer"), duration=0.003, samples=11, rtol=1e-6)
    lines = [line for line in view.reactions(result).axes[0].lines if line.get_linestyle() != "None"]
    assert len(lines) == 10
    looks = {(line.get_color(), str(line._dash_pattern)) for line in lines}
    assert len(looks) == 10


def test_a_curve_that_lies_on_another_is_dashed_and_named_so():
    result = pm.simulate(pm.models.load("four_bar"), duration=0.2, samples=21, rtol=1e-6)
    t, x = result.t, result["A"][:, 0]
    _, ax = plt.subplots()
    first, second, third, other = _drawn(ax, {"a: 1": (t, x), "b: 2": (t, x + 1e-9), "c": (t, x), "d": (t, x + 0.1)})
    assert [line.get_label() for line in (first, second, third, other)] == ["a: 1", "b: 2 (on a)", "c (on a)", "d"]
    assert first.get_linestyle() == other.get_linestyle() == "-"
    assert second.get_linestyle() == third.get_linestyle() == "--" and second._dash_pattern != third._dash_pattern


def sprung(**law):
    spring = pm.forces.Spring(bodies=("ground", "arm"), points=((0.2, -0.5), (0.2, 0.0)), length=0.3, **law)
    return pm.Mechanism(
        points={"O": (0.0, 0.0), "P": (1.0, 0.0)},
        bodies={"arm": pm.Body(points=("O", "P"), mass=1.0)},
        joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "arm"))},
        forces={"strut": spring},
    )


def test_springs_lie_in_front_of_bodies_and_a_damper_alone_is_a_dashpot():
    for law, kind in (({"stiffness": 2.0, "damping": 1.0}, "Spring"), ({"damping": 1.0}, "Damper")):
        m = sprung(**law)
        assert [type(p).__name__ for p in scene(m).primitives if p.part.name == "strut"] == [kind, "Hatch"]
        (ax,) = view.mechanism(m).axes
        (line,) = ax.lines
        assert line.get_zorder() > max(shape.get_zorder() for shape in bodies(ax))
        places = np.array(line.get_data()).T
        assert places[0] == pytest.approx((0.2, -0.5)) and places[-1] == pytest.approx((0.2, 0.0))
    # cup, bottom and piston are strokes of their own
    assert np.isnan(places[:, 0]).sum() == 3
    assert np.nanmax(places[:, 0]) - 0.2 == pytest.approx(1.3 * scene(m).r)


def test_a_torsion_damper_alone_is_a_vane_in_a_ring():
    for law, strokes_apart in (({"stiffness": 2.0, "damping": 1.0}, 0), ({"damping": 1.0}, 1)):
        m = sprung(stiffness=1.0).replaced(
            forces={"strut": None, "hub": pm.forces.Torsion(bodies=("ground", "arm"), **law)}
        )
        (ax,) = view.mechanism(m).axes
        (line,) = ax.lines
        assert np.isnan(line.get_xdata()).sum() == strokes_apart


def test_a_cylinder_drawn_by_its_ends_holds_together():
    boom = pm.Mechanism(
        points={"O": (0.0, 0.0), "T": (2.0, 1.2), "A": (0.6, -0.6), "B": (1.0, 0.6)},
        bodies={
            "boom": pm.Body(points=("O", "B", "T"), mass=20.0, com=(1.0, 0.6), inertia=5.0),
            "cylinder": pm.Body(points=("A",), mass=2.0, com=(0.7, -0.3), inertia=0.1),
            "rod": pm.Body(points=("B",), mass=1.0, com=(0.93, 0.39), inertia=0.05),
        },
        joints={
            "O": pm.joints.Revolute(point="O", bodies=("ground", "boom")),
            "A": pm.joints.Revolute(point="A", bodies=("ground", "cylinder")),
            "B": pm.joints.Revolute(point="B", bodies=("boom", "rod")),
            "slide": pm.joints.Prismatic(bodies=("cylinder", "rod"), point="B", axis=(0.4, 1.2)),
        },
        drivers={"pump": pm.drivers.Coordinate(joint="slide", motion=pm.signals.Cycloid(end=0.3, duration=1.0))},
    )
    result = pm.simulate(boom, duration=1.0, samples=11)
    whole = scene(result)
    (rod,) = [p for p in whole.primitives if type(p).__name__ == "Rod"]
    assert rod.ends == (("cylinder", (0.7, -0.3)), ("rod", (1.0, 0.6)))
    # from the mouth of the cylinder to the pin, and as much longer at the end as it was driven
    mouth, pin = (whole.place(*end) for end in rod.ends)
    length = np.linalg.norm(pin - mouth, axis=1)
    assert length[-1] - length[0] == pytest.approx(0.3, abs=1e-7)
    assert not [p for p in whole.primitives if type(p).__name__ == "Slot"]


def test_titles_of_runs_that_did_not_complete_say_so_in_red():
    bar = pm.models.load("four_bar")
    turn = pm.drivers.Rotation(bodies=("ground", "rocker"), motion=pm.signals.Linear(rate=1.5))
    bar = bar.replaced(drivers={"motor": turn}, initial={"omega": {}, "velocity": {}})
    result = pm.simulate(bar, duration=4.0, samples=81, throw=False)
    ended = f"{result.status.value}, shown to {result.t[-1]:.4g} s"
    title = view.motion(result).axes[0].title
    assert title.get_text().endswith(f": {ended}") and title.get_color() == "#c0392b"
    for figure in (view.energy(result), view.series(result, ["A.x"])):
        assert figure._suptitle.get_text() == f"Four-bar linkage: {ended}" and figure._suptitle.get_color() == "#c0392b"


@pytest.mark.parametrize("stroke", [0.0, 0.3, 1.0, 5.0])
def test_the_piston_of_a_cylinder_stays_in_its_barrel_as_it_slides_out(stroke):
    """Only one that comes out to more than twice its length has its piston at the foot while it is short."""
    of, t = Part("force", "ram"), np.linspace(0.0, 1.0, 21)
    frame = Frame(np.zeros(2), np.column_stack([1.0 + stroke * t, 0.0 * t]), 0.0 * t)
    looks = (Ram(of, (("ground", (0.0, 0.0)), ("body", (0.0, 0.0)))),)
    seen = settled(Scene(2, "ram", "m", t, {"body": frame}, looks, {}, (), 0.02, {}))
    (ram,) = seen.primitives
    assert 0.6 <= ram.barrel <= 0.9
    for end in frame.origin:
        barrel, rod = strokes.ram(np.zeros(2), end, ram.barrel, ram.rod, seen.r)
        assert barrel[1, 0] == pytest.approx(ram.barrel)
        assert rod[1] == pytest.approx(end)
        assert barrel[0, 0] <= rod[0, 0] <= barrel[1, 0]
        assert rod[1, 0] - rod[0, 0] == pytest.approx(ram.rod) or stroke >= 1.0
