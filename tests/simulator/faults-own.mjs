// Faults that begin in one rank's own process: exceptions, out of memory, device errors, deaths by signal.
import { peersOfDead } from './waits.mjs';
import { traceback, versions } from './wording.mjs';

const frames = [
  ['/workspace/train.py', 231, '<module>', 'main()'],
  ['/workspace/train.py', 190, 'main', 'train_epoch(model, loader, optimizer)'],
];
const data = [
  ...frames,
  ['/workspace/data.py', 77, '__getitem__', 'return self.decode(self.index[i])'],
];
const model = [...frames, ['/workspace/model.py', 142, 'forward', 'x = self.proj(x)']];
const save = [...frames, ['/workspace/checkpoint.py', 51, 'save', 'torch.save(state, path)']];

const sample = ['process/python-exception', 'data/corrupt-sample', 'data/worker-exception'];
export const exceptions = [
  { at: data, text: "KeyError: 'input_ids'", causes: sample },
  { at: data, text: "ValueError: could not convert string to float: 'n/a'", causes: sample },
  {
    at: data,
    text: "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard_00012.bin'",
    causes: ['storage/file-not-found'],
  },
  {
    at: save,
    text: "OSError: [Errno 28] No space left on device: '/ckpt/step_900.pt'",
    causes: ['storage/disk-full', 'checkpoint/save-failed'],
  },
  {
    at: model,
    text: 'RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x768 and 512x3072)',
    causes: ['tensor/shape-mismatch'],
  },
  {
    at: model,
    text: 'IndexError: index out of range in self',
    causes: ['tensor/index-out-of-range', 'data/vocabulary-mismatch'],
  },
  {
    at: data,
    text: 'ZeroDivisionError: division by zero',
    causes: ['process/python-exception', 'data/empty-dataset'],
  },
  { at: data, text: 'AssertionError: micro batch 3 has 0 tokens', causes: sample },
  {
    at: data,
    text: "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8b in position 1: invalid start byte",
    causes: sample,
  },
  {
    at: data,
    text: 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    causes: sample,
  },
  {
    at: save,
    text: "PermissionError: [Errno 13] Permission denied: '/scratch/cache/index.lock'",
    causes: ['storage/permission-denied'],
  },
  { at: data, text: 'MemoryError', causes: ['memory/python-memoryerror'] },
];

export function pickRanks(job, count = 1) {
  return job.random.sample(job.layout.ranks, count).map(({ rank }) => rank);
}

/** A traceback ends the process; on which rank it was is known when lines are labeled or the exit codes differ. */
function raises(job, rank, time, at, text) {
  job.say(rank, time, traceback(job.version, rank, at, text));
  job.exit(rank, time + job.random.between(0.1, 0.6), 1);
}

const codesDiffer = (job) => job.launcher === 'torchrun' && job.backend === 'nccl';

function ownException(job, time) {
  const [rank] = pickRanks(job);
  const { at, text, causes } = job.random.pick(exceptions);
  raises(job, rank, time, at, text);
  peersOfDead(job, [rank], time + 0.4);
  job.truth = { ranks: [rank], causes, provable: job.tracebackKnown || codesDiffer(job) };
}

function oomText(version) {
  if (version === '1.10' || version === '1.13')
    return 'RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.15 GiB total capacity; 74.02 GiB already allocated; 1.12 GiB free; 76.10 GiB reserved in total by PyTorch)';
  const type = Number(version) >= 2.5 ? 'torch.OutOfMemoryError' : 'torch.cuda.OutOfMemoryError';
  const typo = version === '2.1' ? 'capacty' : 'capacity';
  return `${type}: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total ${typo} of 79.15 GiB of which 1.12 GiB is free. Including non-PyTorch memory, this process has 78.02 GiB memory in use. Of the allocated memory 74.02 GiB is allocated by PyTorch, and 2.08 GiB is reserved by PyTorch but unallocated.`;
}

function cudaOom(job, time) {
  const [rank] = pickRanks(job);
  raises(job, rank, time, model, oomText(job.version));
  peersOfDead(job, [rank], time + 0.4);
  job.truth = {
    ranks: [rank],
    causes: ['memory/cuda-oom', 'memory/cuda-oom-fragmentation'],
    provable: job.tracebackKnown || codesDiffer(job),
  };
}

