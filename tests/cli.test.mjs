// The command line as scripts use it: exit statuses, messages for bad input, every output format.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { root, serverBinary } from '../.ci/lib.mjs';

const noFailure = 0;
const failureFound = 1;
const badUsage = 2;

const example = path.join(root, 'tests/golden/cpu-allocation/output.log');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstfault-cli-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {{input?: string | Buffer, binary?: string, env?: NodeJS.ProcessEnv}} options */
function run(args, options = {}) {
  const { input = '', binary = serverBinary, env = process.env } = options;
  return spawnSync(binary, args, { cwd: folder, encoding: 'utf8', input, env, timeout: 60_000 });
}

function written(name, content) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

function assertRefused(result, mention) {
  assert.equal(result.status, badUsage, result.stderr);
  assert.equal(result.stdout, '', 'nothing on standard output');
  assert.match(result.stderr, mention);
}

test('a failure is status 1, and the text names the initiating rank', () => {
  const { status, stdout, stderr } = run(['diagnose', example]);
  assert.equal(status, failureFound);
  assert.match(stdout, /rank 2/i);
  assert.ok(!stdout.includes('\x1b'), 'no colours without a terminal');
  assert.equal(stderr, '');
});

test('a log without failure is status 0', () => {
  const { status } = run(['diagnose', '-'], {
    input: 'step 1 loss 2.1\nstep 2 loss 2.0\ntraining finished\n',
  });
  assert.equal(status, noFailure);
});

test('standard input, a file and the same file in a folder give the same answer', () => {
  const text = fs.readFileSync(example, 'utf8');
  const logs = path.join(folder, 'logs');
  fs.mkdirSync(logs);
  fs.writeFileSync(path.join(logs, 'output.log'), text);
  const answers = [
    run(['diagnose', '--format', 'json', '-'], { input: text }),
    run(['diagnose', '--format', 'json', example]),
    run(['diagnose', '--format', 'json', logs]),
  ].map((each) => JSON.parse(each.stdout));
  for (const answer of answers) {
    const [incident] = answer.incidents;
    assert.equal(incident.cause.id, 'memory/python-memoryerror');
    assert.deepEqual(incident.initiator.ranks, [2]);
    assert.equal(incident.evidence[0].line, answers[0].incidents[0].evidence[0].line);
  }
});

test('every format comes out whole', () => {
  const sarif = JSON.parse(run(['diagnose', '--format', 'sarif', example]).stdout);
  assert.equal(sarif.version, '2.1.0');
  assert.ok(sarif.runs[0].results.length > 0);
  assert.match(run(['diagnose', '--format', 'markdown', example]).stdout, /^# /m);
  assert.match(run(['diagnose', '--format', 'html', example]).stdout, /^<!doctype html>/i);
});

test('bytes that are no UTF-8, NUL bytes, carriage returns and UTF-16 are read', () => {
  const text = fs.readFileSync(example, 'utf8');
  const forms = {
    'latin1.log': Buffer.concat([
      Buffer.from([0xff, 0xfe - 1, 0x00, 0x80, 0x0a]),
      Buffer.from(text),
    ]),
    'crlf.log': text.replaceAll('\n', '\r\n'),
    'utf16.log': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
  };
  for (const [name, content] of Object.entries(forms)) {
    const { status, stdout } = run(['diagnose', '--format', 'json', written(name, content)]);
    assert.equal(status, failureFound, name);
    assert.deepEqual(JSON.parse(stdout).incidents[0].initiator.ranks, [2], name);
  }
});

test('a missing file is named', () => {
  assertRefused(run(['diagnose', path.join(folder, 'absent.log')]), /absent\.log/);
});

test('a folder without logs is named', () => {
  fs.mkdirSync(path.join(folder, 'nothing-here'));
  assertRefused(run(['diagnose', path.join(folder, 'nothing-here')]), /nothing-here/);
});

test('an empty file has no failure', () => {
  const { status, stdout } = run(['diagnose', '--format', 'json', written('empty.log', '')]);
  assert.equal(status, noFailure);
  assert.deepEqual(JSON.parse(stdout).incidents, []);
});

test('unknown options, formats and commands, and no input at all, are errors that name the thing', () => {
  assertRefused(run(['diagnose', '--colour', example]), /--colour/);
  assertRefused(run(['diagnose', '--format', 'yaml', example]), /yaml/);
  assertRefused(run(['diagnosis', example]), /diagnosis/);
  assertRefused(run(['diagnose']), /no input/);
});

test('help and version go to standard output', () => {
  const help = run(['--help']);
  assert.equal(help.status, 0);
  for (const command of ['diagnose', 'lsp', 'explain', 'signatures'])
    assert.ok(help.stdout.includes(command));
  assert.match(run(['--version']).stdout, /^firstfault \d+\.\d+\.\d+/);
});

test('the binary works copied alone to another place', () => {
  const copy = path.join(folder, 'firstfault');
  fs.copyFileSync(serverBinary, copy);
  fs.chmodSync(copy, 0o755);
  const { status, stdout } = run(['diagnose', '--format', 'json', example], {
    binary: copy,
    env: {},
  });
  assert.equal(status, failureFound);
  assert.deepEqual(JSON.parse(stdout).incidents[0].initiator.ranks, [2]);
});

test('a signature file that breaks the schema is refused by name', () => {
  const signatures = path.join(folder, 'signatures');
  fs.mkdirSync(signatures);
  fs.writeFileSync(path.join(signatures, 'broken.json'), '{"id": 5}');
  const result = run(['diagnose', '--signatures', signatures, example]);
  assertRefused(result, /broken\.json/);
});

test('the list of signatures is complete enough to be used', () => {
  const list = JSON.parse(run(['signatures', 'list', '--format', 'json']).stdout);
  assert.ok(list.length >= 60);
  for (const each of list) {
    for (const key of ['id', 'cause', 'role', 'title', 'file'])
      assert.ok(key in each, `${each.id} has ${key}`);
  }
  const taxonomy = JSON.parse(fs.readFileSync(path.join(root, 'signatures/taxonomy.json'), 'utf8'));
  const families = new Set(
    JSON.stringify(taxonomy)
      .match(/"[a-z]+\/[a-z0-9-]+"/g)
      ?.map((id) => id.slice(1).split('/')[0]),
  );
  for (const family of families) {
    assert.ok(
      list.some((each) => each.cause?.startsWith(`${family}/`)),
      `the family ${family} has a signature`,
    );
  }
});
