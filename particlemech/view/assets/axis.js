// What samples are shown against: view/axis.py has the equation, (1) there. Times stay even along the axis.

const ROUND = [1, 2, 5, 10, 15, 30, 45, 90, 180, 360]; // steps of degrees

class Axis {
  constructor(paper, motion) {
    Object.assign(this, paper.axis);
    this.motion = motion;
    this.marks = paper.marks;
  }

  get label() { return this.unit ? `${this.symbol} [${this.unit}]` : this.name; }
  get span() { return this.motion.end - this.motion.start; }

  value(t) {
    const found = this.first + this.rate * t;
    return this.log ? 10 ** found : found;
  }

  time(value) { return ((this.log ? Math.log10(value) : value) - this.first) / this.rate; }

  // where it is, for people
  said(t) {
    if (this.words.length) {
      const k = Math.round(t);
      return `${k + 1} of ${this.words.length}: ${this.words[k]}`;
    }
    const value = this.value(t), most = Math.max(Math.abs(this.value(this.motion.start)), Math.abs(this.value(this.motion.end)));
    if (this.log) return `${Number(value.toPrecision(4))} ${this.unit}`;
    const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(most || 1))));
    return minus(`${(Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits)}${this.unit === "°" ? "" : " "}${this.unit}`);
  }

  // round values, about so many of them: their times and their words
  ticks(many) {
    const { start, end } = this.motion, [a, b] = [this.value(start), this.value(end)], [low, high] = [Math.min(a, b), Math.max(a, b)];
    if (this.words.length) return this.words.map((_, k) => ({ t: k, text: String(k + 1) }));
    const found = [];
    if (this.log) {
      for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
        for (const m of [1, 2, 5]) {
          const value = m * 10 ** power;
          if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push({ t: this.time(value), text: shortest(value, value) });
        }
      }
      return found;
    }
    const least = (high - low || 1) / Math.max(2, many);
    const step = (this.unit === "°" && ROUND.find((r) => r >= least)) || nice(least);
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n++) found.push({ t: this.time(n * step), text: shortest(n * step, step) });
    return found;
  }
}

// marks: strokes above the slider, and buttons in the panel that lead to them
function markList(axis, go) {
  const strokes = find("marks"), list = find("mark-list");
  find("marks-section").hidden = !axis.marks.length;
  find("marks-title").textContent = axis.log ? "Peaks" : "Toggles and dead points";
  for (const mark of axis.marks) {
    const part = (mark.t - axis.motion.start) / (axis.span || 1), line = element("i", mark.name === "toggle" ? "toggle-mark" : "");
    line.style.left = `calc(8px + ${part} * (100% - 16px))`;
    strokes.append(line);
    const button = element("button", "row");
    button.type = "button";
    button.append(element("bdi", "", mark.name), element("span", "kind", `${axis.name} ${axis.said(mark.t)}`));
    button.addEventListener("click", () => go(mark.t));
    list.append(button);
  }
}
