// Where the program is known to be wrong today. A failure that a gap covers is printed with the gap and not counted as
// failed. When no job that a gap applies to fails any more, the run says so: remove the gap then.
//   applies(job): the jobs on which the gap can show; failures: which of their checks may fail (absent: all of them)

const waits = new Set(
  (
    'exception cuda-oom device-assert loud-victims sigkill sigsegv op-mismatch shape-mismatch skipped behind straggler ' +
    'busy-straggler finished-early desync xid-79 xid-48 xid-94 node-loss lost-file cut-file lost-victims ' +
    'silent-victims kernel-oom'
  ).split(' '),
);
const unnamedGroups = (job) =>
  job.layout.groups.length > 1 && ['1.10', '1.13', '2.1'].includes(job.version);
const printsStatus = (job) => ['2.3', '2.5', '2.7'].includes(job.version);

export const gaps = [
  {
    name: 'issued-ahead',
    reason:
      'Ranks that wait in the same collective and have enqueued later ones are compared by the last enqueued number.',
    applies: (job) => job.runsAhead && printsStatus(job) && waits.has(job.kind),
  },
  {
    name: 'groups-without-names',
    reason:
      'Before 2.3 a watchdog line has no group: different groups are compared, or the rank in the group is taken as global.',
    applies: (job) => unnamedGroups(job) && waits.has(job.kind),
  },
  {
    name: 'behind-without-group',
    reason:
      'Before 2.3 a rank that waits at a lower number than all others is not named: the line says no group, and two groups look alike.',
    applies: (job) => job.kind === 'behind' && ['1.10', '1.13', '2.1'].includes(job.version),
  },
  {
    name: 'two-faults',
    reason: 'Of two independent exceptions at the same moment one alone is named.',
    applies: (job) => job.kind === 'two-faults',
  },
  {
    name: 'everyone-behind-pdsh',
    reason: 'An exception that all ranks raise is put on one host where only the host is labeled.',
    applies: (job) => job.kind === 'all-raise' && job.launcher === 'pdsh' && !printsStatus(job),
  },
];

/** Names of the gaps that can show on a job. */
export function gapsOn(job) {
  return gaps.filter((gap) => gap.applies(job)).map((gap) => gap.name);
}

export function gapOf(names, failure) {
  return gaps.find(
    (gap) => names.includes(gap.name) && (!gap.failures || gap.failures.includes(failure)),
  )?.name;
}
