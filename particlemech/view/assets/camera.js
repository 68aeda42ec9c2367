// The camera: parallel projection onto the window, the same for the plane (seen from above) and for space.
//
//     x = width/2 + scale right.q,   y = height/2 - scale up.q,   depth = toward.q      q = p - centre - drift        (1)
//
// The drift is where a camera that follows the mechanism has been taken to.

class Camera {
  constructor(dimension) {
    this.flat = dimension === 2;
    this.width = this.height = 1;
    this.home = { yaw: -Math.PI / 3, pitch: Math.PI / 7 };
    this.centre = [0, 0, 0];
    this.drift = [0, 0, 0];
    this.scale = this.fitted = 1;
    this.turnTo(this.home.yaw, this.home.pitch);
  }

  turnTo(yaw, pitch) {
    this.yaw = yaw;
    this.pitch = Math.min(Math.max(pitch, -Math.PI / 2), Math.PI / 2);
    if (this.flat) {
      [this.right, this.up, this.toward] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
      return;
    }
    const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    this.right = [-s, c, 0];
    this.toward = [c * cp, s * cp, sp];
    this.up = [-c * sp, -s * sp, cp];
  }

  project(p) {
    const { right, up, toward, scale, centre, drift } = this;
    const x = p[0] - centre[0] - drift[0], y = p[1] - centre[1] - drift[1], z = p[2] - centre[2] - drift[2];
    return [
      this.width / 2 + scale * (right[0] * x + right[1] * y + right[2] * z),
      this.height / 2 - scale * (up[0] * x + up[1] * y + up[2] * z),
      toward[0] * x + toward[1] * y + toward[2] * z,
    ];
  }

  // a direction on the screen, per unit of length
  direction(u) {
    const { right, up } = this, z = u[2] || 0;
    return [right[0] * u[0] + right[1] * u[1] + right[2] * z, -(up[0] * u[0] + up[1] * u[1] + up[2] * z)];
  }

  // show places, given as (1) has them for scale 1, no centre and an empty window, as large as the window allows
  fit(seen, margin, above) {
    const [left, right, top, bottom] = seen, [x, y] = [(left + right) / 2, -(top + bottom) / 2];
    const room = (length) => Math.max(length - 2 * Math.min(margin, length / 5), 16);
    const scale = Math.min(room(this.width) / (right - left), room(this.height - above) / (bottom - top));
    this.scale = this.fitted = scale > 0 && scale < 1e300 ? scale : 1;
    this.centre = [0, 1, 2].map((i) => this.right[i] * x + this.up[i] * y);
    this.move(0, above / 2);
  }

  move(dx, dy) {
    const { right, up, scale } = this;
    this.centre = this.centre.map((c, i) => c - (right[i] * dx - up[i] * dy) / scale);
  }

  // zoom so that what is under (x, y) stays there
  zoom(factor, x, y) {
    const next = Math.min(Math.max(this.scale * factor, this.fitted / 50), this.fitted * 400);
    const dx = x - this.width / 2, dy = y - this.height / 2;
    this.move(-dx, -dy);
    this.scale = next;
    this.move(dx, dy);
  }
}
