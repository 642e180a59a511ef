// Faults that only the logical clocks show: who issued something else, who is behind, who is silent.
import { everyoneWaits, nextWork, timeOut, waitingGroup, workOf } from './waits.mjs';
import { pickRanks } from './faults-own.mjs';
import { versions } from './wording.mjs';

const noSequence = (version) => !versions[version].seq;
const skips = [
  'collective/op-mismatch',
  'collective/shape-mismatch',
  'collective/skipped-by-rank',
  'collective/uneven-inputs',
];
const late = [
  'collective/straggler-timeout',
  'collective/peer-died',
  'collective/skipped-by-rank',
  'collective/uneven-inputs',
];

/** Whether the number in a watchdog line can be read as a rank of the job, and each line belongs to a known rank. */
const ranksKnown = (job) =>
  versions[job.version].stamp || job.labeled || job.layout.groups.length === 1;
const showsAll = (job) => job.launcher !== 'ray' && ranksKnown(job);

/**
 * One rank issues another operation or size at the same number. Its group stops there; the others come as far as the
 * next exchange with a member of that group.
 */
function differs(change) {
  return (job, time) => {
    const [rank] = pickRanks(job);
    const works = nextWork(job);
    const mine = job.layout.groupsOf[rank];
    const own = ['tp', 'dp', 'default']
      .map((kind) => mine.find((group) => group.kind === kind))
      .find(Boolean);
    for (const worker of job.layout.ranks) {
      const groups = job.layout.groupsOf[worker.rank];
      const pipeline = own.kind === 'dp' ? groups.find((group) => group.kind === 'pp') : null;
      const group = groups.includes(own)
        ? own
        : (pipeline ?? waitingGroup(job, worker.rank, [rank]));
      const changes = worker.rank === rank ? change(job, works[own.kind]) : {};
      timeOut(job, worker.rank, group, workOf(job, works, group, changes), time);
    }
    const { numel, shape } = versions[job.version];
    // Without numbers one cannot tell which lines of several groups belong to one collective.
    const printed = noSequence(job.version)
      ? job.layout.groups.length === 1
      : numel || shape || change !== otherSize;
    job.truth = {
      ranks: [rank],
      causes: skips,
      provable: Boolean(printed && showsAll(job) && own.members.length > 2),
    };
  };
}

const otherOperation = (job, { op, numel }) => ({
  op: op === 'BROADCAST' ? 'ALLREDUCE' : 'BROADCAST',
  numel: numel + 8,
});
const otherSize = (job, { numel }) => ({ numel: numel + job.random.pick([1, 6, 1024]) });
const nextOne = () => ({ op: 'ALLGATHER', numel: 1 });

/** One rank skipped a collective and waits elsewhere at an earlier number of the same group. */
function behind(job, time) {
  const [rank] = pickRanks(job);
  const works = everyoneWaits(job, [rank], time);
  const group = job.layout.groups[0];
  const before = { seq: works.default.seq - job.random.int(1, 3) };
  timeOut(
    job,
    rank,
    group,
    workOf(job, works, group, { ...before, enqueued: before.seq, completed: before.seq - 1 }),
    time,
  );
  job.truth = {
    ranks: [rank],
    causes: [...skips, ...late],
    provable: showsAll(job) && !noSequence(job.version),
  };
}

/** A rank that never came: hung in its own code and silent. */
function silent(job, time) {
  const [rank] = pickRanks(job);
  everyoneWaits(job, [rank], time);
  job.stuck.add(rank);
  job.truth = { ranks: [rank], causes: late, provable: showsAll(job) };
}

/** A rank that is late and says what it does. */
function busy(job, time) {
  const [rank] = pickRanks(job);
  everyoneWaits(job, [rank], time);
  const work = job.random.pick([
    'building index',
    'evaluating batch',
    'tokenizing shard',
    'writing checkpoint part',
  ]);
  for (let i = 1; i < 8; i++)
    job.say(
      rank,
      time + (job.timeout * i) / 8,
      (c) => `[${c.plain}] [rank ${rank}] ${work} ${i * 10}/400`,
      'out',
    );
  job.truth = { ranks: [rank], causes: late, provable: showsAll(job) };
}

/** Uneven inputs: one rank has finished and exits with 0, the others wait for it. */
function finishedEarly(job, time) {
  const [rank] = pickRanks(job);
  everyoneWaits(job, [rank], time + 1);
  job.say(
    rank,
    time,
    (c) => `[${c.plain}] [rank ${rank}] training finished after 412 batches`,
    'out',
  );
  job.exit(rank, time + 2, 0);
  job.truth = { ranks: [rank], causes: [...late, ...skips], provable: showsAll(job) };
}

/** Everyone waits in the same collective and everyone says so: the log cannot tell. */
function allEqual(job, time) {
  const works = nextWork(job);
  const group = job.layout.groups[0];
  for (const { rank } of job.layout.ranks)
    timeOut(job, rank, group, workOf(job, works, group, { enqueued: works.default.seq }), time);
  job.truth = { ranks: null, causes: ['collective/timeout-unattributed'], provable: true };
}

