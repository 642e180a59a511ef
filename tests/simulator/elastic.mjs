// torchrun's agent: one a node, it polls its workers, stops the others when one failed, and prints its table.
import { versions } from './wording.mjs';

const names = { 6: 'SIGABRT', 7: 'SIGBUS', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' };
const binary = '/opt/venv/bin/python3';
const lineOf = {
  2.5: { failed: 869, sending: 897, unable: 916 },
  2.7: { failed: 874, sending: 900, unable: 919 },
};

function log(job, level, module, text, where, pid) {
  return (c) => {
    switch (versions[job.version].elastic) {
      case 'plain':
        return `${level}:torch.distributed.elastic.${module}:${text}`;
      case 'bracket':
        return `[${c.comma}] torch.distributed.elastic.${module}: [${level}] ${text}`;
      default:
        return `${level[0]}${c.glog} ${pid} site-packages/torch/distributed/elastic/${module.replaceAll('.', '/')}.py:${where}] ${text}`;
    }
  };
}

const api = 'multiprocessing.api';
const agentPid = (job, node) => job.layout.pidBase[node.index];
export const workersOf = (job, node) =>
  job.layout.ranks.slice(node.index * job.layout.perNode, (node.index + 1) * job.layout.perNode);

export function agentLog(job, node, time, level, text, where = 723) {
  job.agent(node, time, log(job, level, 'agent.server.api', text, where, agentPid(job, node)));
}

export function closing(job, node, time, signal = 'SIGTERM') {
  const where = lineOf[job.version]?.sending;
  for (const worker of workersOf(job, node)) {
    if ((job.exits.get(worker.rank)?.time ?? Infinity) <= time) continue;
    job.killed.set(worker.rank, time);
    job.agent(
      node,
      time,
      log(
        job,
        'WARNING',
        api,
        `Sending process ${worker.pid} closing signal ${signal}`,
        where,
        agentPid(job, node),
      ),
    );
  }
}

function block(index, worker, code, time) {
  const reason =
    code < 0
      ? `Signal ${-code} (${names[-code]}) received by PID ${worker.pid}`
      : 'To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html';
  return [
    `[${index}]:`,
    `  time      : ${time}`,
    `  host      : ${worker.node.host}`,
    `  rank      : ${worker.rank} (local_rank: ${worker.local})`,
    `  exitcode  : ${code} (pid: ${worker.pid})`,
    '  error_file: <N/A>',
    `  traceback : ${reason}`,
  ];
}

function table(job, listed, c) {
  const line = '='.repeat(60);
  const thin = '-'.repeat(60);
  // The times are whole seconds of one poll: equal, so that the lowest local rank becomes "root cause".
  const others = listed
    .slice(1)
    .flatMap(({ worker, code }, i) => block(i + 1, worker, code, c.elastic));
  return [
    'Traceback (most recent call last):',
    '  File "/opt/venv/bin/torchrun", line 8, in <module>',
    '    sys.exit(main())',
    '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 264, in launch_agent',
    '    raise ChildFailedError(',
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ',
    line,
    'train.py FAILED',
    thin,
    'Failures:',
    ...(others.length > 0 ? others : ['  <NO_OTHER_FAILURES>']),
    thin,
    'Root Cause (first observed failure):',
    ...block(0, listed[0].worker, listed[0].code, c.elastic),
    line,
  ].join('\n');
}

/** Watches the workers of a node; null when none fails there. */
function watch(job, node) {
  const failing = workersOf(job, node)
    .map((worker) => ({ worker, ...job.exits.get(worker.rank) }))
    .filter(({ code }) => code !== undefined && code !== 0);
  if (failing.length === 0) return null;
  const poll = versions[job.version].elastic === 'plain' ? 5 : 0.1;
  const seen = Math.min(...failing.map(({ time }) => time)) + 0.02 + job.random.next() * poll;
  const listed = failing.filter(({ time }) => time <= seen);
  return { seen, listed };
}

export function agentEnds(job, node, finalAttempt = true) {
  if (job.lostNodes?.has(node.index)) return;
  const failure = watch(job, node);
  if (!failure) return;
  const { seen, listed } = failure;
  const { sending: _, ...where } = lineOf[job.version] ?? {};
  closing(job, node, seen);
  let end = seen + 0.6;
  for (const worker of workersOf(job, node)) {
    if (!job.stuck.has(worker.rank) || !job.killed.has(worker.rank)) continue;
    const [soft, hard] =
      versions[job.version].elastic === 'letter'
        ? ['15', '9']
        : ['Signals.SIGTERM', 'Signals.SIGKILL'];
    end = seen + 30.2;
    const text = `Unable to shutdown process ${worker.pid} via ${soft}, forcefully exiting via ${hard}`;
    job.agent(node, seen + 30, log(job, 'WARNING', api, text, where.unable, agentPid(job, node)));
  }
  const { worker, code } = listed[0];
  const text = `failed (exitcode: ${code}) local_rank: ${worker.local} (pid: ${worker.pid}) of binary: ${binary}`;
  job.agent(node, end, log(job, 'ERROR', api, text, where.failed, agentPid(job, node)));
  const skew = node.skew;
  if (finalAttempt) job.agent(node, end + 0.01, () => table(job, listed, job.clock.at(seen, skew)));
}

export function agentStarts(job) {
  for (const node of job.layout.nodes) {
    const stars = '*'.repeat(41);
    const omp =
      'Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being ' +
      'overloaded, please further tune the variable for optimal performance in your application as needed. ';
    job.agent(node, 0.1, `WARNING:torch.distributed.run:\n${stars}\n${omp}\n${stars}`);
  }
}

/** torchrun itself was told to stop. */
export function agentStopped(job, node, time) {
  const dying = versions[job.version].elastic === 'letter' ? '15' : 'Signals.SIGTERM';
  agentLog(job, node, time, 'WARNING', `Received ${dying} death signal, shutting down workers`);
  closing(job, node, time + 0.001);
  const frames = [
    'Traceback (most recent call last):',
    '  File "/opt/venv/bin/torchrun", line 8, in <module>',
    '    sys.exit(main())',
    '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/api.py", line 62, in _terminate_process_handler',
    '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
    `torch.distributed.elastic.multiprocessing.api.SignalException: Process ${agentPid(job, node)} got signal: ${dying.replace('Signals.SIGTERM', '15')}`,
  ];
  job.agent(node, time + 1.5, frames.join('\n'));
}
