// What the innocent ranks do once one of them stops taking part: they wait in the group that ties them to it, or
// they lose the connection.
import {
  abortLines,
  remoteErrorLines,
  timeoutReason,
  traceback,
  watchdogLines,
} from './wording.mjs';

const sizes = [1048576, 25557032, 6553600, 88080384, 4096];

/** The collective at which the job stands still: one number and one operation a kind of group. */
export function nextWork(job) {
  const { random } = job;
  const works = {};
  for (const kind of ['default', 'dp', 'tp', 'pp']) {
    const op =
      { tp: 'ALLREDUCE', pp: 'RECV' }[kind] ??
      random.pick(['ALLREDUCE', 'ALLREDUCE', '_ALLGATHER_BASE', '_REDUCE_SCATTER_BASE']);
    const numel = random.pick(sizes);
    works[kind] = { seq: random.int(200, 90000) * (kind === 'tp' ? 9 : 1), op, numel };
  }
  return works;
}

export function workOf(job, works, group, changes = {}) {
  const { op, numel, seq } = { ...works[group.kind], ...changes };
  const size = group.members.length;
  const numelIn = op === '_REDUCE_SCATTER_BASE' ? numel * size : numel;
  const numelOut = op === '_ALLGATHER_BASE' ? numel * size : numel;
  return {
    seq,
    op,
    numelIn,
    numelOut,
    timeoutMs: job.timeout * 1000,
    ranMs: job.timeout * 1000 + job.random.int(5, 300),
    enqueued: changes.enqueued ?? seq + (job.runsAhead ? job.random.pick([0, 0, 1, 2]) : 0),
    completed: changes.completed ?? seq - 1,
  };
}

/**
 * The group in which `rank` waits for `culprits`. Whoever shares the tensor parallel group waits there; whoever is in
 * the same pipeline waits for a stage that waits; the other replicas come as far as the data parallel group.
 */
export function waitingGroup(job, rank, culprits) {
  const groups = job.layout.groupsOf[rank];
  if (groups.length === 1) return groups[0];
  const stuck = new Set(culprits);
  const touches = (group) => group.members.some((member) => stuck.has(member));
  const tp = groups.find((group) => group.kind === 'tp' && touches(group));
  if (tp) return tp;
  for (const culprit of culprits)
    for (const group of job.layout.groupsOf[culprit])
      if (group.kind === 'tp') group.members.forEach((member) => stuck.add(member));
  return (
    groups.find((group) => group.kind === 'pp' && touches(group)) ??
    groups.find((group) => group.kind === 'dp')
  );
}

/** The watchdog of `rank` speaks after the time-out, then the process aborts. */
export function timeOut(job, rank, group, work, start) {
  const { version } = job;
  const time = start + job.timeout + job.random.between(0.01, 0.3);
  job.say(rank, time, (c) => watchdogLines(version, rank, group, work, c).join('\n'));
  const end = time + (version === '2.7' ? 60 : job.random.between(0.6, 1));
  job.say(rank, end, (c) =>
    abortLines(version, rank, group, timeoutReason(version, rank, group, work), c).join('\n'),
  );
  job.exit(rank, end + 0.05, -6);
}

export function everyoneWaits(job, culprits, start, { works = nextWork(job), except = [] } = {}) {
  const away = new Set([...culprits, ...except]);
  for (const { rank } of job.layout.ranks) {
    if (away.has(rank)) continue;
    const group = waitingGroup(job, rank, culprits);
    timeOut(job, rank, group, workOf(job, works, group), start);
  }
  return works;
}

function glooLoses(job, culprits, time) {
  const peer = job.layout.ranks[culprits[0]];
  for (const { rank } of job.layout.ranks) {
    if (culprits.includes(rank)) continue;
    const at = time + job.random.between(0.02, 0.9);
    const frames = [
      ['/workspace/train.py', 231, '<module>', 'main()'],
      ['/workspace/train.py', 188, 'main', 'loss.backward()'],
      [
        '/opt/venv/lib/python3.11/site-packages/torch/autograd/__init__.py',
        266,
        'backward',
        'Variable._execution_engine.run_backward(',
      ],
    ];
    const how = job.random.pick([
      `[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [${peer.node.ip}]:${job.random.int(2000, 60000)}`,
      `[../third_party/gloo/gloo/transport/tcp/pair.cc:525] Read error [${peer.node.ip}]:${job.random.int(2000, 60000)}: Connection reset by peer`,
    ]);
    job.say(rank, at, traceback(job.version, rank, frames, `RuntimeError: ${how}`));
    job.exit(rank, at + 0.2, 1);
  }
}

/** What follows when the processes of `culprits` have ended at `time`. */
export function peersOfDead(job, culprits, time) {
  if (job.backend === 'gloo') return glooLoses(job, culprits, time);
  const works = nextWork(job);
  const dead = new Set(culprits);
  const { node } = job.layout.ranks[culprits[0]];
  const remote = job.layout.nodes.length > 1 && job.random.chance(0.5);
  const fast = [];
  for (const worker of job.layout.ranks) {
    if (!remote || dead.has(worker.rank) || worker.node === node || !job.random.chance(0.5))
      continue;
    fast.push(worker.rank);
    const group = waitingGroup(job, worker.rank, culprits);
    const work = workOf(job, works, group);
    const at = time + job.random.between(0.5, 4);
    const { version } = job;
    job.say(
      worker.rank,
      at,
      (c) => remoteErrorLines(version, worker.rank, group, work, node.host, c).first,
    );
    job.say(worker.rank, at + 0.5, (c) =>
      abortLines(
        version,
        worker.rank,
        group,
        remoteErrorLines(version, worker.rank, group, work, node.host, c).reason,
        c,
      ).join('\n'),
    );
    job.exit(worker.rank, at + 0.6, -6);
  }
  everyoneWaits(job, culprits, time, { works, except: fast });
}
