// The language client: owns the server process. Diagnostics, hovers and quick fixes pass through it untouched.
import * as vscode from 'vscode';
import {
  type DocumentSelector,
  ExecuteCommandRequest,
  LanguageClient,
  State,
  WorkDoneProgress,
} from 'vscode-languageclient/node';
import { findServer } from './serverPath';

/** Languages whose documents the server is told about. It decides by content which plain texts are logs. */
const languages = ['training-log', 'log', 'plaintext', 'python'];

const documentSelector: DocumentSelector = ['file', 'untitled'].flatMap((scheme) =>
  languages.map((language) => ({ scheme, language })),
);

/** Whether the server holds the text of `document`, so that a URI and a range say enough. */
export function isSynchronized(document: vscode.TextDocument): boolean {
  return (
    (document.uri.scheme === 'file' || document.uri.scheme === 'untitled') &&
    languages.includes(document.languageId)
  );
}

/** The argument of the server's command `firstfault.diagnose`. */
export interface DiagnoseParams {
  uri?: string;
  range?: { start: vscode.Position; end: vscode.Position };
  text?: string;
  name?: string;
  workspace?: string;
  format: 'markdown';
}

/** Its answer, of which only these parts are looked at. */
export interface DiagnoseAnswer {
  markdown: string;
  summary: string;
  diagnosis: { incidents: unknown[] };
}

export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;
  private started = false;
  private progressCount = 0;

  constructor(private readonly extensionPath: string) {}

  /**
   * Starts the server unless it runs. Safe to call at any time and more than once.
   * @throws ServerNotFound, or whatever keeps the process from starting.
   */
  async start(): Promise<LanguageClient> {
    // The library restarts a server that crashed, but gives up when it does so again and again.
    if (this.started && this.client?.state === State.Stopped) await this.stop();
    const client = (this.client ??= this.create());
    this.starting ??= client.start();
    try {
      await this.starting;
      this.started = true;
    } catch (error) {
      await this.stop();
      throw error;
    }
    return client;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.starting = undefined;
    this.started = false;
    // A client that never started refuses to stop; there is nothing to stop then.
    await client?.dispose().catch(() => undefined);
  }

  dispose(): void {
    void this.stop();
  }

  /** Asks the server for a diagnosis; its progress is passed on, and cancelling ends the request. */
  async diagnose(
    params: DiagnoseParams,
    progress: vscode.Progress<{ message?: string }>,
    token: vscode.CancellationToken,
  ): Promise<DiagnoseAnswer> {
    const client = await this.start();
    const workDoneToken = `firstfault-${++this.progressCount}`;
    const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if (value.kind !== 'end' && value.message) progress.report({ message: value.message });
    });
    try {
      return (await client.sendRequest(
        ExecuteCommandRequest.type,
        { command: 'firstfault.diagnose', arguments: [params], workDoneToken },
        token,
      )) as DiagnoseAnswer;
    } finally {
      listener.dispose();
    }
  }

  private create(): LanguageClient {
    const command = findServer(this.extensionPath);
    return new LanguageClient(
      'firstfault',
      'FirstFault',
      { command, args: ['lsp'] }, // standard input and output, the client's default
      { documentSelector, diagnosticCollectionName: 'firstfault' },
    );
  }
}
