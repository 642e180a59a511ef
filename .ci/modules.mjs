// npm packages from package-lock.json, installed only when node_modules does not hold them yet.
import fs from 'node:fs';
import path from 'node:path';
import { root, step } from './lib.mjs';

/** @returns {Record<string, {version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean}>} */
function lockedPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

function areInstalled(withDev) {
  const wanted = lockedPackages(path.join(root, 'package-lock.json'));
  const present = lockedPackages(path.join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === '' || entry.optional || entry.devOptional) return true;
    if (entry.dev && !withDev) return true;
    return present[name]?.version === entry.version;
  });
}

/**
 * Installs what the build needs, or with `withDev` what the tests need too. Install scripts are not
 * run: of tree-sitter-python only the C source is used, and no other package needs its script.
 */
export async function ensureModules(withDev) {
  if (areInstalled(withDev)) return;
  const args = ['ci', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'];
  if (!withDev) args.push('--omit=dev');
  await step(`npm ci${withDev ? ' (test tools included)' : ''}`, 'npm', args);
}
