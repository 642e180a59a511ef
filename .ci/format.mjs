// Formatting of the whole tree: clang-format for C++, prettier for the rest. `--write` corrects, else it checks.
import fs from 'node:fs';
import path from 'node:path';
import { ensurePackages, isMain, root, runMain, step } from './lib.mjs';
import { ensureModules } from './modules.mjs';

function cppFiles(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cpp|hpp|h|cc)$/.test(name))
    .map((name) => path.join(folder, name));
}

/** @param {boolean} write */
export async function formatCpp(write) {
  const files = ['server', 'tests/unit', 'tests/fuzz'].flatMap((folder) =>
    fs.existsSync(path.join(root, folder)) ? cppFiles(folder) : [],
  );
  const mode = write ? ['-i'] : ['--dry-run', '-Werror'];
  await step('clang-format', 'clang-format', ['--style=file', ...mode, ...files]);
}

/** @param {boolean} write */
export async function formatRest(write) {
  const prettier = path.join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
  await step('prettier', process.execPath, [prettier, write ? '--write' : '--check', '.']);
}

if (isMain(import.meta)) {
  await runMain(async () => {
    await ensurePackages(['clang-format']);
    await ensureModules(true);
    const write = process.argv.includes('--write');
    await formatCpp(write);
    await formatRest(write);
  });
}
