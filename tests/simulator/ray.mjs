// Ray prints the lines of all workers on the driver and leaves out those that differ from others in digits only.
import { emissionOrder, Files, kernelFile, textOf } from './write.mjs';

const window = 5; // seconds for which equal lines are held back

function label(job, record) {
  if (record.rank === null) return '';
  const worker = job.layout.ranks[record.rank];
  const away = worker.node.index === 0 ? '' : `, ip=${worker.node.ip}`;
  return `(RayTrainWorker pid=${worker.pid}${away}) `;
}

class Deduplicator {
  constructor(job, files) {
    Object.assign(this, { job, files, held: new Map() });
  }

  line(record, text) {
    this.flush(record.emitted);
    const pattern = text.replace(/\d+/g, '');
    const held = this.held.get(pattern);
    if (!held) {
      this.held.set(pattern, { since: record.emitted, from: record.rank, count: 0 });
    } else if (held.from !== record.rank || held.count > 0) {
      Object.assign(held, { count: held.count + 1, last: label(this.job, record) + text });
      return;
    }
    this.files.add('driver.log', label(this.job, record) + text);
  }

  flush(now) {
    for (const [pattern, held] of this.held) {
      if (now - held.since < window) break;
      this.held.delete(pattern);
      if (held.count === 1) this.files.add('driver.log', held.last);
      if (held.count > 1)
        this.files.add('driver.log', `${held.last} [repeated ${held.count}x across cluster]`);
    }
  }
}

function write(job, random) {
  const files = new Files();
  const dedup = new Deduplicator(job, files);
  for (const record of emissionOrder(job, random)) {
    const text = textOf(job, record);
    if (record.stream === 'kernel') files.add(kernelFile(record), text);
    else if (record.rank === null) (dedup.flush(record.emitted), files.add('driver.log', text));
    else for (const line of text.split('\n')) if (line) dedup.line(record, line);
  }
  dedup.flush(Infinity);
  return files.done();
}

function begin(job) {
  const list = job.layout.ranks.map(
    (w) =>
      `(TorchTrainer pid=2210) - (node_id=${String(w.node.index).padStart(4, 'a')}, ip=${w.node.ip}, pid=${w.pid}) world_rank=${w.rank}, local_rank=${w.local}, node_rank=${w.node.index}`,
  );
  job.console(
    0.1,
    `(TorchTrainer pid=2210) Started distributed worker processes: \n${list.join('\n')}`,
  );
}

function end(job) {
  for (const [rank, { time, code }] of job.exits) {
    if (code >= 0 || code === -6) continue;
    const worker = job.layout.ranks[rank];
    job.console(
      time + 1,
      `(raylet, ip=${worker.node.ip}) A worker died or was killed while executing a task by an unexpected system error. ` +
        'To troubleshoot the problem, check the logs for the dead worker. RayTask ID: ffffffffffffffff4a1b2c8d03f1a2c701000000 ' +
        `Worker ID: 7d2c06f1b1f9a0b5d4c1c94be2a1f1a8 Worker IP address: ${worker.node.ip} Worker port: 10031 Worker PID: ${worker.pid} ` +
        'Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.',
    );
  }
}

export const ray = { labeled: true, begin, end, write };
