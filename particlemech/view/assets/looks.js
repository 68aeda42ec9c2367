// How each primitive looks on the canvas. `shape` says where it is on the screen now, `draw` paints it, and `distance`
// tells how far the pointer is from it, in pixels; a new primitive is one more entry of PRIMITIVES.

const middle = (places) => places.reduce((sum, p) => sum + p[2], 0) / (places.length || 1);

function trace(ctx, places, closed) {
  ctx.beginPath();
  places.forEach((p, i) => (i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
  if (closed) ctx.closePath();
}

function disc(ctx, p, r) {
  ctx.beginPath();
  ctx.arc(p[0], p[1], r, 0, 2 * Math.PI);
}

// unit vector on the screen from a to b, and their distance
function between(a, b) {
  const x = b[0] - a[0], y = b[1] - a[1], length = Math.hypot(x, y);
  return length > 1e-9 ? [x / length, y / length, length] : [1, 0, 0];
}

function toSegment(x, y, a, b) {
  const dx = b[0] - a[0], dy = b[1] - a[1], size = dx * dx + dy * dy;
  const s = size > 0 ? Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / size, 0), 1) : 0;
  return Math.hypot(x - a[0] - s * dx, y - a[1] - s * dy);
}

function toPath(x, y, places) {
  let nearest = Infinity;
  for (let i = 1; i < places.length; i++) nearest = Math.min(nearest, toSegment(x, y, places[i - 1], places[i]));
  return places.length === 1 ? Math.hypot(x - places[0][0], y - places[0][1]) : nearest;
}

function inside(x, y, places) {
  let result = false;
  for (let i = 0, j = places.length - 1; i < places.length; j = i++) {
    const [ax, ay] = places[i], [bx, by] = places[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) result = !result;
  }
  return result;
}

// -- pieces that several primitives share ---------------------------------------------------------------------------

function stroke(view, width, colour) {
  const { ctx } = view;
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.stroke();
}

function fill(view, colour, opacity = 1) {
  const { ctx } = view;
  ctx.globalAlpha = opacity;
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.globalAlpha = 1;
}

function hatched(view, a, b, side, ink) {
  const { ctx, r } = view, [ux, uy, length] = between(a, b), step = Math.max(0.9 * r, 3);
  trace(ctx, [a, b]);
  stroke(view, 1.4, ink);
  ctx.beginPath();
  for (let s = step / 2; s <= length; s += step) {
    const x = a[0] + ux * s, y = a[1] + uy * s;
    ctx.moveTo(x, y);
    ctx.lineTo(x + 0.8 * step * (side[0] - ux), y + 0.8 * step * (side[1] - uy));
  }
  stroke(view, 0.8, ink);
}

// the ground below a path on it, or to the right of an upright one
function grounded(view, a, b, off, ink) {
  const [ux, uy] = between(a, b), side = ux > 0.01 || (Math.abs(ux) <= 0.01 && uy < 0) ? [-uy, ux] : [uy, -ux];
  const moved = (q) => [q[0] + off * side[0], q[1] + off * side[1]];
  hatched(view, moved(a), moved(b), side, ink);
}

// the line through a and b, `out` beyond both
function longer([a, b], out) {
  const [ux, uy] = between(a, b);
  return [[a[0] - out * ux, a[1] - out * uy, a[2]], [b[0] + out * ux, b[1] + out * uy, b[2]]];
}

// the line through a and b of a frame as a strip on the screen
const strip = (view, p) => [view.at(p.frame, p.a), view.at(p.frame, p.b)];

function zigzag(a, b, width, turns = 9) {
  const [ux, uy, length] = between(a, b), result = [a];
  for (let i = 0; i < 2 * turns; i++) {
    const s = length * (0.2 + (0.6 * i) / (2 * turns - 1));
    const side = i === 0 || i === 2 * turns - 1 ? 0 : i % 2 ? width : -width;
    result.push([a[0] + ux * s - uy * side, a[1] + uy * s + ux * side, a[2]]);
  }
  return [...result, b];
}

