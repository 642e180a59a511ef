// A running `firstfault lsp` for tests: over a real client library, or message by message for what a client cannot send.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { root, serverBinary } from '../../.ci/lib.mjs';

export const waitLimitMs = 15_000;

/** Rejects when `promise` takes too long, naming what was waited for. */
export function within(promise, what, limit = waitLimitMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out waiting for ${what}`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function spawnServer(command = serverBinary, args = ['lsp']) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) =>
    child.on('close', (status, signal) => resolve(signal ?? status)),
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  child.stdin.on('error', () => {}); // a server that has exited closes the pipe: tests look at its status
  return { child, exited: () => within(exited, 'the server to exit'), stderr: () => stderr };
}

export const clientCapabilities = {
  textDocument: {
    hover: { contentFormat: ['markdown', 'plaintext'] },
    publishDiagnostics: { relatedInformation: true },
    codeAction: {
      codeActionLiteralSupport: {
        codeActionKind: { valueSet: ['', 'quickfix'] },
      },
      isPreferredSupport: true,
    },
  },
  workspace: { workspaceEdit: { documentChanges: true } },
  window: { workDoneProgress: true },
};

/** A client of the real library, with what the server pushed. */
export class Client {
  constructor(workspace = root) {
    this.workspace = workspace;
    this.server = spawnServer();
    const { stdin, stdout } = this.server.child;
    this.connection = createProtocolConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    );
    this.published = new Map();
    this.waiting = [];
    this.connection.onNotification('textDocument/publishDiagnostics', (params) => {
      this.published.set(params.uri, params);
      this.waiting = this.waiting.filter((waiter) => !waiter(params));
    });
    this.connection.onRequest('window/workDoneProgress/create', () => null);
    this.connection.onRequest('client/registerCapability', () => null);
    this.connection.onRequest('workspace/configuration', ({ items }) => items.map(() => null));
    this.connection.onRequest('workspace/diagnostic/refresh', () => null);
    this.connection.listen();
  }

  async initialize(capabilities = clientCapabilities) {
    const uri = pathToFileURL(this.workspace).href;
    const result = await this.request('initialize', {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'workspace' }],
      capabilities,
    });
    await this.connection.sendNotification('initialized', {});
    return result;
  }

  /** @returns {Promise<any>} */
  request(method, params, token) {
    // An undefined third argument would count as a second parameter.
    const more = token ? [token] : [];
    return within(this.connection.sendRequest(method, params, ...more), method);
  }

  open(uri, languageId, text, version = 1) {
    return this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version, text },
    });
  }

  /** The next pushed diagnostics of `uri` that fulfil `condition`; those already pushed count too. */
  diagnosticsOf(uri, condition = (_params) => true, what = `diagnostics of ${uri}`) {
    const present = this.published.get(uri);
    if (present && condition(present)) return Promise.resolve(present);
    const next = new Promise((resolve) =>
      this.waiting.push((params) => {
        if (params.uri !== uri || !condition(params)) return false;
        resolve(params);
        return true;
      }),
    );
    return within(next, what);
  }

  execute(argument, token) {
    return this.request(
      'workspace/executeCommand',
      { command: 'firstfault.diagnose', arguments: [argument] },
      token,
    );
  }

  /** Ends the server as the protocol wants it, and returns its exit status. */
  async stop() {
    await this.request('shutdown', undefined);
    await this.connection.sendNotification('exit');
    const status = await this.server.exited();
    this.connection.dispose();
    return status;
  }

  kill() {
    this.server.child.kill('SIGKILL');
    this.connection.dispose();
  }
}

/** The protocol by hand: frames may hold anything. */
export class RawClient {
  constructor(server = spawnServer()) {
    this.server = server;
    this.buffer = Buffer.alloc(0);
    this.messages = [];
    this.waiting = [];
    this.server.child.stdout.on('data', (chunk) => {
      this.buffer = Buffer.concat([this.buffer, chunk]);
      while (this.takeMessage());
    });
  }

  takeMessage() {
    const end = this.buffer.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const length = Number(
      /content-length: *(\d+)/i.exec(this.buffer.toString('latin1', 0, end))?.[1],
    );
    if (this.buffer.length < end + 4 + length) return false;
    this.messages.push(JSON.parse(this.buffer.toString('utf8', end + 4, end + 4 + length)));
    this.buffer = this.buffer.subarray(end + 4 + length);
    this.waiting = this.waiting.filter((waiter) => !waiter());
    return true;
  }

  write(bytes) {
    this.server.child.stdin.write(bytes);
  }

  frame(body) {
    this.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  send(message) {
    this.frame(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** The response with this id (null for a message whose id could not be read). */
  response(id) {
    const find = () =>
      this.messages.find(
        (each) => each.id === id && !('method' in each) && ('result' in each || 'error' in each),
      );
    const present = find();
    if (present) return Promise.resolve(present);
    const next = new Promise((resolve) =>
      this.waiting.push(() => {
        const found = find();
        if (found) resolve(found);
        return found !== undefined;
      }),
    );
    return within(next, `the response to ${id}`);
  }

  async initialize() {
    this.send({
      id: 'init',
      method: 'initialize',
      params: { processId: null, rootUri: null, capabilities: {} },
    });
    const response = await this.response('init');
    this.send({ method: 'initialized', params: {} });
    return response;
  }

  kill() {
    this.server.child.kill('SIGKILL');
  }
}

/** A folder of its own for one test, removed when `context` (node:test's) ends. */
export function temporaryFolder(context) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstfault-test-'));
  context.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
