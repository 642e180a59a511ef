// How a job is started decides which label a line carries, in which file it lies, and who stops the others.
// labeled: a line shows which rank printed it, directly or by an introduction of the rank in the same log.
import { agentEnds, agentStarts, workersOf } from './elastic.mjs';
import { ray } from './ray.mjs';
import { emissionOrder, Files, kernelFile, textOf } from './write.mjs';

function writer(place) {
  return (job, random, arrangement) => {
    const files = new Files();
    for (const record of emissionOrder(job, random)) {
      const text = textOf(job, record);
      if (record.stream === 'kernel') {
        files.add(kernelFile(record), text);
      } else {
        const { file, prefix } = place(job, record, arrangement);
        files.add(file, text, prefix);
      }
    }
    return files.done();
  };
}

const localOf = (job, record) => job.layout.ranks[record.rank].local;
const nodeFile = (record) => `${record.node.host}.log`;

function nodesEnd(job) {
  for (const node of job.layout.nodes) agentEnds(job, node);
}

/** Stops every process that still runs, once the first has failed. */
function killRest(job, time) {
  const stopped = [];
  for (const { rank } of job.layout.ranks) {
    if ((job.exits.get(rank)?.time ?? Infinity) <= time) continue;
    job.killed.set(rank, time);
    stopped.push(rank);
  }
  return stopped;
}

const srunWords = {
  '-6': 'Aborted (core dumped)',
  '-7': 'Bus error (core dumped)',
  '-9': 'Killed',
  '-11': 'Segmentation fault (core dumped)',
};

function failuresInOrder(job) {
  return [...job.exits]
    .filter(([, { code }]) => code !== 0)
    .sort(([, a], [, b]) => a.time - b.time);
}

function srunEnd(job) {
  const failures = failuresInOrder(job);
  if (failures.length === 0 || job.stopped) return;
  const kills = job.random.chance(0.7);
  const lastTime = failures.at(-1)[1].time;
  const stopTime = kills ? failures[0][1].time + job.random.between(0.8, 2.5) : lastTime + 120;
  for (const [rank, { time, code }] of failures) {
    if (time > stopTime) continue;
    const how = srunWords[code] ?? `Exited with exit code ${code}`;
    job.console(
      time + 0.1,
      `srun: error: ${job.layout.ranks[rank].node.host}: task ${rank}: ${how}`,
    );
  }
  const stopped = killRest(job, stopTime);
  if (stopped.length === 0) return;
  if (kills) job.console(stopTime - 0.2, 'srun: Terminating StepId=40418.0');
  srunStops(job, stopTime, stopped);
}

export function srunStops(job, time, stopped, why = '') {
  const host = job.layout.nodes[0].host;
  job.console(time, 'srun: Job step aborted: Waiting up to 32 seconds for job step to finish.');
  job.console(
    time + 0.01,
    (c) => `slurmstepd: error: *** STEP 40418.0 ON ${host} CANCELLED AT ${c.slurm}${why} ***`,
  );
  for (const node of job.layout.nodes) {
    const here = stopped.filter((rank) => job.layout.ranks[rank].node === node);
    if (here.length === 0) continue;
    const list = here.length === 1 ? `task ${here[0]}` : `tasks ${spans(here)}`;
    job.console(time + 0.5, `srun: error: ${node.host}: ${list}: Terminated`);
  }
}

