// Runs the real program on a simulated job and compares its answer with the truth.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export function writeJob(folder, files) {
  for (const [name, text] of files) {
    const full = path.join(folder, name);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
}

/** The report of `firstfault diagnose` on one folder. */
export function diagnose(binary, folder) {
  return new Promise((resolve, reject) => {
    const args = ['diagnose', '--format', 'json', '.'];
    execFile(
      binary,
      args,
      { cwd: folder, maxBuffer: 1 << 30, timeout: 600000 },
      (error, stdout, stderr) => {
        if (error && error.code !== 1)
          reject(
            new Error(
              `${binary} ended with ${error.code ?? error.signal}: ${stderr.slice(0, 300)}`,
            ),
          );
        else resolve(JSON.parse(stdout));
      },
    );
  });
}

export async function diagnoseFiles(binary, files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'firstfault-simulator-'));
  try {
    writeJob(folder, files);
    return await diagnose(binary, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the report says about who began: the main incident, and others of the same attempt. */
export function answerOf(report) {
  const incidents = report.incidents ?? [];
  const main = incidents.find((incident) => incident.primary) ?? incidents[0];
  if (!main)
    return { found: false, ranks: null, hosts: null, scope: 'none', cause: 'none', causes: [] };
  const same = incidents.filter((incident) => incident.attempt === main.attempt);
  const ranks = new Set(same.flatMap((incident) => incident.initiator?.ranks ?? []));
  const scope = main.initiator?.scope ?? 'none';
  const hosts =
    ranks.size === 0 && scope === 'host' ? [...new Set(main.initiator.hosts ?? [])].sort() : null;
  return {
    found: true,
    ranks: ranks.size > 0 ? [...ranks].sort((a, b) => a - b) : null,
    hosts: hosts?.length ? hosts : null,
    scope,
    cause: main.cause.id,
    causes: same.map((incident) => incident.cause.id),
    basis: main.cause.confidenceBasis,
    why: main.initiator?.why,
  };
}

const equal = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** {exact, accused: innocent ranks or hosts that were named, cause: right | null where it is not judged} */
export function judge(answer, truth, job) {
  const cause =
    truth.causes && truth.provable ? answer.causes.some((id) => truth.causes.includes(id)) : null;
  if (truth.everyone) {
    const all = answer.ranks === null || answer.ranks.length === job.layout.world;
    return { exact: answer.found && all && answer.hosts === null, accused: [], cause };
  }
  const guilty = new Set(truth.ranks ?? []);
  const hosts = new Set(truth.hosts ?? (truth.ranks ? job.hostsOf(truth.ranks) : []));
  const accused = [
    ...(answer.ranks ?? []).filter((rank) => !guilty.has(rank)),
    ...(answer.hosts ?? []).filter((host) => !hosts.has(host)),
  ];
  if (!answer.found) return { exact: false, accused, cause };
  if (truth.ranks === null)
    return { exact: answer.ranks === null && answer.hosts === null, accused, cause };
  const wanted = [...truth.ranks].sort((a, b) => a - b);
  const byHost = truth.hosts !== undefined && equal(answer.hosts, truth.hosts);
  return { exact: byHost || equal(answer.ranks, wanted), accused, cause };
}

/** Works through `tasks` with at most `width` at a time. */
export async function pool(tasks, width, work) {
  let next = 0;
  const one = async () => {
    while (next < tasks.length) await work(tasks[next++]);
  };
  await Promise.all(Array.from({ length: width }, one));
}