// where a strand leaves the circle about a and meets that about b; radii are negative where it goes round clockwise
function strand(a, b, s1, s2) {
  const dx = b[0] - a[0], dy = b[1] - a[1], rho = s2 - s1, n = dx * dx + dy * dy;
  const length = Math.sqrt(Math.max(n - rho * rho, 0)), ux = (length * dx + rho * dy) / n, uy = (length * dy - rho * dx) / n;
  return [[a[0] + s1 * uy, a[1] - s1 * ux, a[2]], [b[0] + s2 * uy, b[1] - s2 * ux, b[2]]];
}

// places along a belt or rope round circles about centres: its strands, and the arcs between them
function belt(centres, radii, closed) {
  const n = radii.length, result = [], run = (k) => strand(centres[k], centres[(k + 1) % n], radii[k], radii[(k + 1) % n]);
  const runs = centres.slice(closed ? 0 : 1).map((_, k) => run(k)), round = 2 * Math.PI;
  for (let k = 0; k < n; k++) {
    if (!closed && (k === 0 || k === n - 1)) {
      result.push(k ? runs[k - 1][1] : runs[0][0]);
      continue;
    }
    const [x, y, z] = centres[k], from = runs[(k || n) - 1][1], to = runs[k][0], sign = radii[k] > 0 ? 1 : -1;
    const begin = Math.atan2(from[1] - y, from[0] - x), end = Math.atan2(to[1] - y, to[0] - x);
    let wrap = (((sign * (end - begin)) % round) + round) % round;
    if (wrap > round - 1e-9) wrap = 0;
    const r = Math.abs(radii[k]), angles = Array.from({ length: 49 }, (_, i) => begin + (sign * wrap * i) / 48);
    for (const angle of angles) result.push([x + r * Math.cos(angle), y + r * Math.sin(angle), z]);
  }
  return result;
}

// many arrows of one colour, (from, to) each: one stroke and one fill for all of them
function arrows(view, pairs, colour) {
  const { ctx } = view, heads = [];
  ctx.beginPath();
  for (const [from, to] of pairs) {
    const [ux, uy, length] = between(from, to);
    if (!(length >= 1.5)) continue;
    const head = Math.min(9, 0.45 * length);
    ctx.moveTo(from[0], from[1]);
    ctx.lineTo(to[0] - ux * head * 0.8, to[1] - uy * head * 0.8);
    heads.push([to, ux * head, uy * head]);
  }
  stroke(view, 2, colour);
  ctx.beginPath();
  for (const [[x, y], ux, uy] of heads) {
    ctx.moveTo(x, y);
    ctx.lineTo(x - ux - 0.42 * uy, y - uy + 0.42 * ux);
    ctx.lineTo(x - ux + 0.42 * uy, y - uy - 0.42 * ux);
    ctx.closePath();
  }
  fill(view, colour);
}

// a turning arrow about a place, part of a circle from `start` through `angle`, counter-clockwise above zero
function turning(view, at, radius, angle, colour) {
  const { ctx } = view, start = -Math.PI / 2 - angle / 2;
  ctx.beginPath();
  ctx.arc(at[0], at[1], radius, -start, -start - angle, angle > 0);
  stroke(view, 2, colour);
  const end = start + angle, side = Math.sign(angle), tip = [at[0] + radius * Math.cos(end), at[1] - radius * Math.sin(end)];
  const ahead = [-Math.sin(end) * side, -Math.cos(end) * side];
  const head = Math.min(8, 0.7 * radius);
  trace(ctx, [
    [tip[0] + ahead[0] * head, tip[1] + ahead[1] * head],
    [tip[0] - ahead[1] * head * 0.5, tip[1] + ahead[0] * head * 0.5],
    [tip[0] + ahead[1] * head * 0.5, tip[1] - ahead[0] * head * 0.5],
  ], true);
  fill(view, colour);
}

// -- the primitives --------------------------------------------------------------------------------------------------

// what is struck
function block(view, p, places, ink, lit) {
  trace(view.ctx, places, true);
  fill(view, lit ? view.colours.lit : view.colours.faint);
  stroke(view, 1, ink);
}

const marker = (layer, draw) => ({
  layer,
  shape: (view, p) => [view.at(p.frame, p.at)],
  draw,
  distance: (view, p, places, x, y) => Math.max(0, toPath(x, y, places) - 1.2 * view.r) - 4,
});