function deviceAssert(job, time) {
  const [rank] = pickRanks(job);
  const where =
    '../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0]';
  for (let i = 0; i < 4; i++)
    job.say(
      rank,
      time - 0.1 + i * 0.001,
      `${where}, thread: [${i * 7},0,0] Assertion \`t >= 0 && t < n_classes\` failed.`,
    );
  const text =
    'RuntimeError: CUDA error: device-side assert triggered\n' +
    'CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n' +
    'For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.';
  raises(job, rank, time, model, text);
  peersOfDead(job, [rank], time + 0.4);
  job.truth = {
    ranks: [rank],
    causes: ['cuda/device-assert-index', 'cuda/device-assert-other'],
    provable: job.tracebackKnown || codesDiffer(job),
  };
}

/** Many error lines of the victims stand before the one line of the culprit, which arrives late. */
function loudVictims(job, time) {
  const [rank] = pickRanks(job);
  const { at, text, causes } = job.random.pick(exceptions);
  for (const worker of job.layout.ranks) {
    if (worker.rank === rank) continue;
    const [host, port] = [job.layout.nodes[0].ip, 29500];
    const warn = (c) =>
      `${versions[job.version].stamp ? `[rank${worker.rank}]:` : ''}[W${versions[job.version].dated ? c.c10 : ''} TCPStore.cpp:106] [c10d] recvValue failed on SocketImpl(fd=71, addr=[${worker.node.host}]:41234, remote=[${host}]:${port}): Connection reset by peer`;
    for (let i = 0; i < 3; i++) job.say(worker.rank, time - 0.3 + i * 0.1, warn);
  }
  raises(job, rank, time, at, text);
  peersOfDead(job, [rank], time + 0.4);
  job.truth = { ranks: [rank], causes, provable: job.tracebackKnown || codesDiffer(job) };
}

/** Two ranks with an exception of their own at the same moment; neither follows from the other. */
function twoFaults(job, time) {
  const ranks = pickRanks(job, 2);
  const kinds = job.random.sample(exceptions, 2);
  ranks.forEach((rank, i) =>
    raises(job, rank, time + job.random.between(0, 0.05), kinds[i].at, kinds[i].text),
  );
  ranks.forEach((rank) => job.exit(rank, time + 0.06, 1));
  peersOfDead(job, ranks, time + 0.4);
  job.truth = {
    ranks: ranks.sort((a, b) => a - b),
    causes: kinds.flatMap((kind) => kind.causes),
    provable: job.tracebackKnown,
  };
}

/** The same exception everywhere: a wrong program, no first rank. */
function allRaise(job, time) {
  const { at, text, causes } = job.random.pick(exceptions);
  for (const { rank } of job.layout.ranks)
    raises(job, rank, time + job.random.between(0, 0.05), at, text);
  // Ray leaves out the lines of the others.
  job.truth = { ranks: null, everyone: true, causes, provable: job.launcher !== 'ray' };
}

function killed(code, causes) {
  return (job, time) => {
    const [rank] = pickRanks(job);
    job.exit(rank, time, code);
    peersOfDead(job, [rank], time);
    // DeepSpeed's launcher names the wrong local rank.
    // Where nobody watches, the rank is found as the only one that is silent.
    job.truth = {
      ranks: [rank],
      causes: [...causes, 'collective/peer-died', 'framework/ray-actor-died'],
      provable: job.launcher !== 'pdsh',
    };
  };
}

const launched = ['torchrun', 'torchrun-tee', 'torchrun-dirs', 'srun', 'mpirun', 'ray', 'files'];

export const ownFaults = {
  exception: { run: ownException, gloo: true },
  'cuda-oom': { run: cudaOom },
  'device-assert': { run: deviceAssert },
  'loud-victims': { run: loudVictims, gloo: true },
  'two-faults': { run: twoFaults },
  'all-raise': { run: allRaise },
  sigkill: {
    run: killed(-9, ['process/killed-unexplained', 'memory/host-oom', 'memory/cgroup-oom']),
    gloo: true,
  },
  sigsegv: {
    run: killed(-11, ['process/segfault']),
    gloo: true,
    launchers: launched.filter((name) => name !== 'files'),
  },
};
