// The motion: where every frame, point and arrow is at a time between two samples.

class Motion {
  constructor(paper, columns) {
    this.paper = paper;
    this.columns = columns;
    this.frames = new Map(paper.frames.map((f) => [f.name, { ...f, at: null }]));
    this.swinging = paper.swings.length ? new Swinging(this, paper.swings) : null;
    this.moment = { k: 0, part: 0, t: this.t[0] };
    this.axis = new Axis(paper, this);
  }

  get t() { return this.swinging ? this.swinging.times : this.columns.at(this.paper.t); }
  get count() { return this.t.length; }
  get start() { return this.t[0]; }
  get end() { return this.t[this.count - 1]; }

  // go to a time; `moment` then holds the sample before it and the part of the way to the next
  go(t) {
    const times = this.t, last = this.count - 1;
    t = Math.min(Math.max(t, times[0]), times[last]);
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle; else high = middle;
    }
    if (t >= times[last]) low = last;
    const width = low < last ? times[low + 1] - times[low] : 0, part = width > 0 ? (t - times[low]) / width : 0;
    if (this.axis.words.length) { // nothing lies between these samples
      if (part >= 0.5) low += 1;
      this.moment = { k: low, part: 0, t: times[low] };
    } else this.moment = { k: low, part, t };
    if (this.swinging) this.moment.mix = this.swinging.mix(low, part);
    for (const frame of this.frames.values()) frame.at = null;
  }

  // go where nothing has moved yet
  rest() {
    this.moment = { ...this.moment, mix: [[this.swinging.now.home, 1]] };
    for (const frame of this.frames.values()) frame.at = null;
  }

  get nearest() { return this.moment.k + (this.moment.part > 0.5 ? 1 : 0); }

  // the value of a column now, straight between samples
  now(number) {
    const column = this.columns.at(number), { k, part, mix } = this.moment;
    if (mix) return mix.reduce((sum, [sample, weight]) => sum + weight * column[sample], 0);
    return part > 0 ? column[k] + part * (column[k + 1] - column[k]) : column[k];
  }

  vector(numbers) {
    return [this.now(numbers[0]), this.now(numbers[1]), numbers.length > 2 ? this.now(numbers[2]) : 0];
  }

  sample(numbers, k) {
    const read = (i) => this.columns.at(numbers[i])[k];
    return [read(0), read(1), numbers.length > 2 ? read(2) : 0];
  }

  // origin and rotation (rows) of a frame now
  frame(name) {
    const frame = this.frames.get(name);
    if (!frame) return null;
    if (!frame.at) frame.at = { centre: frame.centre, origin: this.vector(frame.origin), turn: this.turn(frame) };
    return frame.at;
  }

  turn(frame) {
    if (frame.angle !== undefined) {
      const angle = this.now(frame.angle), c = Math.cos(angle), s = Math.sin(angle);
      return [[c, -s, 0], [s, c, 0], [0, 0, 1]];
    }
    const q = frame.quaternion.map((number) => this.now(number)), size = Math.hypot(...q) || 1;
    const [w, x, y, z] = q.map((value) => value / size);
    return [
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ];
  }

  // where a place of the drawing, carried by a frame, is now
  place(name, p) {
    const at = this.frame(name);
    if (!at) return [p[0], p[1], p[2] || 0];
    const d = this.along(name, [p[0] - at.centre[0], p[1] - at.centre[1], (p[2] || 0) - at.centre[2]]);
    return [at.origin[0] + d[0], at.origin[1] + d[1], at.origin[2] + d[2]];
  }

  // a direction of the drawing, carried by a frame, as it is now
  along(name, u) {
    const at = this.frame(name);
    if (!at) return [u[0], u[1], u[2] || 0];
    return at.turn.map((row) => row[0] * u[0] + row[1] * u[1] + row[2] * (u[2] || 0));
  }
}
