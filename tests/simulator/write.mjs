// From records to files: each process writes in its own order, the streams meet with delays.

/** Records in the order in which they reach the log; the order within one process stays. */
export function emissionOrder(job, random) {
  const widest = random.pick([0.01, 0.3, 2]);
  const last = new Map();
  const timed = [...job.records].sort((a, b) => a.time - b.time);
  for (const record of timed) {
    // stdout into a pipe is buffered much longer than stderr.
    const slow = record.stream === 'out' ? 3 : 1;
    const key = record.rank ?? `${record.stream}${record.node.index}`;
    const own = record.rank === null ? 0.002 : widest * slow;
    const at = Math.max(last.get(key) ?? 0, record.time + random.next() * own);
    last.set(key, at + 1e-6);
    record.emitted = at;
  }
  return timed.sort((a, b) => a.emitted - b.emitted);
}

export function textOf(job, record) {
  const { text } = record;
  return typeof text === 'function' ? text(job.clock.at(record.time, record.node.skew)) : text;
}

/** Collects lines by file. `prefix` goes before each line, as launchers that label streams do. */
export class Files {
  constructor() {
    this.parts = new Map();
  }

  add(file, text, prefix = '') {
    let lines = this.parts.get(file);
    if (!lines) this.parts.set(file, (lines = []));
    if (!prefix) lines.push(text);
    else for (const line of text.split('\n')) lines.push(prefix + line);
  }

  done() {
    const files = new Map();
    for (const [name, lines] of this.parts) files.set(name, lines.join('\n') + '\n');
    return files;
  }
}

/** Kernel logs are files of their own beside the job's output, one a host. */
export function kernelFile(record) {
  return `kernel-${record.node.host}.log`;
}
