// A real VS Code for the end-to-end tests: code-server with the packed extension installed, driven in headless Chromium.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureEditor } from '../../.ci/editor.mjs';
import { buildDir, root, vsix } from '../../.ci/lib.mjs';

const browserPath = '/usr/bin/chromium';
const screenshotDir = path.join(buildDir, 'e2e');
const startLimitMs = 120_000;
const actionLimitMs = 30_000;

const settings = {
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'chat.disableAIFeatures': true,
  'security.workspace.trust.startupPrompt': 'never',
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
  'files.autoSave': 'off',
};

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/** One code-server with a profile and a workspace of its own, and one browser. */
export class Editor {
  /** Everything of this run lies in here: profile, workspace copy, caches. */
  folder = '';
  workspace = '';
  origin = '';
  /** @type {[string, string]} node and the script it runs */
  command = ['', ''];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  server;
  /** @type {import('playwright-core').Browser | undefined} */
  browser;

  /** Installs the .vsix and starts everything. `workspace` is copied: the tests change files. */
  static async start(workspace) {
    const editor = new Editor();
    editor.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'firstfault-e2e-'));
    editor.workspace = path.join(editor.folder, 'workspace');
    fs.cpSync(workspace, editor.workspace, { recursive: true });
    fs.mkdirSync(screenshotDir, { recursive: true });
    const { node, entry } = await ensureEditor();
    editor.command = [node, entry];
    editor.installExtension();
    await editor.startServer();
    editor.browser = await chromium.launch({
      executablePath: browserPath,
      headless: true,
      timeout: startLimitMs,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    return editor;
  }

  get profile() {
    return path.join(this.folder, 'profile');
  }

  profileOptions() {
    const user = path.join(this.profile, 'User');
    fs.mkdirSync(user, { recursive: true });
    fs.writeFileSync(path.join(user, 'settings.json'), JSON.stringify(settings));
    const config = path.join(this.profile, 'config.yaml');
    fs.writeFileSync(config, 'auth: none\n');
    return [
      '--config',
      config,
      '--user-data-dir',
      this.profile,
      '--extensions-dir',
      path.join(this.profile, 'extensions'),
    ];
  }

  environment() {
    /** @type {NodeJS.ProcessEnv} */
    const environment = {
      ...process.env,
      EXTENSIONS_GALLERY: '{}', // no look-ups in a marketplace
      XDG_DATA_HOME: path.join(this.folder, 'data'),
      XDG_CONFIG_HOME: path.join(this.folder, 'config'),
    };
    delete environment['VSCODE_IPC_HOOK_CLI']; // set inside an editor's terminal: would talk to that editor
    return environment;
  }

  installExtension() {
    const [node, entry] = this.command;
    const run = spawnSync(
      node,
      [entry, ...this.profileOptions(), '--install-extension', vsix, '--force'],
      {
        encoding: 'utf8',
        env: this.environment(),
      },
    );
    if (run.status !== 0) throw new Error(`installing ${vsix} failed:\n${run.stdout}${run.stderr}`);
  }

  async startServer() {
    const [node, entry] = this.command;
    const port = await freePort();
    const log = fs.openSync(path.join(screenshotDir, 'code-server.log'), 'w');
    this.server = spawn(
      node,
      [
        entry,
        ...this.profileOptions(),
        ...['--bind-addr', `127.0.0.1:${port}`, '--auth', 'none'],
        ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
        ...['--ignore-last-opened', '--disable-workspace-trust', '--reconnection-grace-time', '5'],
      ],
      { env: this.environment(), stdio: ['ignore', log, log] },
    );
    fs.closeSync(log);
    this.origin = `http://127.0.0.1:${port}`;
    for (const started = Date.now(); Date.now() - started < startLimitMs;) {
      const answer = await fetch(`${this.origin}/healthz`).catch(() => undefined);
      if (answer?.ok) return;
      if (this.server.exitCode !== null)
        throw new Error('code-server ended; see build/e2e/code-server.log');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error('code-server did not answer; see build/e2e/code-server.log');
  }

  /** A new window on the workspace, given to `work`; a screenshot is kept of its end, whatever it was. */
  async window(name, work) {
    const context = await /** @type {import('playwright-core').Browser} */ (
      this.browser
    ).newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(actionLimitMs);
    const screenshot = (suffix) =>
      page.screenshot({ path: path.join(screenshotDir, `${name}${suffix}.png`) });
    try {
      await page.goto(`${this.origin}/?folder=${encodeURIComponent(this.workspace)}`, {
        waitUntil: 'domcontentloaded',
        timeout: startLimitMs,
      });
      await page.waitForSelector('.explorer-folders-view .monaco-list-row', {
        timeout: startLimitMs,
      });
      await work(new Workbench(page));
      await screenshot('');
    } catch (error) {
      await screenshot('-failed').catch(() => {});
      throw error;
    } finally {
      // Leaving the page ends the extension host, and with it the language server, at once.
      await page.goto('about:blank').catch(() => {});
      await context.close();
    }
  }

  async stop() {
    await this.browser?.close();
    const server = this.server;
    if (server && server.exitCode === null) {
      const ended = new Promise((resolve) => server.on('close', resolve));
      server.kill('SIGTERM');
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000).unref())]);
      server.kill('SIGKILL');
    }
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

