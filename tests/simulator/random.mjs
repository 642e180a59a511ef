// Random numbers that depend on the seed alone: the same seed gives the same log on every machine.

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

export class Random {
  constructor(seed) {
    this.seed = seed;
    this.state = hash(String(seed));
    for (let i = 0; i < 4; i++) this.next();
  }

  /** A stream of its own, so that one more draw here does not change what is drawn there. */
  fork(label) {
    return new Random(`${this.seed}/${label}`);
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  between(low, high) {
    return low + (high - low) * this.next();
  }

  int(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share) {
    return this.next() < share;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  shuffle(list) {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = Math.floor(this.next() * (i + 1));
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }

  sample(list, count) {
    return this.shuffle(list).slice(0, count);
  }
}
