// The two commands: they forward a selection or a file to the server and show its answer.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { type Client, type DiagnoseParams, isSynchronized } from './client';
import type { Reports } from './report';

export class Commands {
  constructor(
    private readonly client: Client,
    private readonly reports: Reports,
  ) {}

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand('firstfault.diagnoseSelection', () =>
        this.diagnoseSelection(),
      ),
      vscode.commands.registerCommand('firstfault.diagnoseFile', (uri?: vscode.Uri) =>
        this.diagnoseFile(uri),
      ),
    );
  }

  private async diagnoseSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void vscode.window.showWarningMessage(
        'FirstFault: select the part of a log to diagnose first.',
      );
      return;
    }
    const { document, selection } = editor;
    const name = nameOf(document.uri);
    // The server holds some documents already; of the others (output panels, other languages) it gets the text.
    const source = isSynchronized(document)
      ? { uri: document.uri.toString(), range: { start: selection.start, end: selection.end } }
      : { text: document.getText(selection), name };
    await this.run(name, { ...source, ...workspaceOf(document.uri) });
  }

  private async diagnoseFile(chosen?: vscode.Uri): Promise<void> {
    const uri = chosen ?? activeUri();
    if (!uri) {
      void vscode.window.showWarningMessage('FirstFault: open a log file first.');
      return;
    }
    const name = nameOf(uri);
    const open = vscode.workspace.textDocuments.find(
      (each) => each.uri.toString() === uri.toString(),
    );
    // VS Code keeps files over 50 MB from extensions: the server reads files by path, unless the
    // text is only in the editor.
    const textOnly = open && !isSynchronized(open) && (open.isDirty || uri.scheme !== 'file');
    const source = textOnly ? { text: open.getText(), name } : { uri: uri.toString() };
    await this.run(name, { ...source, ...workspaceOf(uri) });
  }

  private async run(name: string, source: Omit<DiagnoseParams, 'format'>): Promise<void> {
    try {
      const answer = await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: `FirstFault: diagnosing ${name}`,
          cancellable: true,
        },
        (progress, token) =>
          this.client.diagnose({ ...source, format: 'markdown' }, progress, token),
      );
      if (answer.diagnosis.incidents.length === 0) {
        void vscode.window.showInformationMessage(`FirstFault: ${answer.summary}`);
        return;
      }
      await this.reports.show(name, answer.markdown);
    } catch (error) {
      report(error);
    }
  }
}

/** Shows why something failed; a request that the user cancelled is no failure. */
export function report(error: unknown): void {
  if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) return;
  const message = error instanceof Error ? error.message : String(error);
  const text = message.startsWith('FirstFault') ? message : `FirstFault: ${message}`;
  const settings = 'Open Settings';
  void vscode.window.showErrorMessage(text, settings).then((choice) => {
    if (choice === settings) {
      void vscode.commands.executeCommand('workbench.action.openSettings', 'firstfault');
    }
  });
}

function nameOf(uri: vscode.Uri): string {
  return path.posix.basename(uri.path) || 'text';
}

function workspaceOf(uri: vscode.Uri): { workspace?: string } {
  const folder = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.scheme === 'file' ? { workspace: folder.uri.fsPath } : {};
}

/** The resource of the active tab: also of a file too large to be a text document for extensions. */
function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText
    ? input.uri
    : vscode.window.activeTextEditor?.document.uri;
}
