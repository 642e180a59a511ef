// Helpers of the build and test scripts. Plain Node with no dependencies, because `npm start` runs
// on a clone that has no node_modules yet.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const buildDir = path.join(root, 'build');
export const serverBinary = path.join(buildDir, 'release', 'firstfault');
export const vsix = path.join(buildDir, 'firstfault-linux-x64.vsix');

/** A failure whose message already says everything the user needs: printed without a stack. */
export class StepError extends Error {}

/** Debian packages needed to build the binary. */
export const buildPackages = [
  'build-essential',
  'cmake',
  'ninja-build',
  'pkg-config',
  'libre2-dev',
  'nlohmann-json3-dev',
  'libboost-dev',
  'doctest-dev',
  'libtree-sitter-dev',
];

/** Debian packages needed only by the tests. */
export const testPackages = ['clang-format', 'chromium', 'fonts-dejavu-core', 'libkrb5-dev'];

function isInstalled(name) {
  const query = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status}\n', name], {
    encoding: 'utf8',
  });
  return query.status === 0 && query.stdout.split('\n').includes('installed');
}

function missingPackages(names) {
  return names.filter((name) => !isInstalled(name));
}

/** Installs what is missing of `names`; touches neither apt nor the network when nothing is. */
export async function ensurePackages(names) {
  if (spawnSync('dpkg-query', ['--version']).error) {
    console.log('This is not Debian: assuming that these are installed: ' + names.join(' '));
    return;
  }
  const missing = missingPackages(names);
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) {
    throw new StepError(
      `Debian packages are missing. As root, run:\n  ${command}\nthen try again.`,
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const lock = ['-o', 'DPkg::Lock::Timeout=1500'];
  await step('apt-get update', 'apt-get', [...lock, 'update'], { env });
  await step(
    `Installing Debian packages: ${missing.join(' ')}`,
    'apt-get',
    [...lock, 'install', '-y', '--no-install-recommends', ...missing],
    { env },
  );
}

/**
 * Runs a command with its output in build/log/, and prints one line with the time it took. When the
 * command fails, the end of that log is shown.
 */
export async function step(title, command, args, options = {}) {
  const logDir = path.join(buildDir, 'log');
  fs.mkdirSync(logDir, { recursive: true });
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-|-$/g, '');
  const logFile = path.join(logDir, `${name}.log`);
  const out = fs.openSync(logFile, 'w');
  process.stdout.write(`- ${title} … `);
  const started = Date.now();
  const status = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', out, out], ...options });
    child.on('error', (error) => {
      fs.writeSync(out, `${error.message}\n`);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
  fs.closeSync(out);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(status === 0 ? `${seconds} s` : `FAILED after ${seconds} s`);
  const text = fs.readFileSync(logFile, 'utf8');
  if (status !== 0) {
    const tail = text.trimEnd().split('\n').slice(-40).join('\n');
    const shown = path.relative(root, logFile);
    throw new StepError(`${tail}\n${title} failed with status ${status}; the whole log: ${shown}`);
  }
  return text;
}

/** Whether the module of `meta` is the script that node was started with. */
export function isMain(meta) {
  return meta.url === pathToFileURL(process.argv[1] ?? '').href;
}

/** Runs `main`, turning failures into one message and an exit status. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof StepError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
