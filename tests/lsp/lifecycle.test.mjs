// The language server's life and its answers to messages no sane client sends.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { serverBinary } from '../../.ci/lib.mjs';
import { Client, RawClient, spawnServer } from './server.mjs';

const code = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  serverNotInitialized: -32002,
};

/** @param {import('node:test').TestContext} context */
function rawClient(context) {
  const client = new RawClient();
  context.after(() => client.kill());
  return client;
}

test('initialize announces what the server does, and shutdown then exit ends it with status 0', async (context) => {
  const client = new Client();
  context.after(() => client.kill());
  const { capabilities, serverInfo } = await client.initialize();
  assert.equal(serverInfo.name, 'FirstFault');
  const sync = capabilities.textDocumentSync;
  assert.equal(typeof sync === 'object' ? sync.change : sync, 2, 'incremental synchronization');
  assert.ok(capabilities.hoverProvider);
  assert.ok(capabilities.codeActionProvider);
  assert.ok(capabilities.diagnosticProvider);
  assert.ok(capabilities.executeCommandProvider.commands.includes('firstfault.diagnose'));
  assert.equal(await client.stop(), 0);
  assert.equal(client.server.stderr(), '');
});

test('exit without shutdown ends with status 1', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.send({ method: 'exit' });
  assert.equal(await client.server.exited(), 1);
});

test('end of input without shutdown ends with status 1', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.server.child.stdin.end();
  assert.equal(await client.server.exited(), 1);
});

test('a request before initialize is refused', async (context) => {
  const client = rawClient(context);
  client.send({ id: 1, method: 'textDocument/hover', params: {} });
  assert.equal((await client.response(1)).error.code, code.serverNotInitialized);
});

test('a request after shutdown is invalid', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.send({ id: 1, method: 'shutdown' });
  assert.equal((await client.response(1)).result, null);
  client.send({ id: 2, method: 'textDocument/hover', params: {} });
  assert.equal((await client.response(2)).error.code, code.invalidRequest);
  client.send({ method: 'exit' });
  assert.equal(await client.server.exited(), 0);
});

test('malformed JSON gets a parse error, and the server lives on', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.frame('{"jsonrpc": "2.0", "id": 1, "method": ');
  assert.equal((await client.response(null)).error.code, code.parseError);
  client.send({ id: 2, method: 'shutdown' });
  assert.equal((await client.response(2)).result, null);
});

test('a frame of bytes that are no UTF-8 does not end the server', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.write(
    Buffer.concat([Buffer.from('Content-Length: 4\r\n\r\n'), Buffer.from([0xff, 0xfe, 0, 0x80])]),
  );
  assert.equal((await client.response(null)).error.code, code.parseError);
  client.send({ id: 2, method: 'shutdown' });
  assert.equal((await client.response(2)).result, null);
});

test('JSON that is no request is invalid', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.frame('{"jsonrpc": "2.0", "id": 7}');
  const error = (await client.response(7).catch(() => client.response(null))).error;
  assert.equal(error.code, code.invalidRequest);
});

test('an unknown request is answered, an unknown notification is not', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  client.send({ method: 'firstfault/nothing' });
  client.send({ id: 1, method: 'firstfault/nothing', params: {} });
  assert.equal((await client.response(1)).error.code, code.methodNotFound);
  const answers = client.messages.filter((each) => 'error' in each);
  assert.equal(answers.length, 1);
});

test('parameters of the wrong shape are invalid, each by its own answer', async (context) => {
  const client = rawClient(context);
  await client.initialize();
  const requests = [
    ['textDocument/hover', { textDocument: 5 }],
    ['textDocument/codeAction', {}],
    ['workspace/executeCommand', { command: 'firstfault.diagnose', arguments: ['text'] }],
    ['workspace/executeCommand', { command: 'firstfault.diagnose', arguments: [{}] }],
    ['workspace/executeCommand', { command: 'firstfault.unknown', arguments: [] }],
  ];
  for (const [id, [method, params]] of requests.entries()) client.send({ id, method, params });
  for (const [id, request] of requests.entries()) {
    const { error } = await client.response(id);
    assert.equal(error?.code, code.invalidParams, JSON.stringify(request));
    assert.ok(error.message.length > 0);
  }
});

test('a message in two pieces with another header is read', async (context) => {
  const client = rawClient(context);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { processId: null, rootUri: null, capabilities: {} },
  });
  const bytes = `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  client.write(bytes.slice(0, 60));
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.write(bytes.slice(60));
  assert.equal((await client.response(1)).result.serverInfo.name, 'FirstFault');
});

test('the server has no socket open', async (context) => {
  // Node's own "pipes" are sockets: real ones come from a shell.
  const client = new RawClient(
    spawnServer('sh', ['-c', 'cat | "$0" lsp 2>/dev/null | cat', serverBinary]),
  );
  context.after(() => client.server.child.stdin.end());
  await client.initialize();
  const shell = client.server.child.pid;
  const children = fs
    .readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8')
    .trim()
    .split(' ');
  const server = children.find(
    (pid) => fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'firstfault',
  );
  const targets = fs
    .readdirSync(`/proc/${server}/fd`)
    .map((fd) => fs.readlinkSync(`/proc/${server}/fd/${fd}`));
  assert.ok(targets.some((target) => target.startsWith('pipe:')));
  assert.deepEqual(
    targets.filter((target) => target.startsWith('socket:')),
    [],
  );
});
