// Numbers for people: round steps, few digits.

// the next of 1, 2, 5 times a power of ten, not below a value
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((m) => m * power >= value * (1 - 1e-9));
}

// a multiple of a step, without digits that say nothing
function shortest(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return minus(String(Number(value.toPrecision(6))));
  return minus(value.toFixed(Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)))));
}

// a value with four digits, and none beyond the steps in which it was kept
function number(value, step = 0) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) <= step) return "0";
  const size = Math.abs(value);
  return minus(size >= 1e6 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(size >= 1e3 ? 5 : 4))));
}

const minus = (text) => text.replace(/-/g, "−");