/** What a person does in a VS Code window. */
export class Workbench {
  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.page = page;
  }

  get quickInput() {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  async openFile(name) {
    await this.page.keyboard.press('Control+P');
    await this.quickInput.waitFor();
    await this.quickInput.fill(name);
    await this.page
      .locator('.quick-input-list .monaco-list-row.focused', { hasText: name })
      .first()
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** Runs the command with exactly this title from the Command Palette. */
  async command(title) {
    await this.page.keyboard.press('F1');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`>${title}`);
    const name = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(,|$)`);
    await this.page.locator('.quick-input-list').getByRole('option', { name }).first().click();
  }

  /** Puts the cursor at a line and column, counted from 1. */
  async goTo(line, column = 1) {
    await this.page.keyboard.press('Control+G');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`:${line}:${column}`);
    const offer = new RegExp(`\\bline ${line}\\b`);
    await this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: offer })
      .first()
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.quickInput.waitFor({ state: 'hidden' });
  }

  async selectLines(first, last) {
    await this.goTo(first);
    for (let line = first; line <= last; ++line) await this.page.keyboard.press('Shift+ArrowDown');
  }

  async problems() {
    await this.page.keyboard.press('Control+Shift+M');
    return this.page.locator('.markers-panel .monaco-list-row');
  }

  /** The body of the Markdown preview: two frames down. */
  preview() {
    return this.page
      .frameLocator('iframe.webview.ready')
      .frameLocator('iframe#active-frame')
      .locator('body');
  }

  /** The middle of an element; Monaco re-renders, so that there may be none for a moment. */
  async middleOf(locator) {
    for (const started = Date.now(); Date.now() - started < actionLimitMs;) {
      const box = await locator.boundingBox().catch(() => null);
      if (box) return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      await this.page.waitForTimeout(50);
    }
    throw new Error('the element never had a place on the page');
  }

  /** Rests the mouse on an element until a hover with this text is there. */
  async hover(locator, text) {
    const { x, y } = await this.middleOf(locator);
    await this.page.mouse.move(x - 20, y);
    await this.page.mouse.move(x, y, { steps: 4 });
    const shown = this.page.locator('.monaco-hover:visible', { hasText: text }).first();
    await shown.waitFor();
    return shown.innerText();
  }

  /** Takes the quick fix whose title holds `title` at the cursor. */
  async quickFix(title) {
    await this.page.keyboard.press('Control+.');
    const rows = this.page.locator('.action-widget .monaco-list-row');
    await rows.filter({ hasText: title }).first().waitFor();
    // By keyboard: clicking a row while the widget is placed anew is lost at times.
    for (let presses = 0; presses < 10; ++presses) {
      const focused = await this.page
        .locator('.action-widget .monaco-list-row.focused')
        .first()
        .innerText();
      if (focused.includes(title)) break;
      await this.page.keyboard.press('ArrowDown');
    }
    await this.page.waitForTimeout(300);
    await this.page.keyboard.press('Enter');
    await rows.first().waitFor({ state: 'detached' });
  }
}

export const exampleWorkspace = path.join(root, 'tests', 'e2e', 'workspace');
