// Property tests over simulated jobs with a known truth. The last line is "N passed, M failed".
//   node tests/simulator/run.mjs [--quick] [--seeds N] [--from N] [--kind NAME] [--binary PATH]
//   node tests/simulator/run.mjs --seed N [--kind NAME] --write DIR      writes one job and its truth
//   node tests/simulator/run.mjs --ranks N | --bytes N                   time and memory of large inputs
// The program is the argument, $FIRSTFAULT, or build/release/firstfault.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSeed, variations } from './checks.mjs';
import { pool, writeJob } from './engine.mjs';
import { faults } from './faults.mjs';
import { gaps } from './gaps.mjs';
import { makeJob } from './job.mjs';
import { measure } from './scale.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const text = { type: 'string' };
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    seeds: text,
    from: text,
    kind: text,
    seed: text,
    write: text,
    ranks: text,
    bytes: text,
    binary: text,
  },
});
const binary = path.resolve(
  values.binary ?? process.env.FIRSTFAULT ?? path.join(root, 'build/release/firstfault'),
);
const kinds = Object.keys(faults);

if (values.kind && !faults[values.kind]) {
  console.error(`No kind ${values.kind}; there are: ${kinds.join(' ')}`);
  process.exit(2);
}
if (values.write) write(Number(values.seed ?? 0));
else if (values.ranks || values.bytes)
  await measure(binary, Number(values.ranks ?? 64), Number(values.bytes ?? 0), values.kind);
else process.exit((await simulate()) === 0 ? 0 : 1);

function write(seed) {
  const { files, truth, kind } = makeJob(seed, { kind: values.kind });
  mkdirSync(values.write, { recursive: true });
  writeJob(values.write, files);
  // The truth lies beside the folder, not in it: it is no input.
  writeFileSync(
    `${path.resolve(values.write)}.truth.json`,
    JSON.stringify({ kind, ...truth }, null, 2),
  );
  console.log(`${kind}: ${JSON.stringify(truth)}`);
}

async function simulate() {
  const count = Number(
    values.seed !== undefined ? 1 : (values.seeds ?? (values.quick ? 192 : 3200)),
  );
  const from = Number(values.seed ?? values.from ?? 0);
  const seeds = Array.from({ length: count }, (_, i) => from + i);
  const names = Object.keys(variations);
  const results = [];
  await pool(seeds, 2, async (seed) => {
    // Quick runs try one variation a seed, long ones all of them.
    const chosen = values.quick ? [names[Math.floor(seed / kinds.length) % names.length]] : names;
    results.push(await checkSeed(binary, seed, { kind: values.kind }, chosen));
  });
  results.sort((a, b) => a.seed - b.seed);
  return report(results);
}

function report(results) {
  printKinds(results);
  printVariations(results);
  printGaps(results);
  let [checks, failed] = [0, 0];
  for (const result of results) {
    const open = result.failures.filter(({ gap }) => !gap);
    checks += result.checks - (result.failures.length - open.length);
    failed += open.length;
    if (open.length === 0) continue;
    console.log(
      `FAILED ${result.kind}: ${open.map(({ what }) => what).join('; ')}\n  ${result.note}`,
    );
    console.log(`  ${command(result.seed)}`);
  }
  console.log(`${checks - failed} passed, ${failed} failed`);
  return failed;
}

function command(seed) {
  return `node tests/simulator/run.mjs --seed ${seed}${values.kind ? ` --kind ${values.kind}` : ''} --write DIR`;
}

function printKinds(results) {
  const row = (cells) =>
    console.log(
      cells.map((cell, i) => (i === 0 ? cell.padEnd(20) : String(cell).padStart(10))).join(''),
    );
  row(['kind', 'seeds', 'provable', 'exact', 'accused', 'cause']);
  const line = (name, list) => {
    const provable = list.filter((result) => result.provable);
    const judged = list.filter((result) => result.cause !== null);
    row([
      name,
      list.length,
      provable.length,
      provable.filter((result) => result.exact).length,
      list.filter((result) => result.accused.length > 0).length,
      `${judged.filter((result) => result.cause).length}/${judged.length}`,
    ]);
  };
  for (const kind of kinds) {
    const list = results.filter((result) => result.kind === kind);
    if (list.length > 0) line(kind, list);
  }
  line('all', results);
}

function printVariations(results) {
  for (const name of Object.keys(variations)) {
    const changed = results.filter(({ failures }) =>
      failures.some(({ what }) => what.endsWith(name)),
    );
    console.log(`other answer with ${name}: ${changed.length}`);
  }
}

function printGaps(results) {
  if (gaps.length > 0) console.log('Known gaps (not counted as failed):');
  for (const { name, reason } of gaps) {
    const list = results.filter((result) => result.gaps.includes(name));
    const bad = list.filter(({ failures }) => failures.some(({ gap }) => gap === name));
    console.log(`  ${name}: ${bad.length} of ${list.length} jobs wrong. ${reason}`);
    if (bad.length > 0) console.log(`    ${bad[0].note}\n    ${command(bad[0].seed)}`);
    else if (list.length >= 4)
      console.log(`  >>> ${name} passes now: remove it from tests/simulator/gaps.mjs`);
  }
}
