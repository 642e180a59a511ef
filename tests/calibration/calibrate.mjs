// Measures how often the cause given for each evidence pattern is right and prints the table that
// signatures/calibration.json holds.
//
// usage: node tests/calibration/calibrate.mjs BINARY CASES_DIR... > signatures/calibration.json
//
// A case is a folder with case.json: {paths, workspace?, expect: {cause: [accepted ids], not_cause?: [ids]}}.
// The pattern of an answer stands in parentheses at the end of its confidenceBasis.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const [binary, ...folders] = process.argv.slice(2);
if (!binary || folders.length === 0) {
  console.error(
    'usage: node tests/calibration/calibrate.mjs BINARY CASES_DIR... > signatures/calibration.json',
  );
  process.exit(2);
}

/** @param {string} directory @param {{workspace?: string, paths: string[]}} test */
function diagnose(directory, test) {
  const workspace = test.workspace ? ['--workspace', test.workspace] : [];
  try {
    const out = execFileSync(
      path.resolve(/** @type {string} */ (binary)),
      ['diagnose', '--format', 'json', ...workspace, ...test.paths],
      { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    return JSON.parse(out);
  } catch (error) {
    return JSON.parse(/** @type {{stdout: string}} */ (error).stdout); // exit status 1: a failure was found
  }
}

/** @type {Record<string, {right: number, total: number}>} */
const patterns = {};
/** @type {{pattern: string, right: boolean}[]} */
const answers = [];
for (const folder of folders) {
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name, 'case.json');
    if (!existsSync(file)) continue;
    const test = JSON.parse(readFileSync(file, 'utf8'));
    if (!test.expect.cause) continue;
    const incident = diagnose(path.join(folder, name), test).incidents.find(
      (/** @type {{primary: boolean}} */ each) => each.primary,
    );
    if (!incident) continue;
    const [, pattern] = /\(((?:[^()]|\([^()]*\))*)\)$/.exec(incident.cause.confidenceBasis) ?? [];
    if (!pattern) continue;
    const right =
      test.expect.cause.includes(incident.cause.id) &&
      !test.expect.not_cause?.includes(incident.cause.id);
    const entry = (patterns[pattern] ??= { right: 0, total: 0 });
    entry.right += right ? 1 : 0;
    entry.total += 1;
    answers.push({ pattern, right });
  }
}

/** Calibration error in five bins, each answer's confidence computed from all the others with its pattern. */
function leaveOneOutError() {
  const bins = Array.from({ length: 5 }, () => ({ confidence: 0, right: 0 }));
  for (const { pattern, right } of answers) {
    const entry = patterns[pattern] ?? { right: 0, total: 0 };
    const confidence = (entry.right - Number(right) + 1) / (entry.total - 1 + 2);
    const bin = bins[Math.min(Math.floor(confidence * 5), 4)];
    if (bin) {
      bin.confidence += confidence;
      bin.right += Number(right);
    }
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / answers.length;
}

const kept = Object.entries(patterns).filter(([, entry]) => entry.total >= 4);
const table = {
  how:
    `Cause right, of all answers with that evidence pattern, over ${answers.length} incidents with a known answer ` +
    '(rebuilt public reports and recorded runs) that the signatures were developed on: an upper bound for others. ' +
    `Calibration error with each answer left out of its own pattern: ${leaveOneOutError().toFixed(3)}. ` +
    'Patterns seen fewer than 4 times are left out and reported as not measured. ' +
    'Made by tests/calibration/calibrate.mjs.',
  patterns: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
};
process.stdout.write(JSON.stringify(table, null, 2) + '\n');
