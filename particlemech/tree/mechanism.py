"""A tree of rigid bodies in space: what the user said, checked as far as no numerics are needed.

It is drawn in its reference configuration: all coordinates zero, the axes of all bodies parallel to the global ones.
All places and directions are global in that drawing, and `initial` says where the coordinates start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from particlemech._spec import (
    FrozenMapping,
    Vector3,
    choice,
    key,
    kind_name,
    mapping_of,
    shown,
    text,
    vector3,
)
from particlemech.description import GROUND, Check, Description, Run, Section, format_one, spec_of, table_of
from particlemech.errors import ModelError, part, suggestion
from particlemech.signals import values
from particlemech.tree import forces, joints
from particlemech.tree.forces import ForceSpec
from particlemech.tree.joints import JointSpec
from particlemech.tree.parts import NOTHING, Body, Driver, Impulse, Initial
from particlemech.units import Units as Units
from particlemech.units import system

AGREED = 1e-9  # difference of a start and of the motion that prescribes it, as a fraction


def checked(mechanism: object, asked: str) -> None:
    """Raise where something that is no tree is given to a function of trees."""
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f'{asked} takes a tree, got {shown(mechanism)}; read one of kind = "tree" with load')


@dataclass(frozen=True, kw_only=True)
class Mechanism(Description):
    """A tree of rigid bodies, drawn with all coordinates zero; global axes, radians, and units of the user's choice."""

    sections = FrozenMapping(
        {
            "points": Section("point", "NAME = [x, y, z]", form=vector3),
            "bodies": Section("body", "[bodies.NAME]", spec=Body),
            "joints": Section("joint", "[joints.NAME]", kinds=joints.NAMES),
            "drivers": Section("driver", "[drivers.NAME]", spec=Driver),
            "forces": Section("force", "[forces.NAME]", kinds=forces.NAMES),
            "impulses": Section("impulse", "[impulses.NAME]", spec=Impulse),
        }
    )

    format: int = key(format_one, "version of the model format", 1)
    kind: str = key(choice("tree"), "family of mechanisms", "tree")
    name: str = key(text, "title", "tree")
    about: str = key(text, "one line a reader needs; where the data come from", "")
    units: str = key(system, "system of units of all numbers", "SI")
    gravity: Vector3 = key(vector3, "length/s^2", NOTHING)
    points: Mapping[str, Vector3] = key(mapping_of(vector3), "named places, in the drawing", FrozenMapping())
    bodies: Mapping[str, Body] = key(table_of(Body), "the moving bodies")
    joints: Mapping[str, JointSpec] = key(table_of(JointSpec), "how each hangs on its parent", FrozenMapping())
    drivers: Mapping[str, Driver] = key(table_of(Driver), "prescribed motions", FrozenMapping())
    forces: Mapping[str, ForceSpec] = key(table_of(ForceSpec), "applied forces", FrozenMapping())
    impulses: Mapping[str, Impulse] = key(table_of(Impulse), "blows", FrozenMapping())
    initial: Initial = key(spec_of(Initial), "where the coordinates start", Initial())
    run: Run = key(spec_of(Run), "defaults of a run", Run())
    check: Check = key(spec_of(Check), "what must come out", Check())

    def verify(self) -> None:
        """Check all names, that the bodies form a tree, and that nothing is prescribed twice."""
        self.check_names()
        self._check_columns()
        self._check_points()
        for name, joint in self.joints.items():
            with part(f'joint "{name}"'):
                self._check_joint(joint)
        self._check_tree()
        for name, driver in self.drivers.items():
            with part(f'driver "{name}"'):
                self.coordinate(driver.joint, driver.coordinate)
        self._check_driven_once()
        for name, force in self.forces.items():
            with part(f'force "{name}"'):
                force.check(self)
        for name, impulse in self.impulses.items():
            with part(f'impulse "{name}"'):
                self.moving_body(impulse.body)
                self.place(impulse.point, impulse.body)
        self._check_initial()
        if self.run.cut:
            raise ModelError('section "run": key "cut" is for mechanisms with loops; take it out of this tree')
        self.check_columns()

    def columns_of(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the parts of this name, and how the columns end that a force could have too."""
        yield from super().columns_of(name)
        if name == "momentum":
            yield from (("sum", f"p{axis}") for axis in "xyz")
        if name in self.joints:
            yield from (("joint", coordinate) for coordinate in self.joints[name].coordinate_names)

    # -- parts of the check ------------------------------------------------------------------------------------

    def _check_columns(self) -> None:
        """Check that coordinates of joints, which are columns of a result, differ from columns of bodies and points."""
        for name, joint in self.joints.items():
            other = "body" if name in self.bodies else "point" if name in self.points else None
            # a point may share the name of a joint that has no coordinate x
            if other and (name in self.bodies or "x" in joint.coordinate_names):
                raise ModelError(
                    f'joint "{name}": a {other} has the same name, so columns of a result would be ambiguous; '
                    "rename one of them"
                )

    def _check_points(self) -> None:
        carriers: dict[str, str] = {}
        for name, body in self.bodies.items():
            for p in body.points:
                with part(f'body "{name}"'):
                    self.known_point(p)
                if p in carriers:
                    raise ModelError(
                        f'point "{p}": bodies "{carriers[p]}" and "{name}" both list it, but a result can follow it on '
                        "one only; take it out of one, or give that one a point of its own"
                    )
                carriers[p] = name

    def _check_joint(self, joint: JointSpec) -> None:
        for b in joint.bodies:
            self.known_body(b)
        if joint.child == GROUND:
            raise ModelError(
                f'the ground hangs on body "{joint.parent}"; the parent stands first: '
                f'write bodies = ["{GROUND}", "{joint.parent}"]'
            )
        self.place(joint.point, joint.child)

    def _check_tree(self) -> None:
        """Check that exactly one joint leads to each body, and from there on to ground."""
        leading: dict[str, str] = {}
        for name, joint in self.joints.items():
            first = leading.setdefault(joint.child, name)
            if first != name:
                parents = f'"{self.joints[first].parent}" (joint "{first}") and "{joint.parent}" (joint "{name}")'
                raise ModelError(
                    f'body "{joint.child}": has two parents, {parents}; a tree has no loops: take one joint out, '
                    'turn its bodies round, the parent stands first, or describe it as kind = "spatial"'
                )
        for name in self.bodies:
            if name not in leading:
                raise ModelError(
                    f'body "{name}": no joint leads to it; add a joint with bodies = ["PARENT", "{name}"], where the '
                    f'parent may be "{GROUND}"; a free joint lets it float'
                )
        grounded = {GROUND}
        for name in self.bodies:
            path: dict[str, None] = {}
            while name not in grounded:
                if name in path:
                    first, *inward = list(path)[list(path).index(name) :]
                    circle = [f'"{b}"' for b in (first, *reversed(inward))]
                    listed = ", ".join(circle[:12]) + (", ..." if len(circle) > 12 else "")
                    raise ModelError(
                        f"bodies {listed} hang on each other in a circle, so none leads to ground; "
                        f'let one of their joints have the parent "{GROUND}"'
                    )
                path[name] = None
                name = self.joints[leading[name]].parent
            grounded |= path.keys()

    def _check_driven_once(self) -> None:
        first: dict[tuple[str, int], str] = {}
        for name, driver in self.drivers.items():
            where = driver.joint, self.coordinate(driver.joint, driver.coordinate)
            if where in first:
                coordinate = self.joints[driver.joint].coordinate_names[where[1]]
                raise ModelError(
                    f'driver "{name}": coordinate "{coordinate}" of joint "{driver.joint}" is already driven by driver '
                    f'"{first[where]}"; take one out'
                )
            first[where] = name

    def _check_initial(self) -> None:
        for word, table in (("position", self.initial.position), ("rate", self.initial.rate)):
            for name, given in table.items():
                with part(f'section "initial": {word}'):
                    self.known_joint(name)
                    coordinates = self.joints[name].coordinate_names
                    if len(given) != len(coordinates):
                        raise ModelError(
                            f'joint "{name}" needs {len(coordinates)} number(s) ({", ".join(coordinates) or "none"}), '
                            f"got {len(given)}"
                        )
                    self._check_agreement(name, given, derivative=0 if table is self.initial.position else 1)
        for body, omega in self.initial.omega.items():
            with part('section "initial": omega'):
                self._check_omega(body, omega)

    def _check_agreement(self, joint: str, given: tuple[float, ...], derivative: int) -> None:
        """Check that what is said of driven coordinates is what their motions say."""
        for k, (coordinate, value) in enumerate(zip(self.joints[joint].coordinate_names, given, strict=True)):
            driver = self.driven.get((joint, k))
            if driver is None:
                continue
            said = values(self.drivers[driver].motion, 0.0)[derivative]
            if abs(value - said) > AGREED * max(1.0, abs(said)):
                raise ModelError(
                    f'joint "{joint}": {coordinate} is {value:g}, but driver "{driver}" prescribes {said:g} at t = 0; '
                    f"write {said:.12g} there, or change its motion"
                )

    def _check_omega(self, body: str, omega: Vector3) -> None:
        self.moving_body(body)
        name = self.inboard[body]
        joint = self.joints[name]
        if not joint.spherical:
            kind = kind_name(type(joint))
            raise ModelError(
                f'body "{body}" hangs on joint "{name}", a {kind}, which does not let it turn in any direction; '
                f'give the rate of "{name}"'
            )
        for k in range(joint.dof - 3, joint.dof):
            if (name, k) in self.driven:
                coordinate = joint.coordinate_names[k]
                raise ModelError(
                    f'body "{body}": {coordinate} of joint "{name}" is driven by driver "{self.driven[name, k]}"; '
                    f'give the rates of the other angles, in rate of "{name}"'
                )
        if any(self.initial.rate.get(name, ())[-3:]):
            raise ModelError(f'body "{body}": joint "{name}" also has rates of its angles; give either, not both')

    # -- lookups -----------------------------------------------------------------------------------------------

    @cached_property
    def inboard(self) -> Mapping[str, str]:
        """The joint that leads to each body, by name."""
        return FrozenMapping({joint.child: name for name, joint in self.joints.items()})

    @cached_property
    def driven(self) -> Mapping[tuple[str, int], str]:
        """The driver of each driven coordinate, (joint, number of its stage), by name."""
        return {(d.joint, self.coordinate(d.joint, d.coordinate)): name for name, d in self.drivers.items()}

    def coordinate(self, joint: str, coordinate: str | None) -> int:
        """Return the number of a coordinate among the stages of a joint; None: the only one."""
        self.known_joint(joint)
        known = self.joints[joint].coordinate_names
        if not known:
            kind = kind_name(type(self.joints[joint]))
            raise ModelError(f'joint "{joint}" is a {kind}, which has no coordinate; name another joint')
        if coordinate is None and len(known) > 1:
            raise ModelError(f'joint "{joint}" has several coordinates; add coordinate = one of {", ".join(known)}')
        if coordinate is not None and coordinate not in known:
            raise ModelError(f'joint "{joint}" has no coordinate "{coordinate}"{suggestion(coordinate, known)}')
        return 0 if coordinate is None else known.index(coordinate)

    def as_quaternion(self, joint: str) -> bool:
        """Return whether the turning of a joint is integrated as a quaternion: where one angle is driven, it is not."""
        spec = self.joints[joint]
        return spec.quaternion and not any((joint, k) in self.driven for k in range(spec.dof - 3, spec.dof))

    def acted_on(self, joint: str, coordinate: str | None, cure: str) -> None:
        """Check that there is a coordinate for a force to act on; of a quaternion only its travels are."""
        number = self.coordinate(joint, coordinate)
        if self.as_quaternion(joint) and number >= self.joints[joint].dof - 3:
            raise ModelError(
                f'joint "{joint}" is integrated as a quaternion and has no "{coordinate}" to act on; {cure}, '
                'or give the joint coordinates = "angles"'
            )

    def start(self, joint: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return where the coordinates of a joint start, and their rates; driven ones as their motions say.

        Where `initial.omega` mentions the child, it takes the place of the rates of the three angles.
        """
        known = self.joints[joint].coordinate_names
        position = list(self.initial.position.get(joint, (0.0,) * len(known)))
        rate = list(self.initial.rate.get(joint, (0.0,) * len(known)))
        for k in range(len(known)):
            if (joint, k) in self.driven:
                position[k], rate[k], _ = values(self.drivers[self.driven[joint, k]].motion, 0.0)
        return tuple(position), tuple(rate)

    def moving_body(self, b: str) -> None:
        """Check that a name is that of a body, not of the ground."""
        if b == GROUND:
            raise ModelError("the ground does not move; name a body")
        self.known_body(b)

    def carrier(self, point: str) -> str:
        """Return the body that lists a point, or "ground"."""
        return next((name for name, body in self.bodies.items() if point in body.points), GROUND)

    def place(self, point: str | Vector3 | None, body: str) -> Vector3:
        """Return a place in the drawing: that of a named point, the place itself, or the body's centre of mass."""
        if point is None:
            return self.bodies[body].com
        if isinstance(point, str):
            self.known_point(point)
            return self.points[point]
        return point
