// The extension's entry: starts the server and registers the commands. No diagnosis happens here.
import * as vscode from 'vscode';
import { Client } from './client';
import { Commands, report } from './commands';
import { Reports } from './report';

let client: Client | undefined;

export function activate(context: vscode.ExtensionContext): void {
  client = new Client(context.extensionPath);
  const reports = new Reports();
  context.subscriptions.push(client, reports, new Commands(client, reports).register());
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('firstfault.serverPath')) void restart();
    }),
  );
  void client.start().catch(report);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop();
  await client?.start().catch(report);
}
