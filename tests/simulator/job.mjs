// One simulated job: what every process says and when it ends. Faults fill it, a launcher turns it into files.
import { addBenign, introduce, programs, train } from './benign.mjs';
import { Clock } from './clock.mjs';
import { faults } from './faults.mjs';
import { launchers } from './launchers.mjs';
import { makeLayout } from './layout.mjs';
import { Random } from './random.mjs';
import { versions } from './wording.mjs';

export class Job {
  constructor(random, options) {
    const { kind, world } = options;
    const fault = faults[kind];
    this.kind = kind;
    this.random = random;
    this.launcher = options.launcher ?? random.pick(fault.launchers ?? Object.keys(launchers));
    this.version = options.version ?? random.pick(fault.versions ?? Object.keys(versions));
    this.backend = fault.gloo && random.chance(0.3) ? 'gloo' : 'nccl';
    this.layout = makeLayout(
      random.fork('layout'),
      world,
      fault.groups !== false && this.backend === 'nccl',
    );
    this.clock = new Clock(random.fork('clock'));
    this.program = random.pick(programs);
    this.everyRankLogs = world <= 64 && random.chance(0.3);
    this.needsDevices = fault.needsDevices;
    this.needsPids = true;
    this.records = [];
    this.exits = new Map(); // rank -> {time, code}: how it ends if nobody stops it first
    this.stuck = new Set(); // ranks that SIGTERM does not end
    this.killed = new Map(); // rank -> time at which the launcher stops it
    this.timeout = random.pick([120, 600, 600, 1800]);
    // The CPU of a rank may have issued more collectives than the one that its GPU waits in.
    this.runsAhead = random.chance(0.4);
    this.attempt = 0;
    this.lost = []; // changes to the finished files: what was cut or never copied
  }

  /** Text of a rank: a string or a function of its host's clock. */
  say(rank, time, text, stream = 'err') {
    this.records.push({
      time,
      node: this.layout.ranks[rank].node,
      rank,
      text,
      stream,
      attempt: this.attempt,
    });
  }

  /** Text of the launcher's process on one node. */
  agent(node, time, text) {
    this.records.push({ time, node, rank: null, text, stream: 'agent', attempt: this.attempt });
  }

  /** Text of the one process that started the job (srun, mpirun, a Ray driver). */
  console(time, text) {
    this.records.push({
      time,
      node: this.layout.nodes[0],
      rank: null,
      text,
      stream: 'console',
      attempt: this.attempt,
    });
  }

  kernel(node, time, text) {
    this.records.push({ time, node, rank: null, text, stream: 'kernel', attempt: this.attempt });
  }

  exit(rank, time, code) {
    const known = this.exits.get(rank);
    if (!known || known.time > time) this.exits.set(rank, { time, code });
  }

  /** Can a reader tie an unstamped line of a rank to that rank? */
  get labeled() {
    return launchers[this.launcher].labeled;
  }

  /** Can a reader tie a Python traceback to its rank? */
  get tracebackKnown() {
    return this.labeled || versions[this.version].stamp;
  }

  hostsOf(ranks) {
    return [...new Set(ranks.map((rank) => this.layout.ranks[rank].node.host))];
  }
}

/**
 * Makes the job of a seed. `options`: kind, world, launcher, version, and the variations that must not change the
 * answer: interleave (another seed for delays), arrangement (other files), benign (count of lines), shift (seconds
 * by which the clocks of one host are moved).
 */
export function makeJob(seed, options = {}) {
  const random = new Random(seed);
  const kinds = options.kinds ?? Object.keys(faults);
  const kind = options.kind ?? kinds[seed % kinds.length];
  const least = faults[kind].leastWorld ?? 8;
  const world =
    options.world ??
    random.pick([8, 8, 8, 16, 16, 16, 32, 32, 64, 128].filter((size) => size >= least));
  const job = new Job(random.fork(kind), { ...options, kind, world });
  const faultTime = job.random.between(200, 3000);
  launchers[job.launcher].begin?.(job);
  introduce(job, 1);
  faults[kind].run(job, faultTime);
  if (faults[kind].trains !== false) train(job, 10, faultTime - 2);
  launchers[job.launcher].end(job);
  dropAfterDeath(job);
  if (options.benign)
    addBenign(job, new Random(`${seed}/benign`), 5, faultTime - 2, options.benign);
  if (options.shift) {
    const node = new Random(`${seed}/shift`).pick(job.layout.nodes);
    node.skew += options.shift;
  }
  const delays = new Random(`${seed}/delays/${options.interleave ?? 0}`);
  let files = launchers[job.launcher].write(job, delays, options.arrangement ?? 0);
  for (const change of job.lost) files = change(files, job);
  return { seed, kind, job, files, truth: job.truth };
}

function dropAfterDeath(job) {
  job.records = job.records.filter(({ rank, time, attempt }) => {
    if (rank === null) return true;
    const exit = attempt === job.attempt ? job.exits.get(rank) : undefined;
    const killed = attempt === job.attempt ? job.killed.get(rank) : undefined;
    return !(exit && time > exit.time) && !(killed !== undefined && time > killed);
  });
}
