// Finds the server program: the user's setting, else FIRSTFAULT_SERVER, else the one in the extension.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** Why there is no server to start, in words for the user. */
export class ServerNotFound extends Error {}

const bundledTarget = { platform: 'linux', arch: 'x64' };

/**
 * Returns the path of an executable server.
 * @throws ServerNotFound naming where it was looked for and what to do.
 */
export function findServer(extensionPath: string): string {
  const setting = vscode.workspace
    .getConfiguration('firstfault')
    .get<string>('serverPath', '')
    .trim();
  if (setting) return checked(setting, 'the setting firstfault.serverPath');
  const variable = process.env['FIRSTFAULT_SERVER'];
  if (variable) return checked(variable, 'the environment variable FIRSTFAULT_SERVER');
  // Some installers accept a package made for another machine: say so rather than "exec format error".
  if (process.platform !== bundledTarget.platform || process.arch !== bundledTarget.arch) {
    throw new ServerNotFound(
      `FirstFault: this extension package holds a server for ${bundledTarget.platform}-${bundledTarget.arch}, ` +
        `and this machine is ${process.platform}-${process.arch}. Build the server here and name it in the ` +
        'setting firstfault.serverPath.',
    );
  }
  return checked(path.join(extensionPath, 'server', 'firstfault'), 'the extension package');
}

function checked(file: string, origin: string): string {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    if (fs.statSync(file).isFile()) return file;
  } catch {
    // Reported below, together with the case of a folder.
  }
  throw new ServerNotFound(
    `FirstFault: no executable server at ${file} (from ${origin}). Correct it there, or run ` +
      '"npm run build" in a clone of FirstFault and name build/release/firstfault in the setting ' +
      'firstfault.serverPath.',
  );
}
