// Time and memory of the program on large inputs.
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answerOf, judge, writeJob } from './engine.mjs';
import { makeJob } from './job.mjs';

const defaults = ['straggler', 'exception', 'op-mismatch', 'node-loss', 'sigkill'];

/** Runs the program; {report, seconds, cpu, megabytes}. The kernel keeps the largest resident size of a process. */
function run(binary, folder) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(binary, ['diagnose', '--format', 'json', '.'], { cwd: folder });
    let [megabytes, cpu] = [0, 0];
    const timer = setInterval(() => {
      try {
        megabytes =
          Number(
            /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0,
          ) / 1024 || megabytes;
        const ticks = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
        cpu = (Number(ticks[11]) + Number(ticks[12])) / 100;
      } catch {
        // It has ended.
      }
    }, 5);
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      if (code !== 0 && code !== 1) reject(new Error(`${binary} ended with ${code}`));
      else
        resolve({ report: JSON.parse(Buffer.concat(chunks).toString()), seconds, cpu, megabytes });
    });
  });
}

/** Grows one file to `bytes` with the progress of the run, put before the end of the log. */
function pad(file, text, bytes) {
  const cut = text.indexOf('\n', Math.floor(text.length * 0.3)) + 1;
  const out = openSync(file, 'w');
  writeSync(out, text.slice(0, cut));
  let block = '';
  for (let i = 0; i < 20000; i++)
    block += `{'loss': ${(2 + (i % 97) / 100).toFixed(4)}, 'grad_norm': 0.${1000 + i}, 'learning_rate': 5e-05, 'epoch': 0.12}\n`;
  for (let written = text.length; written < bytes; written += block.length) writeSync(out, block);
  writeSync(out, text.slice(cut));
  closeSync(out);
}

export async function measure(binary, world, bytes, kind) {
  for (const each of kind ? [kind] : bytes ? ['straggler'] : defaults) {
    const launcher = bytes ? 'srun' : each === 'op-mismatch' ? 'srun' : undefined;
    const { job, truth, files } = makeJob(1, { kind: each, world, launcher });
    const folder = mkdtempSync(path.join(tmpdir(), 'firstfault-scale-'));
    try {
      writeJob(folder, files);
      const [name, text] = [...files].sort((a, b) => b[1].length - a[1].length)[0];
      if (bytes) pad(path.join(folder, name), text, bytes);
      const size = [...files.keys()].reduce(
        (sum, file) => sum + statSync(path.join(folder, file)).size,
        0,
      );
      const { report, seconds, cpu, megabytes } = await run(binary, folder);
      const verdict = judge(answerOf(report), truth, job);
      console.log(
        `${each}: ${world} ranks, ${job.launcher}, PyTorch ${job.version}, ${files.size} files, ${(size / 1e6).toFixed(1)} MB: ` +
          `${seconds.toFixed(2)} s (${cpu.toFixed(2)} s of processor time), ${megabytes.toFixed(0)} MB resident, ` +
          `${verdict.exact ? 'exact' : truth.provable ? 'not exact' : 'not provable'}, ${verdict.accused.length} innocent accused`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
