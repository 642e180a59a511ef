// What an editor gets for its documents: diagnostics, hovers, quick fixes, and the diagnosis command.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node';
import { root } from '../../.ci/lib.mjs';
import { Client, clientCapabilities, temporaryFolder } from './server.mjs';

const severityError = 1;
const requestCancelled = -32800;
const exampleFile = path.join(root, 'tests/golden/cpu-allocation/output.log');
const example = fs.readFileSync(exampleFile, 'utf8');
const exampleLines = example.split('\n');
/** The line of the failing rank's own error: what everything else must point to. */
const causeLine = exampleLines.findIndex((line) => line.includes('DefaultCPUAllocator'));
const victimLine = exampleLines.findIndex((line) => line.includes('Connection closed by peer'));

/** @param {import('node:test').TestContext} context */
async function startClient(
  context,
  workspace = temporaryFolder(context),
  capabilities = clientCapabilities,
) {
  const client = new Client(workspace);
  context.after(() => client.kill());
  await client.initialize(capabilities);
  return client;
}

function isError(diagnostic) {
  return diagnostic.severity === severityError;
}

function covers(range, line) {
  return range.start.line <= line && line <= range.end.line;
}

function initiatorRanks(diagnosis) {
  return diagnosis.incidents.find((each) => each.primary)?.initiator?.ranks;
}

test('an opened log gets an error at the initiator, and none at its victims', async (context) => {
  const client = await startClient(context);
  const uri = 'file:///logs/run.log';
  await client.open(uri, 'training-log', example);
  const { diagnostics, version } = await client.diagnosticsOf(
    uri,
    (each) => each.diagnostics.length > 0,
  );
  const errors = diagnostics.filter(isError);
  assert.ok(errors.length >= 1);
  assert.ok(
    errors.some((each) => covers(each.range, causeLine)),
    'an error at the cause',
  );
  assert.ok(!errors.some((each) => covers(each.range, victimLine)), 'no error at a victim');
  assert.ok(
    errors.some((each) => /rank 2\b/i.test(each.message)),
    errors[0].message,
  );
  assert.ok(diagnostics.every((each) => each.source === 'FirstFault'));
  assert.ok(version === undefined || version === 1);
});

test('a plain text that holds a failure is recognized by its content, another one is left alone', async (context) => {
  const client = await startClient(context);
  await client.open(
    'untitled:notes',
    'plaintext',
    'Buy milk.\nCall the cluster team about the queue.\n',
  );
  await client.open('untitled:log', 'plaintext', example);
  const { diagnostics } = await client.diagnosticsOf(
    'untitled:log',
    (each) => each.diagnostics.length > 0,
  );
  assert.ok(diagnostics.some(isError));
  assert.deepEqual(client.published.get('untitled:notes')?.diagnostics ?? [], []);
});

test('incremental changes are followed: removing the failure clears the diagnostics, undoing brings them back', async (context) => {
  const client = await startClient(context);
  const uri = 'file:///logs/changing.log';
  await client.open(uri, 'training-log', example);
  const before = await client.diagnosticsOf(uri, (each) => each.diagnostics.some(isError));
  const end = { line: exampleLines.length - 1, character: exampleLines.at(-1)?.length ?? 0 };
  const firstTraceback = exampleLines.findIndex((line) => line.includes('Traceback'));
  const start = { line: firstTraceback, character: 0 };
  client.published.delete(uri);
  await client.connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: { start, end }, text: '' }],
  });
  await client.diagnosticsOf(uri, (each) => !each.diagnostics.some(isError), 'cleared errors');
  client.published.delete(uri);
  await client.connection.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 3 },
    contentChanges: [
      // Two changes of one notification apply one after the other, in UTF-16 columns.
      { range: { start, end: start }, text: '🙂é' },
      {
        range: { start, end: { line: firstTraceback, character: '🙂é'.length } },
        text: exampleLines.slice(firstTraceback).join('\n'),
      },
    ],
  });
  const after = await client.diagnosticsOf(uri, (each) => each.diagnostics.some(isError));
  const ranges = (params) => params.diagnostics.map((each) => [each.range, each.message]);
  assert.deepEqual(ranges(after), ranges(before));
});

