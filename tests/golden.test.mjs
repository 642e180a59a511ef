// Diagnoses of recorded logs against answers written by hand. See tests/golden/README.md.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { root, serverBinary } from '../.ci/lib.mjs';

const goldenDir = path.join(root, 'tests', 'golden');
const exitStatus = { noFailure: 0, failure: 1 };

/** @param {string} name */
function diagnose(name, /** @type {string[]} */ paths) {
  const run = spawnSync(serverBinary, ['diagnose', '--format', 'json', ...paths], {
    cwd: path.join(goldenDir, name),
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(run.stderr, '', 'nothing on standard error');
  return { status: run.status, diagnosis: JSON.parse(run.stdout) };
}

/**
 * @param {{line: number | null, path: string}[]} evidence
 * @param {{lines: number, path: string}[]} sources
 */
function checkEvidence(name, evidence, sources) {
  assert.ok(evidence.length > 0, 'an incident has evidence');
  for (const { path: file, line } of evidence) {
    if (line === null) {
      const source = sources.find((each) => each.path === file);
      assert.equal(source?.lines, 0, `${file} is a source without lines`);
      continue;
    }
    const full = path.resolve(goldenDir, name, file);
    const lines = fs.readFileSync(full, 'latin1').split(/\r\n|\r|\n/);
    assert.ok(line >= 1 && line <= lines.length, `${file}:${line} is a line of the input`);
  }
}

for (const name of fs.readdirSync(goldenDir).sort()) {
  const file = path.join(goldenDir, name, 'expected.json');
  if (!fs.existsSync(file)) continue;
  const expected = JSON.parse(fs.readFileSync(file, 'utf8'));
  test(`golden: ${name}`, () => {
    const { status, diagnosis } = diagnose(name, expected.paths);
    assert.equal(diagnosis.schema, 'firstfault.diagnosis/1');
    if (expected.causes.length === 0) {
      assert.deepEqual(diagnosis.incidents, []);
      assert.equal(status, exitStatus.noFailure);
      return;
    }
    assert.equal(status, exitStatus.failure);
    const primaries = diagnosis.incidents.filter((each) => each.primary);
    assert.equal(primaries.length, 1, 'one incident ended the job');
    const [incident] = primaries;
    assert.ok(
      expected.causes.includes(incident.cause.id),
      `cause ${incident.cause.id} is none of ${expected.causes.join(', ')}`,
    );
    const ranks = incident.initiator?.ranks ?? null;
    if (expected.initiator) assert.deepEqual(ranks, expected.initiator.ranks, 'initiator ranks');
    if (expected.collateral) {
      const collateral = incident.collateral.map((each) => each.rank);
      assert.deepEqual(
        [...new Set(collateral)].sort((a, b) => a - b),
        expected.collateral,
      );
    }
    checkEvidence(name, incident.evidence, diagnosis.sources);
  });
}
