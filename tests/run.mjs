// Runs the tests from any state of the machine: installs, builds, then every suite, and sums up.
//   node tests/run.mjs [suite...]
// A suite that fails does not keep the others from running. The last line is "N passed, M failed".
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildRelease } from '../.ci/build.mjs';
import { ensureEditor } from '../.ci/editor.mjs';
import { packageExtension, typecheck } from '../.ci/extension.mjs';
import { formatCpp, formatRest } from '../.ci/format.mjs';
import {
  StepError,
  buildDir,
  ensurePackages,
  root,
  runMain,
  serverBinary,
  step,
  testPackages,
} from '../.ci/lib.mjs';
import { ensureModules } from '../.ci/modules.mjs';

const total = { passed: 0, failed: 0 };

function count(passed, failed) {
  total.passed += passed;
  total.failed += failed;
}

/** One check without a runner of its own: passed unless it throws. */
async function check(work) {
  try {
    await work();
    count(1, 0);
  } catch (error) {
    count(0, 1);
    console.error(error instanceof StepError ? error.message : error);
  }
}

/** Shows the output of a runner: all of it when something failed, else only the closing lines. */
function show(title, output, failed, closing) {
  fs.writeFileSync(path.join(buildDir, 'log', `test-${title}.log`), output);
  console.log(
    failed
      ? output.trimEnd()
      : output
          .split('\n')
          .filter((line) => closing.test(line))
          .join('\n'),
  );
}

/** The doctest units and whatever else CTest knows. */
function unit() {
  const run = spawnSync('ctest', ['--preset', 'release', '--verbose', '--no-tests=error'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const output = run.stdout + run.stderr;
  let [passed, failed] = [0, 0];
  for (const [, good, bad] of output.matchAll(
    /\[doctest\] test cases:.*\| *(\d+) passed \| *(\d+) failed/g,
  )) {
    passed += Number(good);
    failed += Number(bad);
  }
  // A test program that crashed printed no summary of its own.
  if (run.status !== 0 && failed === 0) failed = 1;
  count(passed, failed);
  show('unit', output, failed > 0, /\[doctest\] test cases:|tests passed,|Total Test time/);
}

/** Every signature's own examples. */
async function signatures() {
  await check(async () => {
    const output = await step('Signature check', serverBinary, ['signatures', 'check']);
    console.log(output.trimEnd().split('\n').at(-1));
  });
}

/** Test files for node's own runner. `concurrency` 1 where they share an editor. */
function node(title, files, concurrency) {
  const args = ['--test', '--test-reporter=spec', `--test-concurrency=${concurrency}`, ...files];
  const run = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const output = run.stdout + run.stderr;
  const number = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const failed = number('fail') + number('cancelled');
  count(number('pass'), failed === 0 && run.status !== 0 ? 1 : failed);
  show(title, output, run.status !== 0, /^ℹ (tests|pass|fail|cancelled|duration_ms) /);
}

/** Simulated jobs with a known truth; its last line is "N passed, M failed". */
function simulator() {
  const args = ['tests/simulator/run.mjs', '--quick', '--binary', serverBinary];
  const run = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const output = run.stdout + run.stderr;
  const last = /^(\d+) passed, (\d+) failed$/m.exec(output);
  const failed = Number(last?.[2] ?? 0);
  count(Number(last?.[1] ?? 0), failed === 0 && run.status !== 0 ? 1 : failed);
  show('simulator', output, run.status !== 0, /^all |passed, \d+ failed/);
}

function testFiles(folder) {
  const full = path.join(root, 'tests', folder);
  if (!fs.existsSync(full)) return [];
  return fs
    .readdirSync(full)
    .filter((name) => name.endsWith('.test.mjs'))
    .sort()
    .map((name) => path.join('tests', folder, name));
}

async function extension() {
  const { node: editorNode } = await ensureEditor();
  await check(() => typecheck());
  await check(async () => console.log(path.relative(root, await packageExtension(editorNode))));
}

const suites = {
  format: async () => {
    await check(() => formatCpp(false));
    await check(() => formatRest(false));
  },
  unit,
  signatures,
  cli: () => node('cli', [...testFiles('.')], 2),
  simulator,
  lsp: () => node('lsp', testFiles('lsp'), 2),
  extension,
  e2e: () => node('e2e', testFiles('e2e'), 1),
};

/** What a suite needs beyond the compiler. */
const needsEditor = ['extension', 'e2e'];

async function main() {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !(name in suites));
  if (unknown.length > 0) {
    throw new StepError(
      `No suite ${unknown.join(', ')}; there are: ${Object.keys(suites).join(' ')}`,
    );
  }
  const names =
    chosen.length > 0
      ? Object.keys(suites).filter((name) => chosen.includes(name))
      : Object.keys(suites);
  // The extension under test must be the one of this source tree.
  if (names.includes('e2e') && !names.includes('extension'))
    names.splice(names.indexOf('e2e'), 0, 'extension');
  try {
    if (names.some((name) => needsEditor.includes(name) || name === 'format'))
      await ensurePackages(testPackages);
    await ensureModules(true);
    if (names.some((name) => name !== 'format')) await buildRelease([]);
    if (names.some((name) => needsEditor.includes(name))) await ensureEditor();
    for (const name of names) {
      console.log(`\n== ${name} ==`);
      await suites[name]();
    }
  } catch (error) {
    count(0, 1);
    console.error(error instanceof StepError ? error.message : error);
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

await runMain(main);
