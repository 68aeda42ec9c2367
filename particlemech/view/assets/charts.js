// Charts of quantities against the axis, one for each kind of quantity, with a cursor tied to the time.

const CHART = { left: 58, right: 10, top: 8, bottom: 20, height: 130 };

class Charts {
  constructor(box, stage, moved) {
    this.box = box;
    this.stage = stage;
    this.motion = stage.motion;
    this.moved = moved; // called with a time when the cursor is dragged
    this.list = [];
  }

  // show a quantity, in the chart of its kind if there is one with room
  add(index) {
    const q = this.motion.paper.quantities[index];
    if (!q || this.list.some((chart) => chart.series.includes(index))) return;
    let chart = this.list.find((c) => c.what === q.what && c.unit === q.unit && c.series.length < SERIES.length);
    if (!chart) {
      chart = this.make(q);
      this.list.push(chart);
    }
    chart.series.push(index);
    this.label(chart);
    this.paint(chart);
  }

  remove(chart, index) {
    chart.series = chart.series.filter((i) => i !== index);
    if (chart.series.length) {
      this.label(chart);
      this.paint(chart);
    } else {
      chart.element.remove();
      this.list = this.list.filter((c) => c !== chart);
    }
  }

  make(q) {
    const chart = { what: q.what, unit: q.unit, series: [], values: [], picture: document.createElement("canvas") };
    chart.element = element("figure", "chart");
    chart.legend = element("figcaption", "legend");
    chart.canvas = element("canvas", "curve");
    chart.canvas.setAttribute("role", "img");
    chart.element.append(chart.legend, chart.canvas);
    this.box.append(chart.element);
    const drag = (event) => {
      if (!event.buttons && event.type === "pointermove") return;
      const box = chart.canvas.getBoundingClientRect(), width = box.width - CHART.left - CHART.right;
      const part = Math.min(Math.max((event.clientX - box.left - CHART.left) / width, 0), 1);
      this.moved(this.motion.start + part * (this.motion.end - this.motion.start));
    };
    chart.canvas.addEventListener("pointerdown", (event) => {
      chart.canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    chart.canvas.addEventListener("pointermove", drag);
    return chart;
  }

  label(chart) {
    const names = chart.series.map((index) => this.motion.paper.quantities[index].name);
    chart.canvas.setAttribute("aria-label", `${names.join(", ")} against ${this.motion.axis.name}`);
    [chart.values, chart.same] = [[], []];
    const head = element("span", "what", `${chart.what} [${chart.unit}]`);
    chart.legend.replaceChildren(head, ...chart.series.map((index, i) => {
      const chip = element("button", "chip");
      chip.type = "button";
      chip.title = "remove from the chart";
      const dot = element("i", "dot"), value = element("b", "value"), same = element("span", "same");
      dot.style.background = this.stage.colour(i);
      chart.values.push(value);
      chart.same.push(same);
      chip.append(dot, element("bdi", "", names[i]), value, same, element("span", "cross", "×"));
      chip.addEventListener("click", () => this.remove(chart, index));
      return chip;
    }));
  }

  // range of all series of a chart, with a little room
  range(chart) {
    let low = Infinity, high = -Infinity;
    for (const index of chart.series) {
      for (const value of this.motion.columns.at(this.motion.paper.quantities[index].column)) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(high >= low)) [low, high] = [-1, 1];
    // what is constant but for rounding is drawn as constant
    const size = Math.max(high - low, 1e-5 * Math.max(Math.abs(low), Math.abs(high))) || 1, middle = (low + high) / 2;
    return [middle - 0.56 * size, middle + 0.56 * size];
  }

  // the curves: kept as a picture, so that playing draws only the cursor
  paint(chart) {
    const ratio = window.devicePixelRatio || 1, width = chart.canvas.clientWidth, height = CHART.height;
    if (!width) return;
    for (const canvas of [chart.canvas, chart.picture]) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const ctx = chart.picture.getContext("2d"), { motion, stage } = this, [low, high] = this.range(chart);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const inner = { w: width - CHART.left - CHART.right, h: height - CHART.top - CHART.bottom };
    const span = motion.end - motion.start || 1;
    const x = (t) => CHART.left + (inner.w * (t - motion.start)) / span;
    const y = (value) => CHART.top + inner.h * (1 - (value - low) / (high - low));
    this.ticks(ctx, x, y, low, high, inner, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(CHART.left, 0, inner.w + 1, height - CHART.bottom + 2);
    ctx.clip();
    chart.series.forEach((index, i) => {
      const under = this.covered(chart, i, (high - low) / inner.h);
      ctx.strokeStyle = stage.colour(i);
      ctx.lineWidth = 1.5;
      ctx.lineJoin = "round";
      ctx.setLineDash(under.length ? [6, 6 * under.length] : []); // so that those below it are seen
      this.curve(ctx, motion.columns.at(motion.paper.quantities[index].column), x, y);
      chart.same[i].textContent = under.length ? `= ${motion.paper.quantities[under[0]].name}` : "";
    });
    ctx.setLineDash([]);
    ctx.restore();
    this.cursor(chart);
  }

  // the quantities drawn before number i that its curve hides: nowhere more than a pixel apart
  covered(chart, i, pixel) {
    const values = (index) => this.motion.columns.at(this.motion.paper.quantities[index].column), own = values(chart.series[i]);
    return chart.series.slice(0, i).filter((index) => {
      const other = values(index);
      return own.every((value, k) => Math.abs(value - other[k]) <= pixel || (Number.isNaN(value) && Number.isNaN(other[k])));
    });
  }

  ticks(ctx, x, y, low, high, inner, height) {
    const { motion, stage } = this;
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = stage.colours.faint;
    ctx.strokeStyle = stage.colours.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    [ctx.textAlign, ctx.textBaseline] = ["right", "middle"];
    const rise = nice((high - low) / 4);
    for (let n = Math.ceil(low / rise); n * rise <= high; n++) {
      ctx.moveTo(CHART.left, y(n * rise));
      ctx.lineTo(CHART.left + inner.w, y(n * rise));
      ctx.fillText(shortest(n * rise, rise), CHART.left - 6, y(n * rise));
    }
    [ctx.textAlign, ctx.textBaseline] = ["center", "bottom"];
    const room = ctx.measureText(motion.axis.label).width;
    for (const { t, text } of motion.axis.ticks(inner.w / 60)) {
      ctx.moveTo(x(t), CHART.top);
      ctx.lineTo(x(t), CHART.top + inner.h);
      if (x(t) < CHART.left + inner.w - room - 4) ctx.fillText(text, x(t), height - 2);
    }
    ctx.textAlign = "right";
    ctx.fillText(motion.axis.label, CHART.left + inner.w + 6, height - 2);
    ctx.stroke();
    ctx.beginPath();
    for (const { t } of motion.axis.marks) {
      ctx.moveTo(x(t), CHART.top);
      ctx.lineTo(x(t), CHART.top + inner.h);
    }
    ctx.setLineDash([3, 3]);
    ctx.strokeStyle = stage.colours.faint;
    ctx.stroke();
    ctx.setLineDash([]);
  }

  // one curve: where many samples share a column of pixels, its least and largest values
  curve(ctx, values, x, y) {
    const times = this.motion.t, count = values.length;
    ctx.beginPath();
    ctx.fillStyle = ctx.strokeStyle;
    let down = false, column = NaN, low = 0, high = 0;
    const flush = () => { if (Number.isFinite(column) && high > low) { ctx.lineTo(column, y(low)); ctx.lineTo(column, y(high)); } };
    for (let k = 0; k < count; k++) {
      const value = values[k];
      if (!Number.isFinite(value)) { flush(); [down, column] = [false, NaN]; continue; }
      const place = count > 1500 ? Math.round(x(times[k])) : x(times[k]);
      if (place === column) { low = Math.min(low, value); high = Math.max(high, value); continue; }
      flush();
      if (down && !this.motion.axis.words.length) ctx.lineTo(place, y(value)); else ctx.moveTo(place, y(value));
      [down, column, low, high] = [true, place, value, value];
    }
    flush();
    ctx.stroke();
    if (!this.motion.axis.words.length) return;
    values.forEach((value, k) => { disc(ctx, [x(times[k]), y(value)], 3); ctx.fill(); }); // nothing lies between
  }

  cursor(chart) {
    const { motion } = this, ratio = window.devicePixelRatio || 1, ctx = chart.canvas.getContext("2d");
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, chart.canvas.width, chart.canvas.height);
    ctx.drawImage(chart.picture, 0, 0);
    const width = chart.canvas.width / ratio - CHART.left - CHART.right;
    const x = CHART.left + (width * (motion.moment.t - motion.start)) / (motion.end - motion.start || 1);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = this.stage.colours.ink;
    ctx.fillRect(x - 0.75, CHART.top, 1.5, CHART.height - CHART.top - CHART.bottom);
    chart.series.forEach((index, i) => {
      const q = motion.paper.quantities[index];
      chart.values[i].textContent = number(motion.now(q.column), motion.columns.heads[q.column][1]);
    });
  }

  // only charts on the screen follow the time
  follow() {
    for (const chart of this.list) if (chart.canvas.width > 1) this.cursor(chart);
  }

  repaint() {
    for (const chart of this.list) {
      this.label(chart);
      this.paint(chart);
    }
  }
}
