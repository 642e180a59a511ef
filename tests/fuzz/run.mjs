// Builds the fuzzer with sanitizers and runs it over the recorded logs.
//   node tests/fuzz/run.mjs [seconds]
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildPackages, ensurePackages, root, runMain, step } from '../../.ci/lib.mjs';
import { ensureModules } from '../../.ci/modules.mjs';

await runMain(async () => {
  const seconds = process.argv[2] ?? '300';
  await ensurePackages(buildPackages);
  await ensureModules(false);
  const build = path.join(root, 'build', 'fuzz');
  const settings = [
    '-DFIRSTFAULT_FUZZ=ON',
    '-DFIRSTFAULT_TESTS=OFF',
    '-DCMAKE_CXX_FLAGS=-O1',
    '-B',
    build,
  ];
  await step('Configuring', 'cmake', ['--preset', 'asan', ...settings]);
  await step('Building fuzz_lines', 'cmake', ['--build', build, '--target', 'fuzz_lines']);
  const fuzzer = path.join(build, 'tests', 'fuzz', 'fuzz_lines');
  const corpus = path.join(root, 'tests', 'golden');
  const seed = String(Math.floor(Date.now() / 1000) * 1000); // other inputs every day, each to be repeated by its seed
  const run = spawnSync(fuzzer, ['--seconds', seconds, '--seed', seed, '--corpus', corpus], {
    stdio: 'inherit',
    env: { ...process.env, UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1' },
  });
  process.exitCode = run.status ?? 1;
});
