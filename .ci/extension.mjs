// The extension package: types checked, bundled with esbuild, staged with the server, packed by vsce.
import fs from 'node:fs';
import path from 'node:path';
import { buildDir, root, serverBinary, step, vsix } from './lib.mjs';

const staging = path.join(buildDir, 'extension');

function bin(...parts) {
  return path.join(root, 'node_modules', ...parts);
}

export async function typecheck() {
  const tsc = bin('typescript', 'bin', 'tsc');
  await step('Type check of the extension', process.execPath, [tsc, '-p', 'extension']);
  await step('Type check of the scripts and tests', process.execPath, [tsc, '-p', '.']);
}

/** Bundles and packs the extension with build/release/firstfault in it. `node` must be 22 or newer: vsce asks for it. */
export async function packageExtension(node) {
  fs.rmSync(staging, { recursive: true, force: true });
  fs.mkdirSync(path.join(staging, 'server'), { recursive: true });
  await step('Bundling the extension', bin('.bin', 'esbuild'), [
    'extension/src/activate.ts',
    '--bundle',
    `--outfile=${path.join(staging, 'dist', 'extension.js')}`,
    '--external:vscode',
    '--format=cjs',
    '--platform=node',
    '--target=node20',
    '--minify',
    '--log-level=warning',
  ]);
  const manifest = JSON.parse(
    fs.readFileSync(path.join(root, 'extension', 'package.json'), 'utf8'),
  );
  fs.writeFileSync(path.join(staging, 'package.json'), JSON.stringify(manifest, null, 2));
  fs.cpSync(path.join(root, 'extension', 'syntaxes'), path.join(staging, 'syntaxes'), {
    recursive: true,
  });
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(staging, 'LICENSE'));
  fs.copyFileSync(path.join(root, 'extension', 'README.md'), path.join(staging, 'README.md'));
  const server = path.join(staging, 'server', 'firstfault');
  fs.copyFileSync(serverBinary, server);
  fs.chmodSync(server, 0o755);
  const options = ['--no-dependencies', '--target', 'linux-x64', '--allow-missing-repository'];
  await step(
    'Packing the extension',
    node,
    [bin('@vscode', 'vsce', 'vsce'), 'package', ...options, '-o', vsix],
    { cwd: staging },
  );
  return vsix;
}
