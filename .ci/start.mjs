// `npm start`: builds FirstFault and diagnoses a log that ships with it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildRelease } from './build.mjs';
import { StepError, root, runMain, serverBinary } from './lib.mjs';

// Recorded from four ranks. torchrun's own summary at its end blames rank 0.
const example = 'tests/golden/cpu-allocation/output.log';

const failureFound = 1;

await runMain(async () => {
  await buildRelease(['firstfault']);
  console.log(`\n$ ${path.relative(root, serverBinary)} diagnose ${example}\n`);
  const run = spawnSync(serverBinary, ['diagnose', example], { cwd: root, stdio: 'inherit' });
  if (run.status !== failureFound) {
    throw new StepError(
      `The diagnosis of a log with a failure ended with status ${run.status ?? run.signal}; ${failureFound} was expected.`,
    );
  }
});