test('closing a document takes its diagnostics away', async (context) => {
  const client = await startClient(context);
  const uri = 'untitled:closing';
  await client.open(uri, 'training-log', example);
  await client.diagnosticsOf(uri, (each) => each.diagnostics.length > 0);
  await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  await client.diagnosticsOf(uri, (each) => each.diagnostics.length === 0, 'cleared diagnostics');
});

test('a client that pulls gets the same diagnostics by asking', async (context) => {
  const client = await startClient(context, temporaryFolder(context), {
    ...clientCapabilities,
    textDocument: {
      ...clientCapabilities.textDocument,
      diagnostic: { dynamicRegistration: false },
    },
  });
  const uri = 'file:///logs/pulled.log';
  await client.open(uri, 'training-log', example);
  const report = await client.request('textDocument/diagnostic', { textDocument: { uri } });
  assert.equal(report.kind, 'full');
  assert.ok(report.items.some((each) => isError(each) && covers(each.range, causeLine)));
});

test('hover explains a recognized line, and says nothing about an ordinary one', async (context) => {
  const client = await startClient(context);
  const uri = 'file:///logs/hover.log';
  await client.open(uri, 'training-log', example);
  const hover = await client.request('textDocument/hover', {
    textDocument: { uri },
    position: { line: causeLine, character: 30 },
  });
  assert.equal(hover.contents.kind, 'markdown');
  assert.match(hover.contents.value, /memory/i);
  const ordinary = exampleLines.findIndex((line) => line.includes('model has 0.14M'));
  const none = await client.request('textDocument/hover', {
    textDocument: { uri },
    position: { line: ordinary, character: 30 },
  });
  assert.equal(none, null);
});

test('the diagnosis of an open document, of a range of it, and of raw text', async (context) => {
  const client = await startClient(context);
  const uri = 'untitled:command';
  await client.open(uri, 'plaintext', example);
  const whole = await client.execute({ uri });
  assert.equal(whole.schema, 'firstfault.diagnosis/1');
  assert.deepEqual(initiatorRanks(whole), [2]);

  const first = causeLine - 7;
  const range = {
    start: { line: first, character: 0 },
    end: { line: causeLine + 1, character: 0 },
  };
  const part = await client.execute({ uri, range });
  const [incident] = part.incidents;
  assert.equal(incident.cause.id, 'memory/python-memoryerror');
  assert.ok(
    incident.evidence.some((each) => each.line === causeLine + 1),
    `evidence lines count from the start of the document: ${incident.evidence.map((each) => each.line)}`,
  );

  const text = exampleLines.slice(first, causeLine + 1).join('\n');
  const raw = await client.execute({ text, name: 'pasted.log' });
  assert.equal(raw.incidents[0].cause.id, 'memory/python-memoryerror');
  assert.ok(raw.incidents[0].evidence.some((each) => each.path === 'pasted.log'));
});

test('the diagnosis of a file that is not open reads it from disk, and a missing one is named', async (context) => {
  const folder = temporaryFolder(context);
  const client = await startClient(context, folder);
  const file = path.join(folder, 'name with ä and %.log');
  fs.copyFileSync(exampleFile, file);
  const answer = await client.execute({ uri: pathToFileURL(file).href });
  assert.deepEqual(initiatorRanks(answer), [2]);
  const missing = pathToFileURL(path.join(folder, 'absent.log')).href;
  await assert.rejects(client.execute({ uri: missing }), /absent\.log/);
});

