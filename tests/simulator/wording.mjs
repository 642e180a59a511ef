// What PyTorch prints, version by version. `stamp` is the prefix that names the global rank (2.3 and later).

export const versions = {
  '1.10': { seq: false, shape: true, numel: false, stamp: false, dated: false, elastic: 'plain' },
  1.13: { seq: true, shape: false, numel: false, stamp: false, dated: false, elastic: 'plain' },
  2.1: { seq: true, numel: true, stamp: false, dated: false, elastic: 'bracket' },
  2.3: { seq: true, numel: true, stamp: true, dated: false, elastic: 'bracket' },
  2.5: { seq: true, numel: true, stamp: true, dated: true, elastic: 'letter' },
  2.7: { seq: true, numel: true, stamp: true, dated: true, elastic: 'letter' },
};

const lineOf = {
  '1.10': { caught: 566, some: 325, down: 325 },
  1.13: { caught: 821, some: 456, down: 461 },
  2.1: { caught: 474, some: 488, down: 494, thread: 915 },
  2.3: { caught: 563, some: 577, down: 583, thread: 1414, status: 1537 },
  2.5: { caught: 616, some: 630, down: 636, thread: 1592, status: 1785, at: 1834 },
  2.7: { caught: 632, some: 684, down: 698, thread: 1902, status: 2271 },
};

/** The number that PyTorch prints for a rank inside a group. */
const groupRankOf = (group, rank) => (group.id === 0 ? rank : group.members.indexOf(rank));

export const stamp = (version, rank) => (versions[version].stamp ? `[rank${rank}]:` : '');

function c10(version, severity, where, rank, c) {
  const dated = versions[version].dated ? c.c10 : '';
  return `${stamp(version, rank)}[${severity}${dated} ProcessGroupNCCL.cpp:${where}] `;
}

function groupPrefix(version, group, groupRank) {
  if (version === '2.3') return `[PG ${group.id} Rank ${groupRank}] `;
  const desc =
    version === '2.7' && group.desc
      ? `(${group.desc})`
      : group.id === 0 && group.desc
        ? '(default_pg)'
        : '';
  return `[PG ID ${group.local ?? group.id} PG GUID ${group.id}${desc} Rank ${groupRank}] `;
}

export function workText(version, work) {
  const v = versions[version];
  const fields = [
    v.seq ? `SeqNum=${work.seq}` : '',
    `OpType=${work.op}`,
    v.shape ? `TensorShape=[${work.numelIn}]` : '',
    v.numel ? `NumelIn=${work.numelIn}, NumelOut=${work.numelOut}` : '',
    `Timeout(ms)=${work.timeoutMs}`,
  ];
  return `WorkNCCL(${fields.filter(Boolean).join(', ')})`;
}

const caughtText = (version, group, groupRank, work) =>
  `${version === '2.3' ? `[PG ${group.id} Rank ${groupRank}]` : `[Rank ${groupRank}]`} ` +
  `Watchdog caught collective operation timeout: ${workText(version, work)} ran for ${work.ranMs} milliseconds before timing out.`;

/** The lines of a rank that waited: the timeout and, where the version prints it, how far its group got. */
export function watchdogLines(version, rank, group, work, c) {
  const at = lineOf[version];
  const groupRank = groupRankOf(group, rank);
  const lines = [
    c10(version, 'E', at.caught, rank, c) + caughtText(version, group, groupRank, work),
  ];
  const pfx = groupPrefix(version, group, groupRank);
  const status = `last enqueued NCCL work: ${work.enqueued}, last completed NCCL work: ${work.completed}.`;
  if (version === '2.3') {
    // 2.3 prints an uninitialized number here.
    const garbage = status.replace(/work: \d+\.$/, `work: ${3452013000 + work.seq}.`);
    lines.push(
      `${c10(version, 'E', at.status, rank, c)}${pfx}Timeout at NCCL work: ${work.seq}, ${garbage}`,
    );
  } else if (version === '2.5') {
    const both = `detected by watchdog at work: ${work.seq}, ${status}`;
    lines.push(
      `${c10(version, 'E', at.status, rank, c)}${pfx}Exception (either an error or timeout) ${both}`,
    );
    lines.push(
      `${c10(version, 'E', at.at, rank, c)}${pfx}Timeout at NCCL work: ${work.seq}, ${status}`,
    );
  } else if (version === '2.7') {
    const pg = `PG status: last enqueued work: ${work.enqueued}, last completed work: ${work.completed}`;
    lines.push(
      `${c10(version, 'E', at.status, rank, c)}${pfx} failure detected by watchdog at work sequence id: ${work.seq} ${pg}`,
    );
  }
  return lines;
}

const someFailed =
  'Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, ' +
  'subsequent GPU operations might run on corrupted/incomplete data.';

/** The abort of the process that follows; `what` is the reason that the watchdog threw. */
export function abortLines(version, rank, group, what, c) {
  const at = lineOf[version];
  const pfx = versions[version].stamp ? groupPrefix(version, group, groupRankOf(group, rank)) : '';
  if (version === '1.10') {
    const all = `${someFailed} To avoid this inconsistency, we are taking the entire process down.`;
    return [
      c10(version, 'E', at.some, rank, c) + all,
      "terminate called after throwing an instance of 'std::runtime_error'",
      `  what():  ${what}`,
    ];
  }
  const lines = [
    `${c10(version, 'E', at.some, rank, c)}${pfx}${someFailed}`,
    `${c10(version, 'E', at.down, rank, c)}${pfx}To avoid data inconsistency, we are taking the entire process down.`,
  ];
  let thrown = what;
  if (at.thread) {
    const thread = versions[version].stamp
      ? `${pfx}Process group watchdog thread`
      : `[Rank ${groupRankOf(group, rank)}] NCCL watchdog thread`;
    thrown = `${thread} terminated with exception: ${what}`;
    lines.push(c10(version, 'E', at.thread, rank, c) + thrown);
  }
  const type = versions[version].stamp ? 'c10::DistBackendError' : 'std::runtime_error';
  lines.push(`terminate called after throwing an instance of '${type}'`, `  what():  ${thrown}`);
  return lines;
}

export function timeoutReason(version, rank, group, work) {
  return caughtText(version, group, groupRankOf(group, rank), work);
}

/** A rank whose connection to a peer broke while NCCL ran. */
export function remoteErrorLines(version, rank, group, work, peerHost, c) {
  const detail =
    'ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n' +
    `Last error:\nsocketProgress: Connection closed by remote peer ${peerHost}<43210>`;
  const text = `NCCL error: remote process exited or there was a network error, NCCL version 2.18.5\n${detail}`;
  const seen = versions[version].stamp
    ? `[Rank ${groupRankOf(group, rank)}] Collective ${workText(version, work)} raised the following async exception: ${text}`
    : `[Rank ${groupRankOf(group, rank)}] found async exception when checking for NCCL errors: ${text}`;
  const where = versions[version].dated ? 538 : 523;
  return { first: c10(version, 'E', where, rank, c) + seen, reason: text };
}

export function traceback(version, rank, frames, last) {
  const lines = ['Traceback (most recent call last):'];
  for (const [file, line, fn, code] of frames)
    lines.push(`  File "${file}", line ${line}, in ${fn}`, `    ${code}`);
  lines.push(...last.split('\n'));
  const prefix = versions[version].stamp ? `[rank${rank}]: ` : '';
  return lines.map((line) => (line ? prefix + line : line)).join('\n');
}
