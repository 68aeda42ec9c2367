// Hands: mouse, fingers and keys. One finger or the left button pans the plane and orbits space; two fingers, the other
// buttons and shift pan; the wheel and pinching zoom; a double click shows everything again.

function handle(stage, redraw, hover) {
  const canvas = stage.canvas, down = new Map();
  let pinch = null, tap = null, tapped = -1000;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const two = () => {
    const [a, b] = [...down.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) || 1 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, at(event));
    pinch = down.size === 2 ? two() : null;
    tap = down.size === 1 ? at(event) : null;
    // a finger has no hover: a touch names what is under it
    if (event.pointerType === "touch" && down.size === 1) hover(...at(event));
    canvas.classList.add("held");
  });

  canvas.addEventListener("pointermove", (event) => {
    const place = at(event), before = down.get(event.pointerId);
    if (!before) return hover(...place);
    down.set(event.pointerId, place);
    if (tap && Math.hypot(place[0] - tap[0], place[1] - tap[1]) > 8) tap = null;
    if (down.size === 2 && pinch) {
      const now = two();
      stage.camera.move(now.x - pinch.x, now.y - pinch.y);
      stage.camera.zoom(now.apart / pinch.apart, now.x, now.y);
      pinch = now;
    } else if (down.size === 1) {
      const [dx, dy] = [place[0] - before[0], place[1] - before[1]];
      if (stage.camera.flat || event.shiftKey || event.buttons & 6) stage.camera.move(dx, dy);
      else stage.camera.turnTo(stage.camera.yaw - 0.008 * dx, stage.camera.pitch + 0.008 * dy);
    }
    redraw();
  });

  const up = (event) => {
    down.delete(event.pointerId);
    pinch = null;
    if (!down.size) canvas.classList.remove("held");
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hover(NaN, NaN); });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    stage.camera.zoom(Math.exp(-0.0015 * lines * event.deltaY), ...at(event));
    redraw();
  }, { passive: false });

  const home = () => {
    stage.camera.turnTo(stage.camera.home.yaw, stage.camera.home.pitch);
    stage.fit();
    redraw();
  };
  canvas.addEventListener("dblclick", home);
  // two taps of one finger are a double click
  canvas.addEventListener("pointerup", (event) => {
    if (event.pointerType !== "touch" || !tap) return;
    if (event.timeStamp - tapped < 300) home();
    tapped = event.timeStamp;
  });
  return home;
}

// keys and what they do; a field for text, a list or a slider keeps its own keys
function keys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName, own = event.target.type;
    if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && own !== "range" && own !== "checkbox")) return;
    if ((tag === "BUTTON" || tag === "SUMMARY" || own === "checkbox") && (event.key === " " || event.key === "Enter")) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
