// Faults of the machine, of the scheduler and of whoever stops the job; and logs of which a part is missing.
import { agentEnds, agentLog, agentStopped, closing } from './elastic.mjs';
import { exceptions, ownFaults, pickRanks } from './faults-own.mjs';
import { srunStops } from './launchers.mjs';
import { everyoneWaits, nextWork, peersOfDead, timeOut, waitingGroup, workOf } from './waits.mjs';
import { traceback, versions } from './wording.mjs';

const syslog = (node, text) => (c) => `${c.syslog} ${node.host} kernel: ${text}`;

function kernelOom(job, time) {
  const [rank] = pickRanks(job);
  const { node, pid } = job.layout.ranks[rank];
  const cgroup = job.random.chance(0.4);
  const limit = cgroup
    ? 'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/slurm/job_40418,task_memcg=/slurm/job_40418/step_0'
    : 'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice';
  const killed = cgroup
    ? 'Memory cgroup out of memory: Killed process'
    : 'Out of memory: Killed process';
  const numbers =
    'total-vm:312041680kB, anon-rss:264019032kB, file-rss:131748kB, shmem-rss:0kB, UID:1000 pgtables:516640kB oom_score_adj:0';
  job.kernel(
    node,
    3,
    syslog(
      node,
      'perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750',
    ),
  );
  job.kernel(
    node,
    time - 0.02,
    syslog(
      node,
      'python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0',
    ),
  );
  job.kernel(node, time - 0.01, syslog(node, `${limit},task=python3,pid=${pid},uid=1000`));
  job.kernel(node, time, syslog(node, `${killed} ${pid} (python3) ${numbers}`));
  job.exit(rank, time, -9);
  peersOfDead(job, [rank], time);
  job.truth = { ranks: [rank], causes: ['memory/host-oom', 'memory/cgroup-oom'], provable: true };
}

const xids = {
  79: {
    text: "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    error: 'unspecified launch failure',
  },
  48: {
    text: '48, pid=PID, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0.',
    error: 'uncorrectable ECC error encountered',
  },
  94: {
    text: '94, pid=PID, name=python3, Contained: CE User Channel (0x9). RST: No, D-RST: No',
    error: 'uncorrectable ECC error encountered',
  },
};

function xid(number) {
  return (job, time) => {
    const [rank] = pickRanks(job);
    const { node, pid, device } = job.layout.ranks[rank];
    const { text, error } = xids[number];
    const bus = device.slice(0, -2);
    job.kernel(node, time, syslog(node, `NVRM: Xid (PCI:${bus}): ${text.replace('PID', pid)}`));
    if (job.random.chance(0.6)) {
      const frames = [
        ['/workspace/train.py', 231, '<module>', 'main()'],
        ['/workspace/train.py', 188, 'main', 'loss.backward()'],
      ];
      job.say(
        rank,
        time + 0.2,
        traceback(job.version, rank, frames, `RuntimeError: CUDA error: ${error}`),
      );
      job.exit(rank, time + 0.6, 1);
      peersOfDead(job, [rank], time + 0.7);
    } else {
      everyoneWaits(job, [rank], time);
      job.stuck.add(rank);
    }
    job.truth = {
      ranks: [rank],
      causes: [`gpu/xid-${number}`, ...(number === 79 ? ['cuda/hardware-lost'] : [])],
      // The kernel gives a bus; Ray leaves out the lines that tie it to a rank. The other two also give the process.
      provable: job.launcher !== 'ray' || number !== 79,
    };
  };
}

/** A whole node disappears: its ranks and its launcher fall silent in the middle of a line of work. */
function nodeLoss(job, time) {
  const node = job.random.pick(job.layout.nodes.slice(1));
  const ranks = job.layout.ranks.filter((worker) => worker.node === node).map(({ rank }) => rank);
  for (const rank of ranks) job.exit(rank, time, 0);
  job.lostNodes = new Set([node.index]);
  const works = nextWork(job);
  const remote = job.random.chance(0.4);
  everyoneWaits(job, ranks, time, { works });
  const said = job.launcher === 'srun' && remote;
  if (said) job.console(time + 60, `srun: error: Node failure on ${node.host}`);
  const causes = [
    'scheduler/node-failure',
    'rendezvous/agent-lost',
    'collective/peer-died',
    'cuda/hardware-lost',
  ];
  job.truth = {
    ranks,
    hosts: [node.host],
    causes,
    provable:
      job.launcher !== 'ray' &&
      (said || job.labeled || versions[job.version].stamp || job.layout.groups.length === 1),
  };
}

function everythingStops(job, time) {
  job.stopped = true;
  for (const { rank } of job.layout.ranks) job.killed.set(rank, time + 0.05);
}

/** Somebody sends SIGTERM to the launchers. */
function sigterm(job, time) {
  for (const node of job.layout.nodes) agentStopped(job, node, time + job.random.between(0, 0.5));
  everythingStops(job, time + 1);
  const causes = ['process/terminated-by-signal', 'scheduler/cancelled', 'scheduler/preempted'];
  job.truth = { ranks: null, causes, provable: true };
}