/** 0-2,5 as Slurm writes it. */
function spans(ranks) {
  const parts = [];
  for (const rank of ranks) {
    const last = parts.at(-1);
    if (last && last[1] === rank - 1) last[1] = rank;
    else parts.push([rank, rank]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

function mpirunEnd(job) {
  const failures = failuresInOrder(job);
  if (failures.length === 0 || job.stopped) return;
  const [rank, { time, code }] = failures[0];
  killRest(job, time + job.random.between(0.5, 1.5));
  const line = '-'.repeat(74);
  const host = job.layout.ranks[rank].node.host;
  const text =
    code < 0
      ? `mpirun noticed that process rank ${rank} with PID 0 on node ${host} exited on signal ${-code} (${{ 6: 'Aborted', 7: 'Bus error', 9: 'Killed', 11: 'Segmentation fault' }[-code]}).`
      : `mpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be terminated. The first process to do so was:\n\n  Process name: [[41066,1],${rank}]\n  Exit code:    ${code}`;
  job.console(time + 1.8, `${line}\n${text}\n${line}`);
}

/** DeepSpeed's launcher: one a node behind pdsh. It prints the command of its LAST local rank, whoever failed. */
function deepspeedEnd(job) {
  const first = new Map();
  for (const [rank, exit] of failuresInOrder(job)) {
    const { index } = job.layout.ranks[rank].node;
    if (!first.has(index)) first.set(index, exit);
  }
  for (const node of job.layout.nodes) {
    if (job.lostNodes?.has(node.index) || job.stopped || !first.has(node.index)) continue;
    const { time, code } = first.get(node.index);
    const here = workersOf(job, node);
    const seen = time + job.random.between(0.1, 1);
    for (const worker of here) {
      if ((job.exits.get(worker.rank)?.time ?? Infinity) > seen) job.killed.set(worker.rank, seen);
      job.agent(
        node,
        seen,
        (c) =>
          `[${c.comma}] [INFO] [launch.py:319:sigkill_handler] Killing subprocess ${worker.pid}`,
      );
    }
    const command = `['/opt/venv/bin/python', '-u', 'train.py', '--local_rank=${job.layout.perNode - 1}', '--deepspeed_config', 'ds.json']`;
    job.agent(
      node,
      seen + 0.05,
      (c) =>
        `[${c.comma}] [ERROR] [launch.py:325:sigkill_handler] ${command} exits with return code = ${code}`,
    );
  }
}

function deepspeedBegin(job) {
  const map = job.layout.nodes.map(
    (node) =>
      `'${node.host}': [${workersOf(job, node)
        .map((w) => w.rank)
        .join(', ')}]`,
  );
  for (const node of job.layout.nodes)
    job.agent(
      node,
      0.2,
      (c) =>
        `[${c.comma}] [INFO] [launch.py:163:main] global_rank_mapping=defaultdict(<class 'list'>, {${map.join(', ')}})`,
    );
}

export const launchers = {
  torchrun: {
    labeled: false,
    begin: agentStarts,
    end: nodesEnd,
    write: writer((job, record) => ({ file: nodeFile(record) })),
  },
  'torchrun-tee': {
    labeled: true,
    begin: agentStarts,
    end: nodesEnd,
    arrangements: 2,
    write: writer((job, record, arrangement) => {
      const prefix = record.rank === null ? '' : `[default${localOf(job, record)}]:`;
      // Arrangement 1: one torchrun a node below srun -l, so that a node's number stands before each line.
      if (arrangement === 1)
        return { file: 'slurm-40418.out', prefix: `${record.node.index}: ${prefix}` };
      return { file: nodeFile(record), prefix };
    }),
  },
  'torchrun-dirs': {
    labeled: true,
    begin: agentStarts,
    end: nodesEnd,
    write: writer((job, record) => {
      if (record.rank === null) return { file: `${record.node.host}/console.log` };
      const stream = record.stream === 'out' ? 'stdout' : 'stderr';
      return {
        file: `${record.node.host}/attempt_${record.attempt}/${localOf(job, record)}/${stream}.log`,
      };
    }),
  },
  srun: {
    labeled: true,
    end: srunEnd,
    arrangements: 3,
    write: writer((job, record, arrangement) => {
      const width = String(job.layout.world - 1).length;
      const prefix = record.rank === null ? '' : `${String(record.rank).padStart(width)}: `;
      if (arrangement === 0 || record.rank === null) return { file: 'slurm-40418.out', prefix };
      const part = arrangement === 1 ? record.node.host : `task${record.rank}`;
      return { file: `slurm-40418-${part}.out`, prefix };
    }),
  },
  mpirun: {
    labeled: true,
    end: mpirunEnd,
    arrangements: 2,
    write: writer((job, record, arrangement) => {
      if (record.rank === null) return { file: 'mpirun.out' };
      const stream = record.stream === 'out' ? 'stdout' : 'stderr';
      if (arrangement === 1) return { file: `out/1/rank.${record.rank}/${stream}` };
      return { file: 'mpirun.out', prefix: `[1,${record.rank}]<${stream}>:` };
    }),
  },
  pdsh: {
    labeled: false,
    begin: deepspeedBegin,
    end: deepspeedEnd,
    arrangements: 2,
    write: writer((job, record, arrangement) =>
      arrangement === 1
        ? { file: nodeFile(record) }
        : { file: 'launch.log', prefix: `${record.node.host}: ` },
    ),
  },
  // One file a rank and nobody who watches, as on many Kubernetes set-ups.
  files: {
    labeled: true,
    end: () => {},
    write: writer((job, record) =>
      record.rank === null
        ? { file: `operator-${record.node.host}.log` }
        : { file: `logs/rank_${String(record.rank).padStart(4, '0')}.log` },
    ),
  },
  ray,
};
