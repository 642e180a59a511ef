// The properties that each seed must have.
import { answerOf, diagnoseFiles, judge } from './engine.mjs';
import { gapOf, gapsOn } from './gaps.mjs';
import { makeJob } from './job.mjs';
import { launchers } from './launchers.mjs';

/** Changes of a log that must not change the answer. */
export const variations = {
  // Which lines Ray leaves out depends on their order.
  'lines of different ranks re-interleaved': ({ launcher }) =>
    launcher === 'ray' ? null : { interleave: 1 },
  'files split or joined': ({ launcher, layout }) => {
    const count = launchers[launcher].arrangements ?? 1;
    return count > 1 ? { arrangement: 1 + (layout.ranks[0].pid % (count - 1)) } : null;
  },
  'benign lines added': () => ({ benign: 60 }),
  'clocks of one host shifted': () => ({ shift: 97 }),
};

const key = ({ ranks, hosts, cause }) => JSON.stringify({ ranks, hosts, cause });

/**
 * Runs one seed. The result: {kind, provable, exact, accused, cause, checks, note, gaps: names of those that can show,
 * failures: [{what, gap}]}.
 */
export async function checkSeed(binary, seed, options, chosen) {
  const { job, truth, files, kind } = makeJob(seed, options);
  const result = {
    seed,
    kind,
    provable: truth.provable,
    exact: false,
    accused: [],
    cause: null,
    gaps: gapsOn(job),
  };
  const failures = [];
  result.checks = truth.provable ? 2 : 1;
  try {
    const answer = answerOf(await diagnoseFiles(binary, files));
    Object.assign(result, judge(answer, truth, job), { note: describe(job, truth, answer) });
    if (truth.provable && !result.exact) failures.push('not exact');
    if (result.accused.length > 0) failures.push('innocent accused');
    for (const name of chosen) {
      const change = variations[name](job);
      if (!change) continue;
      result.checks += 1;
      const varied = makeJob(seed, { ...options, ...change });
      const other = answerOf(await diagnoseFiles(binary, varied.files));
      if (key(other) !== key(answer)) failures.push(`other answer with ${name}`);
    }
  } catch (error) {
    failures.push(`no answer: ${error.message}`);
  }
  result.failures = failures.map((what) => ({ what, gap: gapOf(result.gaps, what) }));
  return result;
}

function describe(job, truth, answer) {
  const { tp, pp, dp } = job.layout.sizes;
  const named = answer.ranks
    ? `ranks ${brief(answer.ranks)}`
    : answer.hosts
      ? `hosts ${answer.hosts}`
      : answer.scope;
  const right = truth.ranks ? `ranks ${brief(truth.ranks)}` : 'no rank';
  return (
    `${job.launcher}, PyTorch ${job.version}, ${job.backend}, tp ${tp} pp ${pp} dp ${dp}; truth ${right}` +
    `${truth.provable ? '' : ' (not provable)'}, answer ${named} ${answer.cause}`
  );
}

const brief = (ranks) =>
  ranks.length > 6 ? `${ranks.slice(0, 6)},... (${ranks.length})` : ranks.join(',');
