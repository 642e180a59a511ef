// FirstFault as its users meet it: the packed extension in a real VS Code.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../.ci/lib.mjs';
import { Editor, exampleWorkspace } from './editor.mjs';

const testLimitMs = 180_000;
const example = fs.readFileSync(path.join(root, 'tests/golden/cpu-allocation/output.log'), 'utf8');
const lineOf = (text) => example.split('\n').findIndex((line) => line.includes(text)) + 1;

/** @type {Editor} */
let editor;

before(
  async () => {
    editor = await Editor.start(exampleWorkspace);
    fs.writeFileSync(path.join(editor.workspace, 'output.log'), example);
    fs.writeFileSync(path.join(editor.workspace, 'console.txt'), example);
  },
  { timeout: 600_000 },
);

after(() => editor?.stop(), { timeout: 60_000 });

/** Opens a log, selects the traceback that began it all, and has it diagnosed. */
async function diagnoseTraceback(workbench, file) {
  await workbench.openFile(file);
  await workbench.selectLines(lineOf('[default2]:Traceback'), lineOf('DefaultCPUAllocator'));
  await workbench.command('FirstFault: Diagnose Selection');
  const report = workbench.preview();
  await report.filter({ hasText: 'rank 2' }).waitFor();
  assert.match(await report.innerText(), /memory/i);
  const problems = await workbench.problems();
  await problems
    .filter({ hasText: /rank 2\b/i })
    .first()
    .waitFor();
}

for (const file of ['output.log', 'console.txt']) {
  test(
    `a traceback selected in ${file} names its rank in Problems and in the report`,
    { timeout: testLimitMs },
    () =>
      editor.window(`selection-${path.extname(file).slice(1)}`, (workbench) =>
        diagnoseTraceback(workbench, file),
      ),
  );
}

test('a recognized line explains itself on hover', { timeout: testLimitMs }, () =>
  editor.window('hover', async (workbench) => {
    await workbench.openFile('output.log');
    await workbench.goTo(lineOf('DefaultCPUAllocator'));
    const squiggle = workbench.page.locator('.squiggly-error').first();
    await squiggle.waitFor();
    const text = await workbench.hover(squiggle, /rank 2/i);
    assert.match(text, /memory/i);
  }),
);

test(
  'the report of a file opens, and the quick fix writes eps=1e-5 into train.py',
  { timeout: testLimitMs },
  () =>
    editor.window('quick-fix', async (workbench) => {
      const file = path.join(editor.workspace, 'train.py');
      const source = fs.readFileSync(file, 'utf8');
      await workbench.openFile('train.log');
      await workbench.command('FirstFault: Diagnose File');
      await workbench.preview().filter({ hasText: 'eps' }).waitFor();

      await workbench.openFile('train.py');
      await workbench.goTo(
        source.split('\n').findIndex((line) => line.includes('= AdamW(')) + 1,
        20,
      );
      await workbench.quickFix('eps=1e-5');
      await workbench.page.locator('.view-line', { hasText: 'eps=1e-5' }).first().waitFor();
      await workbench.page.keyboard.press('Control+S');
      await waitFor(
        () => fs.readFileSync(file, 'utf8').includes('eps=1e-5'),
        'train.py to be saved',
      );
      const changed = fs.readFileSync(file, 'utf8');
      assert.match(
        changed,
        /AdamW\(\s+model\.parameters\(\),[\s\S]*betas=\(0\.9, 0\.98\),\s+eps=1e-5,?\s*\)/,
      );
      assert.equal(changed.replace(/\s*eps=1e-5,/, ''), source, 'nothing else changed');
    }),
);

async function waitFor(condition, what, limit = 10_000) {
  for (const started = Date.now(); Date.now() - started < limit;) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`timed out waiting for ${what}`);
}
