// What a reader finds without FirstFault, on the same simulated inputs: three naive rules and the program.
//   node tests/simulator/baselines.mjs [--seeds N] [--from N] [--binary PATH] [--rules-only]
// "First" means: files by name, as `grep -rn` shows them, because logs of several hosts have no common clock.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answerOf, diagnoseFiles, judge, pool } from './engine.mjs';
import { makeJob } from './job.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const text = { type: 'string' };
const { values } = parseArgs({
  options: { seeds: text, from: text, binary: text, 'rules-only': { type: 'boolean' } },
});
const binary = path.resolve(
  values.binary ?? process.env.FIRSTFAULT ?? path.join(root, 'build/release/firstfault'),
);

/** The rank that printed a line, as a person would find it: label, file, stamp, or a number in the text. */
function rankOf(job, file, line) {
  const { ranks, nodes, perNode } = job.layout;
  const own = /rank_(\d+)\.log$|rank\.(\d+)\/|task(\d+)\.out$/.exec(file);
  if (own) return Number(own[1] ?? own[2] ?? own[3]);
  const node = nodes.findIndex(({ host }) => file.startsWith(`${host}/`) || file === `${host}.log`);
  const local = /attempt_\d+\/(\d+)\//.exec(file) ?? /^\[default(\d+)\]:/.exec(line);
  if (local && node >= 0) return node * perNode + Number(local[1]);
  const worker = /^\(RayTrainWorker pid=(\d+)/.exec(line);
  if (worker) return ranks.find(({ pid }) => pid === Number(worker[1]))?.rank;
  const label =
    /^ *(\d+): |^\[1,(\d+)\]<|\[rank ?(\d+)\]|\[Rank (\d+)\]|\b[Rr]ank[ =](\d+)\b|\btask (\d+)\b/.exec(
      line,
    );
  return label ? Number(label.slice(1).find((number) => number !== undefined)) : undefined;
}

function firstLine(pattern) {
  return (job, files) => {
    for (const [file, content] of files) {
      const line = content.split(/\r|\n/).find((each) => pattern.test(each));
      if (line === undefined) continue;
      const rank = rankOf(job, file, line);
      return rank === undefined ? null : [rank];
    }
    return null;
  };
}

/** The block that torchelastic calls root cause; of several agents' blocks the one with the earliest time. */
function rootCause(job, files) {
  const block = /Root Cause \(first observed failure\):[^]*?time +: (\S+)[^]*?rank +: (\d+)/g;
  const found = files.flatMap(([, content]) => [...content.matchAll(block)]);
  found.sort((x, y) => (x[1] < y[1] ? -1 : x[1] > y[1] ? 1 : 0));
  return found.length > 0 ? [Number(found[0][2])] : null;
}

const rules = {
  'first line with "Error"': firstLine(/Error/),
  "torchelastic's root cause (jobs of torchrun)": rootCause,
  'first timeout line': firstLine(/timeout|timed out|Timed out/i),
};

const empty = () => ({ provable: 0, exact: 0, wrong: 0, silent: 0, untold: 0, accused: 0 });
const totals = Object.fromEntries(
  [...Object.keys(rules), 'FirstFault'].map((name) => [name, empty()]),
);

function count(total, verdict, truth, named) {
  if (truth.provable && truth.ranks) {
    total.provable += 1;
    if (verdict.exact) total.exact += 1;
    else if (named) total.wrong += 1;
    else total.silent += 1;
  } else {
    total.untold += 1;
  }
  if (verdict.accused.length > 0) total.accused += 1;
}

const from = Number(values.from ?? 0);
const seeds = Array.from({ length: Number(values.seeds ?? 640) }, (_, i) => from + i);
await pool(seeds, 2, async (seed) => {
  const { job, truth, files } = makeJob(seed);
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, rule] of Object.entries(rules)) {
    if (rule === rootCause && !job.launcher.startsWith('torchrun')) continue;
    const ranks = rule(job, sorted);
    count(
      totals[name],
      judge({ found: true, ranks, hosts: null, causes: [] }, truth, job),
      truth,
      ranks,
    );
  }
  if (values['rules-only']) return;
  const answer = answerOf(await diagnoseFiles(binary, files));
  count(totals.FirstFault, judge(answer, truth, job), truth, answer.ranks ?? answer.hosts);
});

const share = (part, all) =>
  `${part} of ${all} (${((100 * part) / Math.max(1, all)).toFixed(1)} %)`;
console.log('| reading | exact set | another set | nothing named | innocent accused |');
console.log('| --- | --- | --- | --- | --- |');
for (const [name, t] of Object.entries(totals)) {
  const cells = [t.exact, t.wrong, t.silent].map((part) => share(part, t.provable));
  console.log(`| ${[name, ...cells, share(t.accused, t.provable + t.untold)].join(' | ')} |`);
}
