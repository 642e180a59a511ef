// Reports as read-only Markdown documents, shown in VS Code's own preview.
import * as vscode from 'vscode';

const scheme = 'firstfault-report';

/** A report is a few kilobytes; old ones are dropped so that a long session does not keep them all. */
const keptReports = 20;

export class Reports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration: vscode.Disposable;
  private count = 0;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.texts.get(uri.toString()) ?? 'This report is no longer kept. Run the diagnosis again.\n'
    );
  }

  /** Shows `markdown` beside the active editor; as plain Markdown text where the preview is not available. */
  async show(name: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({
      scheme,
      path: `/FirstFault: ${name.replace(/[/\\]/g, ' ')}.md`,
      query: String(++this.count),
    });
    this.remember(uri, markdown);
    try {
      await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
    } catch {
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
    }
  }

  dispose(): void {
    this.registration.dispose();
    this.texts.clear();
  }

  private remember(uri: vscode.Uri, markdown: string): void {
    this.texts.set(uri.toString(), markdown);
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= keptReports) break;
      this.texts.delete(oldest);
    }
  }
}
