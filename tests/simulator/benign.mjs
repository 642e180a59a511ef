// Lines of a healthy run: they must never change an answer. Some hold words that a naive search stumbles over.

export const programs = ['hf', 'megatron', 'tqdm', 'plain', 'lightning'];

function progress(program, random, step, total, c) {
  const loss = (8 / (1 + step / 300) + random.between(0, 0.2)).toFixed(4);
  switch (program) {
    case 'hf':
      return `{'loss': ${loss}, 'grad_norm': ${random.between(0.2, 2).toFixed(4)}, 'learning_rate': 5e-05, 'epoch': ${(step / total).toFixed(2)}}`;
    case 'megatron':
      return (
        ` iteration ${String(step).padStart(8)}/${String(total).padStart(8)} | consumed samples: ${String(step * 64).padStart(12)} | ` +
        `elapsed time per iteration (ms): ${random.between(700, 900).toFixed(1)} | learning rate: 3.000E-05 | global batch size:    64 | ` +
        `lm loss: ${Number(loss).toExponential(6).toUpperCase()} | loss scale: 1.0 | grad norm: ${random.between(0.2, 2).toFixed(3)} | ` +
        'number of skipped iterations:   0 | number of nan iterations:   0 |'
      );
    case 'tqdm': {
      const share = Math.floor((step / total) * 10);
      const bar = '█'.repeat(share) + ' '.repeat(10 - share);
      return `\r${String(share * 10).padStart(3)}%|${bar}| ${step}/${total} [01:00<07:20,  2.00it/s]`;
    }
    case 'lightning':
      return `Epoch 0: ${Math.floor((step / total) * 100)}% ${step}/${total} [00:50<04:10,  1.32it/s, v_num=3, train_loss=${loss}]`;
    default:
      return `[${c.plain}] step ${step}/${total} loss ${loss} lr 3.00e-05 tok/s ${random.int(9000, 20000)}`;
  }
}

const warnings = [
  (r) =>
    `/opt/venv/lib/python3.11/site-packages/torch/utils/checkpoint.py:${r.int(20, 90)}: UserWarning: None of the inputs have requires_grad=True. Gradients will be None`,
  () =>
    'huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...',
  (r) => `eval: word error rate 0.${r.int(100, 400)}, 0 decoding errors`,
  (r) => `mean absolute error on the held-out set ${r.between(0.1, 2).toFixed(3)}`,
  () => 'FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated.',
  (r) => `checkpoint saved: step_${r.int(100, 900)} (no failed shards, timeout setting 1800 s)`,
  (r, w) =>
    `${w.node.host}:${w.pid}:${w.pid + 400} [${w.local}] NCCL INFO Channel ${r.int(10, 23)}/0 : ${w.rank}[${w.local}] -> ${w.rank + 1}[${w.local}] via NET/IB/0/GDRDMA`,
  (r, w) => `${w.node.host}:${w.pid}:${w.pid + 400} [${w.local}] NCCL INFO Connected all rings`,
];

const identity = {
  app: (w, job) =>
    `rank ${w.rank}/${job.layout.world} host ${w.node.host} local ${w.local} pid ${w.pid} device ${w.device} NVIDIA H100 80GB HBM3`,
  info: (w, job, c) =>
    `${c.comma} [rank ${w.rank}] INFO train: process group up: world_size=${job.layout.world} local_rank=${w.local} host=${w.node.host} pid=${w.pid}`,
  nccl: (w, job) =>
    `${w.node.host}:${w.pid}:${w.pid + 300} [${w.local}] NCCL INFO comm 0x55d0c2f4a${(w.local + 100).toString(16)} rank ${w.rank} ` +
    `nranks ${job.layout.world} cudaDev ${w.local} nvmlDev ${w.local} busId ${w.device.slice(5, 7)}000 commId 0x7c1f0e5ab3 - Init COMPLETE`,
};

/** Every rank introduces itself; without such lines no reader could tie a pid, a device or a local rank to a rank. */
export function introduce(job, time) {
  const style = job.needsDevices
    ? job.random.pick(['app', 'nccl'])
    : job.random.pick(Object.keys(identity));
  const random = job.random.fork('introduce');
  for (const worker of job.layout.ranks) {
    job.say(
      worker.rank,
      time + random.between(0, 3),
      (c) => identity[style](worker, job, c),
      'out',
    );
    if (style === 'nccl' && job.needsPids)
      job.say(worker.rank, time + 3.2, `rank ${worker.rank}: pid ${worker.pid}`, 'out');
  }
}

/** Progress of the run from `from` to `to`, by the rank that logs, and now and then a warning of any rank. */
export function train(job, from, to, steps = 12) {
  const random = job.random.fork(`train${from}`);
  const speakers = job.everyRankLogs
    ? job.layout.ranks.map((w) => w.rank)
    : [job.program === 'megatron' ? job.layout.world - 1 : 0];
  for (let i = 0; i < steps; i++) {
    const time = from + ((to - from) * (i + 1)) / (steps + 1);
    for (const rank of speakers) {
      const own = job.everyRankLogs;
      job.say(
        rank,
        time + random.between(0, 0.3),
        (c) =>
          (own ? `[rank ${rank}] ` : '') +
          progress(job.program, new Random0(rank, i), 100 * (i + 1), 20000, c),
        'out',
      );
    }
  }
  addBenign(job, random, from, to, random.int(2, 8));
}

/** A tiny generator for texts that are made only when they are written. */
class Random0 {
  constructor(a, b) {
    this.value = (a * 31 + b * 7 + 1) % 97;
  }
  between(low, high) {
    return low + ((high - low) * this.value) / 97;
  }
  int(low, high) {
    return Math.floor(this.between(low, high));
  }
}

export function addBenign(job, random, from, to, count) {
  for (let i = 0; i < count; i++) {
    const worker = random.pick(job.layout.ranks);
    const text = random.pick(warnings)(random, worker);
    job.say(worker.rank, random.between(from, to), text, random.chance(0.5) ? 'err' : 'out');
  }
}