function slurmStop(why, causes) {
  return (job, time) => {
    everythingStops(job, time);
    srunStops(
      job,
      time,
      job.layout.ranks.map(({ rank }) => rank),
      why,
    );
    const host = job.layout.nodes[0].host;
    if (why)
      job.console(
        time + 0.02,
        (c) => `slurmstepd: error: *** JOB 40418 ON ${host} CANCELLED AT ${c.slurm}${why} ***`,
      );
    job.truth = { ranks: null, causes, provable: true };
  };
}

/** Attempt 0 ends by a fault of one rank; after the restart another one ends the job. */
function restart(job, time) {
  const [early, late] = pickRanks(job, 2);
  const first = time * 0.4;
  const { at, text } = job.random.pick(exceptions);
  job.say(early, first, traceback(job.version, early, at, text));
  job.exit(early, first + 0.2, 1);
  for (const node of job.layout.nodes) {
    if (node === job.layout.ranks[early].node) agentEnds(job, node, false);
    else closing(job, node, first + 3);
    agentLog(
      job,
      node,
      first + 5,
      'INFO',
      '[default] Worker group FAILED. 1/1 attempts left; will restart worker group',
      875,
    );
  }
  // The processes of the next attempt have other pids.
  job.exits = new Map();
  job.killed = new Map();
  for (const worker of job.layout.ranks) worker.pid += 1000;
  job.attempt = 1;
  for (const worker of job.layout.ranks)
    job.say(
      worker.rank,
      first + 12,
      `rank ${worker.rank}/${job.layout.world} host ${worker.node.host} local ${worker.local} pid ${worker.pid} device ${worker.device}`,
      'out',
    );
  const second = job.random.pick(exceptions);
  job.say(late, time, traceback(job.version, late, second.at, second.text));
  job.exit(late, time + 0.3, 1);
  peersOfDead(job, [late], time + 0.4);
  job.truth = {
    ranks: [late],
    causes: second.causes,
    provable: job.tracebackKnown || (job.launcher === 'torchrun' && job.backend === 'nccl'),
  };
}

/** The culprit's own file was never copied: it can be told by absence at best. */
function lostFile(job, time) {
  ownFaults.exception.run(job, time);
  const [rank] = job.truth.ranks;
  const mark = `rank_${String(rank).padStart(4, '0')}.log`;
  job.lost.push((files) => new Map([...files].filter(([name]) => !name.endsWith(mark))));
  job.truth = { ...job.truth, causes: null, provable: false };
}

/** The culprit's file ends before the fault, as after a full disk or a copy made too early. */
function cutFile(job, time) {
  ownFaults.exception.run(job, time);
  const [rank] = job.truth.ranks;
  const mark = `rank_${String(rank).padStart(4, '0')}.log`;
  job.lost.push((files) => {
    for (const [name, text] of files) {
      const fault = text.indexOf('Traceback');
      if (name.endsWith(mark) && fault > 0) files.set(name, text.slice(0, fault - 1));
    }
    return files;
  });
  job.truth = { ...job.truth, causes: null, provable: false };
}

/** Files of several innocent ranks are missing while another rank is at fault without a word. */
function lostVictims(job, time) {
  const [rank, ...others] = pickRanks(job, 3);
  const works = nextWork(job);
  for (const worker of job.layout.ranks) {
    if (worker.rank === rank) continue;
    const group = waitingGroup(job, worker.rank, [rank]);
    timeOut(job, worker.rank, group, workOf(job, works, group), time);
  }
  const marks = others.map((each) => `rank_${String(each).padStart(4, '0')}.log`);
  job.lost.push(
    (files) => new Map([...files].filter(([name]) => !marks.some((mark) => name.endsWith(mark)))),
  );
  job.truth = { ranks: [rank], causes: null, provable: false };
}

const elastic = ['torchrun', 'torchrun-tee', 'torchrun-dirs'];
const severalNodes = 16;

export const outsideFaults = {
  'kernel-oom': { run: kernelOom },
  'xid-79': { run: xid(79), needsDevices: true },
  'xid-48': { run: xid(48), needsDevices: true },
  'xid-94': { run: xid(94), needsDevices: true },
  'node-loss': {
    run: nodeLoss,
    leastWorld: severalNodes,
    launchers: [...elastic, 'srun', 'pdsh', 'files'],
  },
  sigterm: { run: sigterm, launchers: elastic },
  'time-limit': {
    run: slurmStop(' DUE TO TIME LIMIT', ['scheduler/time-limit']),
    launchers: ['srun'],
  },
  cancelled: {
    run: slurmStop('', [
      'scheduler/cancelled',
      'process/terminated-by-signal',
      'scheduler/preempted',
    ]),
    launchers: ['srun'],
  },
  restart: { run: restart, launchers: elastic, groups: false },
  'lost-file': { run: lostFile, launchers: ['files'] },
  'cut-file': { run: cutFile, launchers: ['files'] },
  'lost-victims': { run: lostVictims, launchers: ['files'] },
};
