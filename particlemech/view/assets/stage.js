// The stage: draws the scene at one time, and tells what is under the pointer.

const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
const GROUPS = { velocity: "#009E73", acceleration: "#CC79A7", reaction: "#D55E00", load: "#0072B2", impulse: "#8855CC", effort: "#E69F00" };
const ACTING = ["load", "impulse"]; // what acts from outside
const NEAR = 8; // pixels within which the pointer means a part
const LONGEST = 0.22; // length of an arrow of a group that few exceed, as a fraction of the picture
const PEAK = 2.5; // how many times longer the longest may be: one moment must not make all others dots

class Stage {
  constructor(canvas, motion, shown) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d");
    this.motion = motion;
    this.shown = shown; // what is switched on: traces, velocity, ..., names; and the points that leave traces
    this.paper = motion.paper;
    this.camera = new Camera(this.paper.dimension);
    this.colours = {};
    this.lit = null;
    this.items = [];
    this.paths = { key: "", canvas: document.createElement("canvas") };
    this.fitted = false;
    this.largest = new Map();
    this.space = { key: "", found: null };
  }

  // -- what primitives ask for: places on the screen ------------------------------------------------------------------

  seen(p) { return this.camera.project([p[0], p[1], p[2] || 0]); }
  at(frame, place) { return this.seen(this.motion.place(frame, place)); }
  direction(frame, u) { return this.camera.direction(this.motion.along(frame, u)); }

  // radius of a pin, pixels
  get r() { return Math.min(Math.max(this.paper.radius * this.camera.scale, 2.6), 16); }

  // -- window ----------------------------------------------------------------------------------------------------------

  resize() {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    if (!box.width || !box.height) return;
    const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const before = Math.min(this.camera.width, this.camera.height), moved = this.camera.scale / this.camera.fitted;
    [this.camera.width, this.camera.height, this.ratio] = [box.width, box.height, ratio];
    if (!this.fitted) return this.fit();
    const { centre } = this.camera;
    this.fit();
    if (before > 1 && Number.isFinite(moved)) [this.camera.scale, this.camera.centre] = [this.camera.scale * moved, centre];
  }

  fit() {
    const margin = 26 + 20 * Math.min(1, this.camera.width / 800);
    this.camera.fit(this.room(), margin, 24);
    const beyond = this.beyond();
    if (beyond > 0) this.camera.fit(this.room(), margin + beyond, 24);
    this.fitted = true;
  }

  // pixels that arrows of loads and impulses, which are there from the start, reach out of the window
  beyond() {
    const { camera, motion } = this, t = motion.moment.t, steps = Math.min(motion.count - 1, 20) || 1;
    let most = 0;
    for (const group of this.paper.arrows) {
      if (!ACTING.includes(group.name) || !this.shown[group.name] || (group.turning && camera.flat)) continue;
      for (let n = 0; n <= steps; n++) {
        motion.go(motion.start + (n / steps) * (motion.end - motion.start));
        this.drift();
        for (const { at, vector } of group.of) {
          const [x, y] = this.seen(motion.vector(at)), [u, v] = camera.direction([...vector.map((i) => motion.now(i)), 0, 0].slice(0, 3));
          const [a, b] = [x + this.factor(group) * u, y + this.factor(group) * v];
          most = Math.max(most, ...[8 - a, a - camera.width + 8, 8 - b, b - camera.height + 8].filter(Number.isFinite));
        }
      }
    }
    motion.go(t);
    this.drift();
    return most;
  }

  // least and largest places on the screen, at scale 1, of all that is seen at some times: left, right, top, bottom
  room() {
    const { camera, motion, paper } = this, swinging = motion.swinging;
    const key = JSON.stringify([camera.yaw, camera.pitch, this.shown.follow, swinging && swinging.now.home]);
    if (this.space.key === key) return this.space.found;
    const kept = [camera.scale, camera.centre, camera.width, camera.height, motion.moment.t];
    [camera.scale, camera.centre, camera.width, camera.height] = [1, [0, 0, 0], 0, 0];
    const found = [Infinity, -Infinity, Infinity, -Infinity], steps = Math.min(motion.count - 1, 60) || 1;
    const take = ([x, y]) => {
      if (!Number.isFinite(x + y)) return;
      [found[0], found[1]] = [Math.min(found[0], x), Math.max(found[1], x)];
      [found[2], found[3]] = [Math.min(found[2], y), Math.max(found[3], y)];
    };
    const amount = swinging && swinging.amount;
    if (swinging) swinging.amount = swinging.most;
    for (let n = 0; n <= steps; n++) {
      motion.go(motion.start + (n / steps) * (motion.end - motion.start));
      this.drift();
      for (const item of this.shapes()) item.places.forEach(take);
      for (const point of paper.points) take(this.seen(motion.vector(point.at)));
    }
    if (swinging) swinging.amount = amount;
    if (camera.flat && !this.shown.follow && !swinging) [paper.bounds.low, paper.bounds.high].forEach((p) => take(this.seen(p)));
    motion.go(kept.pop());
    [camera.scale, camera.centre, camera.width, camera.height] = kept;
    this.space = { key, found };
    return found;
  }

  // a camera that follows goes where the middle of all bodies is
  drift() {
    this.camera.drift = this.shown.follow ? this.motion.vector(this.paper.follow.at) : [0, 0, 0];
  }

  dress(style) {
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    for (const name of ["paper", "ink", "faint", "grid", "plate", "rod", "lit"]) this.colours[name] = colour(name);
    this.colours.dark = colour("dark") === "1";
    this.paths.key = "";
  }

  // a series colour that is seen on either paper
  colour(i) {
    const known = SERIES[i % SERIES.length];
    return this.colours.dark && known === "#0072B2" ? "#4aa8e8" : known;
  }

  groupColour(group) {
    const known = GROUPS[group] || SERIES[5];
    return this.colours.dark && known === "#0072B2" ? "#4aa8e8" : known;
  }

  // -- drawing ---------------------------------------------------------------------------------------------------------

  draw() {
    const { ctx, camera } = this;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.fillStyle = this.colours.paper;
    ctx.fillRect(0, 0, camera.width, camera.height);
    ctx.lineJoin = ctx.lineCap = "round";
    this.drift();
    if (camera.flat) this.grid(); else this.floor();
    if (this.motion.swinging) this.ghost();
    this.items = this.shapes();
    if (this.shown.traces) this.drawPaths();
    for (const item of this.items) {
      ctx.lineCap = "round";
      const lit = this.lit && item.p.name === this.lit.name && item.p.section === this.lit.section;
      item.look.draw(this, item.p, item.places, lit ? this.colours.strong || this.colours.ink : this.colours.ink, lit);
    }
    if (this.shown.traces) this.drawTails();
    ctx.lineCap = "round";
    for (const group of this.paper.arrows) if (this.shown[group.name]) this.drawArrows(group);
    if (this.shown.names) this.drawNames();
  }

  // what swings, as it is at rest, faint
  ghost() {
    const { motion, ctx } = this, { t } = motion.moment, picture = this.paths.canvas;
    [picture.width, picture.height] = [this.canvas.width, this.canvas.height];
    this.ctx = picture.getContext("2d");
    this.ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.ctx.lineJoin = this.ctx.lineCap = "round";
    motion.rest();
    for (const item of this.shapes()) item.look.draw(this, item.p, item.places, this.colours.ink, false);
    this.ctx = ctx;
    motion.go(t);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.globalAlpha = 0.2;
    ctx.drawImage(picture, 0, 0);
    ctx.globalAlpha = 1;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  // all primitives with their places on the screen, those in front last
  shapes() {
    const items = [], flat = this.camera.flat;
    for (const p of this.paper.primitives) {
      const look = PRIMITIVES[p.kind];
      if (!look || (p.there !== undefined && this.motion.now(p.there) < 0.5)) continue; // a run has taken it out
      const parts = p.faces && p.faces.length ? look.parts(this, p) : [look.shape(this, p)];
      for (const places of parts) items.push({ p, look, places, order: flat ? look.layer : middle(places) });
    }
    // in space, marks lie on the bodies that they belong to: a little nearer than these
    if (!flat) for (const item of items) item.order += (0.3 * this.paper.radius) * item.look.layer;
    return items.sort((a, b) => a.order - b.order);
  }

  grid() {
    const { ctx, camera } = this, step = nice(70 / camera.scale);
    const middle = camera.centre.map((c, i) => c + camera.drift[i]);
    const [low, high] = [[0, camera.height], [camera.width, 0]].map(([x, y]) => [
      middle[0] + (x - camera.width / 2) / camera.scale, middle[1] - (y - camera.height / 2) / camera.scale,
    ]);
    const words = [];
    ctx.beginPath();
    for (const axis of [0, 1]) {
      for (let n = Math.ceil(low[axis] / step); n * step <= high[axis]; n++) {
        const [x, y] = this.seen(axis ? [middle[0], n * step] : [n * step, middle[1]]);
        ctx.moveTo(axis ? 0 : x, axis ? y : 0);
        ctx.lineTo(axis ? camera.width : x, axis ? y : camera.height);
        const clear = axis ? y < camera.height - 24 && y > 40 : x > 44 && x < camera.width - 80;
        if (clear) words.push([shortest(n * step, step), ...(axis ? [4, y, "left", "middle"] : [x, camera.height - 4, "center", "bottom"])]);
      }
    }
    stroke(this, 1, this.colours.grid);
    ctx.font = "11px system-ui, sans-serif";
    [ctx.lineWidth, ctx.strokeStyle, ctx.fillStyle] = [4, this.colours.paper, this.colours.faint];
    for (const [word, x, y, align, base] of words) {
      [ctx.textAlign, ctx.textBaseline] = [align, base];
      ctx.strokeText(word, x, y);
      ctx.fillText(word, x, y);
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.fillText(`x, y [${this.paper.unit}]`, camera.width - 6, camera.height - 4);
  }

  // a square grid on the lowest plane of the scene, and the axes in the corner
  floor() {
    const { ctx, camera } = this, { low, high } = this.paper.bounds;
    const size = Math.max(...low.map((l, i) => high[i] - l)), step = nice(size / 6);
    const [x0, x1, y0, y1] = [0, 1].flatMap((i) => [Math.floor(low[i] / step) * step, Math.ceil(high[i] / step) * step]);
    ctx.beginPath();
    const line = (a, b) => { const [p, q] = [this.seen(a), this.seen(b)]; ctx.moveTo(p[0], p[1]); ctx.lineTo(q[0], q[1]); };
    if (!this.shown.follow) { // what is followed leaves its floor behind
      for (let x = x0; x <= x1 + 1e-9 * size; x += step) line([x, y0, low[2]], [x, y1, low[2]]);
      for (let y = y0; y <= y1 + 1e-9 * size; y += step) line([x0, y, low[2]], [x1, y, low[2]]);
    }
    stroke(this, 1, this.colours.grid);
    const corner = [34, camera.height - 34];
    ctx.font = "11px system-ui, sans-serif";
    [ctx.textAlign, ctx.textBaseline, ctx.fillStyle] = ["center", "middle", this.colours.faint];
    for (const [i, name] of ["x", "y", "z"].entries()) {
      const [u, v] = camera.direction([0, 1, 2].map((j) => (i === j ? 1 : 0)));
      trace(ctx, [corner, [corner[0] + 20 * u, corner[1] + 20 * v]]);
      stroke(this, 1.2, this.colours.faint);
      ctx.fillText(name, corner[0] + 28 * u, corner[1] + 28 * v);
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    if (!this.shown.follow) ctx.fillText(`grid ${shortest(step, step)} ${this.paper.unit}`, camera.width - 6, camera.height - 4);
  }

  // -- traces ----------------------------------------------------------------------------------------------------------

  // whole paths, faint: they are kept as a picture while the camera rests
  drawPaths() {
    const { camera } = this, chosen = this.shown.points;
    const key = JSON.stringify([camera.centre, camera.drift, camera.scale, camera.yaw, camera.pitch, this.canvas.width, this.canvas.height, chosen]);
    const picture = this.paths.canvas;
    if (this.paths.key !== key) {
      this.paths.key = key;
      [picture.width, picture.height] = [this.canvas.width, this.canvas.height];
      const ctx = picture.getContext("2d");
      ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      ctx.globalAlpha = 0.38;
      ctx.lineWidth = 1.2;
      chosen.forEach((point, i) => {
        ctx.strokeStyle = this.colour(i);
        this.path(ctx, this.paper.points[point].at, 0, this.motion.count - 1);
        ctx.stroke();
      });
    }
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.ctx.drawImage(picture, 0, 0);
    this.ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  // samples of a path as a line; samples less than half a pixel apart are left out
  path(ctx, numbers, from, to) {
    const columns = numbers.map((number) => this.motion.columns.at(number)), p = [0, 0, 0];
    let x = NaN, y = NaN, down = false;
    ctx.beginPath();
    for (let k = from; k <= to; k++) {
      for (let i = 0; i < columns.length; i++) p[i] = columns[i][k];
      const q = this.camera.project(p);
      if (!Number.isFinite(q[0])) { down = false; continue; }
      if (down && k < to && Math.abs(q[0] - x) + Math.abs(q[1] - y) < 0.5) continue;
      if (down) ctx.lineTo(q[0], q[1]); else ctx.moveTo(q[0], q[1]);
      [x, y, down] = [q[0], q[1], true];
    }
  }

  // the latest part of each path, fading, and a dot where the point is
  drawTails() {
    const { ctx, motion } = this, { k, t } = motion.moment, steps = 10;
    const reach = this.shown.tail, since = (s) => {
      let low = 0, high = k;
      while (low < high) { const m = (low + high) >> 1; if (motion.t[m] < t - s) low = m + 1; else high = m; }
      return low;
    };
    ctx.lineCap = "butt"; // pieces that overlap would show
    this.shown.points.forEach((point, i) => {
      const numbers = this.paper.points[point].at, colour = this.colour(i);
      for (let n = steps; n > 0; n--) {
        const [from, to] = [since((reach * n) / steps), since((reach * (n - 1)) / steps)];
        if (to <= from) continue;
        ctx.globalAlpha = 1 - (n - 1) / steps;
        this.path(ctx, numbers, from, to);
        stroke(this, 2.2, colour);
      }
      ctx.globalAlpha = 1;
      const now = this.seen(motion.vector(numbers));
      trace(ctx, [this.seen(motion.sample(numbers, k)), now]);
      stroke(this, 2.2, colour);
      disc(ctx, now, 4);
      fill(this, colour);
    });
  }

  // -- arrows and names ------------------------------------------------------------------------------------------------

  // the largest value of a group over all times
  most(group) {
    if (!this.largest.has(group)) {
      let most = 0;
      const sizes = [], every = Math.ceil((group.of.length * this.motion.count) / 50000) || 1;
      for (const { vector } of group.of) {
        const columns = vector.map((number) => this.motion.columns.at(number));
        for (let k = 0; k < this.motion.count; k++) {
          const size = Math.hypot(...columns.map((column) => column[k]));
          if (size > most) most = size;
          if (k % every === 0 && size >= 0) sizes.push(size);
        }
      }
      const usual = Float64Array.from(sizes).sort()[Math.floor(0.95 * (sizes.length - 1))] || 0;
      this.largest.set(group, { most, usual: Math.max(usual, most / PEAK) });
    }
    return this.largest.get(group).most;
  }

  usual(group) { return this.most(group) && this.largest.get(group).usual; }

  // pixels per unit of a group's vectors
  factor(group) {
    const usual = this.usual(group), size = Math.min(this.camera.width, this.camera.height);
    return usual > 0 ? (LONGEST * size * Math.sqrt(this.camera.scale / this.camera.fitted)) / usual : 0;
  }

  drawArrows(group) {
    const factor = this.factor(group), colour = this.groupColour(group.name), pairs = [];
    for (const { at, vector } of group.of) {
      const place = this.seen(this.motion.vector(at)), value = vector.map((number) => this.motion.now(number));
      if (!value.every(Number.isFinite)) continue;
      if (group.turning && this.camera.flat) {
        const part = value[0] / (this.most(group) || 1);
        if (Math.abs(part) > 0.01) turning(this, place, 2.8 * this.r, 1.6 * Math.PI * part, colour);
        continue;
      }
      const [u, v] = this.camera.direction([...value, 0, 0].slice(0, 3)), tip = [place[0] + factor * u, place[1] + factor * v];
      pairs.push([place, tip]);
      // a couple in space has two heads
      if (group.turning) pairs.push([place, [place[0] + 0.85 * factor * u, place[1] + 0.85 * factor * v]]);
    }
    arrows(this, pairs, colour);
  }

  drawNames() {
    const { ctx } = this, taken = [];
    ctx.font = "12px system-ui, sans-serif";
    [ctx.textAlign, ctx.textBaseline, ctx.lineWidth] = ["left", "bottom", 3];
    for (const point of this.paper.points) {
      const [x, y] = this.seen(this.motion.vector(point.at));
      if (taken.some(([a, b]) => Math.hypot(a - x, b - y) < 14)) continue;
      taken.push([x, y]);
      ctx.strokeStyle = this.colours.paper;
      ctx.fillStyle = this.colours.ink;
      ctx.strokeText(point.name, x + 0.8 * this.r + 2, y - 0.8 * this.r);
      ctx.fillText(point.name, x + 0.8 * this.r + 2, y - 0.8 * this.r);
    }
  }

  // -- under the pointer -------------------------------------------------------------------------------------------------

  // the part nearest to a place on the screen, and a named point if one is there
  under(x, y) {
    let part = null, nearest = NEAR;
    for (const { p, look, places } of this.items) {
      const distance = look.distance(this, p, places, x, y);
      if (distance <= nearest) [part, nearest] = [p, distance];
    }
    let point = null, close = NEAR;
    for (const candidate of this.paper.points) {
      const q = this.seen(this.motion.vector(candidate.at)), distance = Math.hypot(q[0] - x, q[1] - y);
      if (distance < close) [point, close] = [candidate, distance];
    }
    return part || point ? { part, point } : null;
  }
}