const ends = (layer, width, draw) => ({
  layer,
  shape: (view, p) => p.ends.map(([frame, place]) => view.at(frame, place)),
  draw,
  distance: (view, p, places, x, y) => Math.max(0, toPath(x, y, places) - width * view.r),
});

const PRIMITIVES = {
  line: {
    layer: 3,
    shape: (view, p) => p.points.map((place) => view.at(p.frame, place)),
    draw(view, p, places, ink) {
      trace(view.ctx, places);
      stroke(view, Math.min(Math.max(0.75 * view.r, 2), 5), ink);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places),
  },

  plate: {
    layer: 2,
    shape: (view, p) => p.outline.map((place) => view.at(p.frame, place)),
    parts: (view, p) => p.faces.map((face) => face.map((place) => view.at(p.frame, place))),
    draw(view, p, places, ink, lit) {
      const colour = p.rod ? view.colours.rod : view.colours.plate;
      trace(view.ctx, places, true);
      fill(view, lit ? view.colours.lit : colour, p.faces.length ? 0.42 : 0.88);
      if (p.faces.length > 6 && places.length === 4) return; // what is round has ends with edges, and sides without
      stroke(view, p.faces.length ? 0.7 : 1.2, ink);
    },
    distance: (view, p, places, x, y) => (inside(x, y, places) ? 1 : toPath(x, y, [...places, places[0]])),
  },

  curve: {
    layer: 3,
    shape: (view, p) => p.points.map((numbers) => view.seen(view.motion.vector(numbers))),
    draw(view, p, places, ink) {
      trace(view.ctx, places);
      stroke(view, Math.min(Math.max(0.9 * view.r, 2.5), 6), ink);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places),
  },

  pin: {
    ...marker(6, (view, p, places, ink, lit) => {
      const { ctx, r, colours } = view;
      if (p.axis) {
        const u = view.direction(p.frame, p.axis), reach = 2.2 * r, [x, y] = places[0];
        trace(ctx, [[x - reach * u[0], y - reach * u[1]], [x + reach * u[0], y + reach * u[1]]]);
        ctx.lineCap = "round";
        stroke(view, 1.5 * r, ink);
        stroke(view, 1.5 * r - 2.2, lit ? colours.lit : colours.paper);
        return;
      }
      disc(ctx, places[0], 0.62 * r);
      fill(view, lit ? colours.lit : colours.paper);
      stroke(view, 1.4, ink);
    }),
  },

  ball: marker(6, (view, p, places, ink, lit) => {
    disc(view.ctx, places[0], 0.85 * view.r);
    fill(view, lit ? view.colours.lit : view.colours.paper);
    stroke(view, 1.3, ink);
    disc(view.ctx, places[0], 0.35 * view.r);
    fill(view, ink);
  }),

  weld: marker(6, (view, p, places, ink) => {
    const [x, y] = places[0], h = 0.7 * view.r;
    trace(view.ctx, [[x - h, y - h], [x + h, y - h], [x + h, y + h], [x - h, y + h]], true);
    fill(view, ink);
  }),

  hatch: {
    layer: 0,
    shape: (view, p) => [view.seen(p.at)],
    draw(view, p, places, ink) {
      const { ctx, r } = view, [x, y, depth] = places[0];
      const u = view.camera.direction(p.towards || [0, -1, 0]), size = Math.hypot(u[0], u[1]);
      const [ux, uy] = size > 1e-6 ? [u[0] / size, u[1] / size] : [0, 1];
      const a = [x + 2.4 * r * ux - 1.5 * r * uy, y + 2.4 * r * uy + 1.5 * r * ux, depth];
      const b = [x + 2.4 * r * ux + 1.5 * r * uy, y + 2.4 * r * uy - 1.5 * r * ux, depth];
      trace(ctx, [[x, y], a, b], true);
      fill(view, view.colours.paper);
      stroke(view, 1.1, ink);
      const [vx, vy] = between(a, b);
      hatched(view, [a[0] - vx * r, a[1] - vy * r], [b[0] + vx * r, b[1] + vy * r], [ux, uy], ink);
    },
    distance: (view, p, places, x, y) => Math.hypot(x - places[0][0], y - places[0][1]),
  },

  slot: {
    layer: 4,
    shape: strip,
    draw(view, p, places, ink, lit) {
      const { ctx, r, colours } = view;
      if (p.frame === "ground" && view.camera.flat) grounded(view, ...longer(places, 1.5 * r), 0.65 * r + 1, ink);
      ctx.lineCap = "round";
      trace(ctx, places);
      stroke(view, 1.3 * r + 2, ink);
      stroke(view, 1.3 * r, lit ? colours.lit : colours.paper);
    },
    distance: (view, p, places, x, y) => Math.max(0, toPath(x, y, places) - 0.6 * view.r) - 1,
  },

  rail: {
    layer: 1,
    shape: strip,
    draw(view, p, places, ink) {
      const [a, b] = longer(places, 4 * view.r); // as in view/strokes.py
      if (p.frame === "ground" && view.camera.flat) return grounded(view, a, b, 1.15 * view.r, ink);
      trace(view.ctx, [a, b]);
      stroke(view, 1.2, view.colours.faint);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places) + 2,
  },

  floor: {
    layer: 0,
    shape: (view, p) => [view.seen(p.a), view.seen(p.b)],
    draw(view, p, [a, b], ink) {
      const u = view.camera.direction(p.towards), size = Math.hypot(u[0], u[1]) || 1;
      hatched(view, a, b, [u[0] / size, u[1] / size], ink);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places),
  },

  slider: marker(5, (view, p, places, ink, lit) => {
    const { r, colours } = view, [x, y] = places[0], u = view.direction(p.frame, p.along);
    const size = Math.hypot(u[0], u[1]) || 1, ux = u[0] / size, uy = u[1] / size, l = 1.9 * r * Math.max(size, 0.5);
    const corner = (s, w) => [x + s * ux - w * uy, y + s * uy + w * ux];
    trace(view.ctx, [corner(-l, -1.1 * r), corner(l, -1.1 * r), corner(l, 1.1 * r), corner(-l, 1.1 * r)], true);
    fill(view, lit ? colours.lit : colours.rod);
    stroke(view, 1.2, ink);
  }),

  rod: ends(3, 0.4, (view, p, places, ink, lit) => {
    trace(view.ctx, places);
    stroke(view, 0.7 * view.r + 2, ink);
    stroke(view, 0.7 * view.r, lit ? view.colours.lit : view.colours.paper);
  }),

  // as in view/strokes.py: where the barrel begins and ends, where the piston is, and the end of the rod
  ram: {
    ...ends(3, 1.2, (view, p, [from, foot, mouth, piston, to], ink, lit) => {
      const { ctx, r, colours } = view, [ux, uy] = between(from, to), w = 1.2 * r, h = 0.5 * r;
      const box = (a, b, side) => trace(ctx, [[a[0] - uy * side, a[1] + ux * side], [b[0] - uy * side, b[1] + ux * side], [b[0] + uy * side, b[1] - ux * side], [a[0] + uy * side, a[1] - ux * side]], true);
      box(foot, mouth, w);
      fill(view, lit ? colours.lit : colours.paper);
      stroke(view, 1.2, ink);
      ctx.lineCap = "butt";
      for (const line of [[from, foot], [piston, to]]) {
        trace(ctx, line);
        stroke(view, Math.max(0.5 * r, 2), ink);
      }
      box(piston, [piston[0] + ux * h, piston[1] + uy * h], 0.85 * w);
      fill(view, ink);
    }),
    shape(view, p) {
      const [a, b] = p.ends.map(([frame, place]) => view.motion.place(frame, place));
      const d = b.map((x, i) => x - a[i]), length = Math.hypot(...d) || 1e-300;
      const foot = Math.min(1.2 * view.paper.radius, 0.2 * p.barrel), piston = Math.min(Math.max(length - p.rod, foot), length);
      return [0, foot, p.barrel, piston, length].map((s) => view.seen(a.map((x, i) => x + (s / length) * d[i])));
    },
  },

  strap: ends(4, 0.2, (view, p, places, ink, lit) => {
    trace(view.ctx, places);
    stroke(view, 1.4, lit ? view.colours.lit : ink);
  }),

  band: {
    layer: 4,
    shape(view, p) {
      const places = belt(p.ends.map(([frame, place]) => view.motion.place(frame, place)), p.radii, p.closed);
      return places.map((place) => view.seen(place));
    },
    draw(view, p, places, ink, lit) {
      trace(view.ctx, places, p.closed);
      stroke(view, 1.4, lit ? view.colours.lit : ink);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places),
  },

  outline: {
    layer: 4,
    shape: (view, p) => p.points.map((place) => view.at(p.frame, place)),
    draw(view, p, places, ink, lit) {
      trace(view.ctx, places);
      stroke(view, 1.2, lit ? view.colours.lit : ink);
    },
    distance: (view, p, places, x, y) => toPath(x, y, places),
  },

  lug: {
    layer: 2.5,
    shape: (view, p) => p.outline.map((place) => view.at(p.frame, place)),
    draw: block,
    distance: (view, p, places, x, y) => (inside(x, y, places) ? 1 : toPath(x, y, [...places, places[0]])),
  },

  // clear of what slides as that is drawn
  buffer: marker(2.5, (view, p, places, ink, lit) => {
    const { r } = view, [x, y] = places[0], u = view.direction(p.frame, p.along), size = Math.hypot(u[0], u[1]) || 1;
    const [ux, uy] = [u[0] / size, u[1] / size], from = (p.pin ? 0.65 : 1.9 * Math.max(size, 0.5)) * r, to = from + 0.9 * r;
    const corner = (s, w) => [x + s * ux - w * uy, y + s * uy + w * ux];
    block(view, p, [corner(from, -1.2 * r), corner(to, -1.2 * r), corner(to, 1.2 * r), corner(from, 1.2 * r)], ink, lit);
  }),

  // the letter of friction; names of points stand on the other side
  rough: marker(7, (view, p, places, ink) => {
    const { ctx, r } = view, [x, y] = places[0];
    ctx.font = "italic 13px Georgia, serif";
    [ctx.textAlign, ctx.textBaseline] = ["right", "alphabetic"];
    [ctx.lineWidth, ctx.strokeStyle, ctx.fillStyle] = [3, view.colours.paper, ink];
    ctx.strokeText("\u03bc", x - 1.1 * r, y - 0.7 * r);
    ctx.fillText("\u03bc", x - 1.1 * r, y - 0.7 * r);
  }),

  tie: ends(2, 0.4, (view, p, places, ink, lit) => {
    view.ctx.setLineDash([6, 5]);
    trace(view.ctx, places);
    stroke(view, 1.2, lit ? view.colours.lit : view.colours.faint);
    view.ctx.setLineDash([]);
  }),

  spring: ends(5, 1.0, (view, p, places, ink) => {
    trace(view.ctx, zigzag(...places, 1.1 * view.r));
    stroke(view, 1.4, ink);
  }),

  damper: ends(5, 1.0, (view, p, places, ink) => {
    const { ctx, r } = view, [a, b] = places, [ux, uy, length] = between(a, b);
    const at = (s, w) => [a[0] + ux * s * length - uy * w * 1.3 * r, a[1] + uy * s * length + ux * w * 1.3 * r];
    // as in view/strokes.py: a cup from 0.3 to 0.7 of the length, a piston at 0.52
    for (const line of [[a, at(0.3, 0)], [at(0.7, 1), at(0.3, 1), at(0.3, -1), at(0.7, -1)], [at(0.52, 0.8), at(0.52, -0.8)], [at(0.52, 0), b]]) {
      trace(ctx, line);
      stroke(view, 1.5, ink);
    }
  }),

  torsionspring: {
    ...marker(5, (view, p, places, ink) => {
      const { ctx, r } = view, [x, y] = places[0];
      ctx.beginPath();
      if (p.damper) {
        // as in view/strokes.py: an open ring, and a vane from its middle
        ctx.arc(x, y, 2.2 * r, 0.15 * Math.PI, 1.85 * Math.PI);
        ctx.moveTo(x, y - 1.7 * r);
        ctx.lineTo(x, y + 1.7 * r);
      }
      for (let i = 0; i <= 60 && !p.damper; i++) {
        const angle = (i / 60) * 5 * Math.PI, radius = r * (0.9 + (1.7 * i) / 60);
        const q = [x + radius * Math.cos(angle), y - radius * Math.sin(angle)];
        if (i) ctx.lineTo(...q); else ctx.moveTo(...q);
      }
      stroke(view, 1.2, ink);
    }),
    shape: (view, p) => [view.at(p.frames[1], p.at)],
  },
};