/** The late rank is silent, and so are some victims that were stopped before their watchdog fired. */
function silentVictims(job, time) {
  const [rank, ...others] = pickRanks(job, 1 + job.random.int(1, 3));
  everyoneWaits(job, [rank], time, { except: others });
  job.stuck.add(rank);
  job.truth = { ranks: [rank], causes: null, provable: false };
}

/** The desync report names the ranks that did not come. */
function desync(job, time) {
  const [rank] = pickRanks(job);
  const works = everyoneWaits(job, [rank], time);
  const { seq, op } = works.default;
  const others = job.layout.ranks
    .filter((worker) => worker.rank !== rank)
    .map((worker) => worker.rank);
  const text = (reporter) =>
    `\n\t - [${reporter}] Timeout at collective: ${op}, #${seq}` +
    '\n\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:' +
    `\n\t     [${rank}] finished collective #${seq - 1}, but didn't join collective #${seq} (count from 1)` +
    `\n\t - Snapshot of ranks' latest states:\n\t   #${seq - 1} finished ranks:\n\t     [${rank}] finished ${op}` +
    `\n\t   #${seq} started ranks:\n\t     [${others.join(', ')}] started ${op}`;
  for (const reporter of others.slice(0, 3))
    job.say(reporter, time + job.timeout + 0.4, text(reporter));
  job.stuck.add(rank);
  job.truth = { ranks: [rank], causes: [...late, ...skips], provable: true };
}

/** TORCH_DISTRIBUTED_DEBUG=DETAIL: rank 0 names the ranks that missed the barrier. */
function monitoredBarrier(job, time) {
  const [rank] = job.random.sample(job.layout.ranks.slice(1), 1).map((worker) => worker.rank);
  const ms = job.timeout * 1000;
  for (const worker of job.layout.ranks) {
    if (worker.rank === rank) continue;
    const at = time + job.timeout + (worker.rank === 0 ? 0 : job.random.between(0.05, 0.4));
    const stamp = versions[job.version].stamp ? `[rank${worker.rank}]: ` : '';
    const text =
      worker.rank === 0
        ? `[Rank 0]: Rank ${rank} failed to pass monitoredBarrier in ${ms} ms`
        : `Rank ${worker.rank} successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.`;
    job.say(
      worker.rank,
      at,
      `${stamp}Traceback (most recent call last):\n${stamp}  File "/workspace/train.py", line 231, in <module>\n${stamp}    main()\n${stamp}RuntimeError: ${text}`,
    );
    job.exit(worker.rank, at + 0.2, 1);
  }
  job.stuck.add(rank);
  // Ray leaves lines out, and rank 0's may be one of them.
  job.truth = { ranks: [rank], causes: [...late, ...skips], provable: job.launcher !== 'ray' };
}

/** TORCH_DISTRIBUTED_DEBUG=DETAIL: every rank compares its collective with the others'. */
function fingerprint(job, time) {
  const [rank] = pickRanks(job);
  const newer = versions[job.version].numel;
  const seq = job.random.int(100, 9000);
  const print = (who) => {
    const [op, shape] = who === rank ? ['BROADCAST', '1'] : ['ALLREDUCE', '1024, 512'];
    return `CollectiveFingerPrint(${newer ? `SequenceNumber=${seq}, ` : ''}OpType=${op}, TensorShape=[${shape}], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt)))`;
  };
  for (const worker of job.layout.ranks) {
    const other = worker.rank === rank ? (rank === 0 ? 1 : 0) : rank;
    const at = time + job.random.between(0, 0.3);
    const stamp = versions[job.version].stamp ? `[rank${worker.rank}]: ` : '';
    const text = `Detected mismatch between collectives on ranks. Rank ${worker.rank} is running collective: ${print(worker.rank)}, but Rank ${other} is running collective: ${print(other)}.`;
    job.say(
      worker.rank,
      at,
      `${stamp}Traceback (most recent call last):\n${stamp}  File "/workspace/train.py", line 231, in <module>\n${stamp}    main()\n${stamp}RuntimeError: ${text}`,
    );
    job.exit(worker.rank, at + 1, 1);
  }
  job.truth = { ranks: [rank], causes: skips, provable: true };
}

export const collectiveFaults = {
  'op-mismatch': { run: differs(otherOperation) },
  'shape-mismatch': { run: differs(otherSize) },
  skipped: { run: differs(nextOne) },
  behind: { run: behind, groups: false },
  straggler: { run: silent },
  'busy-straggler': { run: busy },
  'finished-early': { run: finishedEarly },
  'all-equal': { run: allEqual, groups: false },
  'silent-victims': { run: silentVictims },
  desync: { run: desync, groups: false },
  'monitored-barrier': { run: monitoredBarrier, groups: false },
  fingerprint: { run: fingerprint, groups: false },
};
