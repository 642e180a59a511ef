// Builds build/release/firstfault, from a bare Debian 12 with Node 20 if need be.
import { buildPackages, ensurePackages, isMain, runMain, step } from './lib.mjs';
import { ensureModules } from './modules.mjs';

/** Builds `targets` of the release preset; without any, everything including the unit tests. */
export async function buildRelease(targets) {
  await ensurePackages(buildPackages);
  await ensureModules(false);
  await step('Configuring', 'cmake', ['--preset', 'release']);
  const what = targets.length > 0 ? ['--target', ...targets] : [];
  const title = targets.length > 0 ? `Building ${targets.join(' ')}` : 'Building with unit tests';
  await step(title, 'cmake', ['--build', '--preset', 'release', ...what]);
}

if (isMain(import.meta)) {
  await runMain(async () => {
    await buildRelease(['firstfault']);
    console.log('Built build/release/firstfault');
  });
}
