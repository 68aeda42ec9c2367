// Columns of numbers, unpacked when they are first asked for: see view/packing.py for the form, (1) to (3) there.

async function unpacked(text) {
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const letters = atob(text);
    bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Columns {
  constructor(heads, bytes, count) {
    this.heads = heads;
    this.bytes = bytes;
    this.count = count;
    this.read = new Array(heads.length);
    this.start = [];
    let at = 0;
    for (const head of heads) {
      this.start.push(at);
      at += head[2] * count;
    }
  }

  // the column of a number, (K,), NaN where there is no value
  at(number) {
    if (!this.read[number]) this.read[number] = this.unpack(number);
    return this.read[number];
  }

  unpack(number) {
    const [low, step, width] = this.heads[number];
    const count = this.count, result = new Float64Array(count), bytes = this.bytes, start = this.start[number];
    if (!width) return result.fill(low === null ? NaN : low);
    const modulus = 256 ** width;
    let before = 0, last = 0;
    for (let k = 0; k < count; k++) {
      let z = 0;
      for (let b = width - 1; b >= 0; b--) z = z * 256 + bytes[start + b * count + k];
      const s = z % 2 ? -(z + 1) / 2 : z / 2;
      let n = (s + 2 * last - before) % modulus;
      if (n < 0) n += modulus;
      result[k] = n === modulus - 1 ? NaN : low + step * n;
      before = last;
      last = n;
    }
    return result;
  }
}