test('format markdown answers with the report, a summary and the diagnosis', async (context) => {
  const client = await startClient(context);
  const answer = await client.execute({ text: example, name: 'run.log', format: 'markdown' });
  assert.match(answer.markdown, /^# /m);
  assert.match(answer.markdown, /rank 2/i);
  assert.ok(answer.summary.length > 0 && !answer.summary.includes('\n'));
  assert.deepEqual(initiatorRanks(answer.diagnosis), [2]);
  const healthy = await client.execute({
    text: 'step 1 loss 2.0\nstep 2 loss 1.9\n',
    format: 'markdown',
  });
  assert.deepEqual(healthy.diagnosis.incidents, []);
});

test('the quick fix inserts eps=1e-5 into the optimizer of an opened Python file', async (context) => {
  const folder = temporaryFolder(context);
  fs.cpSync(path.join(root, 'tests/e2e/workspace'), folder, { recursive: true });
  const client = await startClient(context, folder);
  const log = pathToFileURL(path.join(folder, 'train.log')).href;
  const uri = pathToFileURL(path.join(folder, 'train.py')).href;
  const source = fs.readFileSync(path.join(folder, 'train.py'), 'utf8');
  const diagnosis = await client.execute({ uri: log, workspace: folder });
  assert.equal(diagnosis.incidents[0].cause.id, 'numerics/adam-eps-fp16-underflow');

  await client.open(uri, 'python', source);
  const line = source.split('\n').findIndex((each) => each.includes('optimizer = AdamW('));
  const actions = await client.request('textDocument/codeAction', {
    textDocument: { uri },
    range: { start: { line, character: 4 }, end: { line, character: 20 } },
    context: { diagnostics: [] },
  });
  const fix = actions.find((each) => each.isPreferred);
  assert.ok(fix, `a preferred action among ${JSON.stringify(actions.map((each) => each.title))}`);
  assert.equal(fix.kind, 'quickfix');
  const edits = editsOf(fix.edit, uri);
  assert.equal(edits.length, 1);
  const changed = applied(source, edits[0]);
  assert.match(changed, /betas=\(0\.9, 0\.98\),\s+eps=1e-5,?\s*\)/);
  assert.equal(changed.replace(/\s*eps=1e-5,/, ''), source, 'nothing else changes');
});

test('a Python file gets no action while nothing was diagnosed', async (context) => {
  const client = await startClient(context);
  await client.open('untitled:plain.py', 'python', 'import torch\n\nopt = torch.optim.Adam([])\n');
  const actions = await client.request('textDocument/codeAction', {
    textDocument: { uri: 'untitled:plain.py' },
    range: { start: { line: 2, character: 0 }, end: { line: 2, character: 26 } },
    context: { diagnostics: [] },
  });
  assert.deepEqual(actions ?? [], []);
});

test('a cancelled diagnosis answers that it was cancelled, and the next one works', async (context) => {
  const client = await startClient(context);
  const large = example.repeat(3000); // about 35 MB: long enough to be cancelled on any machine
  const source = new CancellationTokenSource();
  const pending = client.execute({ text: large, name: 'large.log' }, source.token);
  setTimeout(() => source.cancel(), 20);
  await assert.rejects(pending, (error) => {
    assert.equal(/** @type {any} */ (error).code, requestCancelled);
    return true;
  });
  assert.deepEqual(initiatorRanks(await client.execute({ text: example })), [2]);
});

test('long work reports progress on the token it was given', async (context) => {
  const client = await startClient(context);
  /** @type {string[]} */
  const kinds = [];
  client.connection.onNotification('$/progress', ({ token, value }) => {
    if (token === 'work') kinds.push(value.kind);
  });
  await client.request('workspace/executeCommand', {
    command: 'firstfault.diagnose',
    arguments: [{ text: example.repeat(500), name: 'long.log' }],
    workDoneToken: 'work',
  });
  assert.equal(kinds[0], 'begin');
  assert.equal(kinds.at(-1), 'end');
});

test('hostile text does no harm: markup in a log stays text in the report', async (context) => {
  const client = await startClient(context);
  const hostile = example.replaceAll(
    "can't allocate memory",
    "can't allocate memory <img src=x onerror=alert(1)> [x](command:evil)",
  );
  const { markdown } = await client.execute({ text: hostile, format: 'markdown' });
  const outsideCode = markdown
    .replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
    .replace(/(`+)[^`][\s\S]*?\1/g, '');
  assert.ok(!outsideCode.includes('<img'), 'no raw HTML');
  assert.doesNotMatch(outsideCode, /(?<!\\)\]\(command:/, 'no command link');
});

/** The text edits that a workspace edit holds for `uri`, in either of its forms. */
function editsOf(workspaceEdit, uri) {
  if (workspaceEdit.changes) return workspaceEdit.changes[uri];
  return workspaceEdit.documentChanges
    .filter((each) => each.textDocument.uri === uri)
    .flatMap((each) => each.edits);
}

function applied(source, { range, newText }) {
  const lines = source.split('\n');
  const offset = ({ line, character }) =>
    lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
  return source.slice(0, offset(range.start)) + newText + source.slice(offset(range.end));
}
