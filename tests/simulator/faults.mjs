// All kinds of faults by name. A kind is {run(job, time), launchers?, versions?, groups?, gloo?, needsDevices?}; run
// adds what the processes say, when they end, and the truth: {ranks | null, hosts?, causes, provable}.
import { collectiveFaults } from './faults-collective.mjs';
import { outsideFaults } from './faults-outside.mjs';
import { ownFaults } from './faults-own.mjs';

export const faults = { ...ownFaults, ...collectiveFaults, ...outsideFaults };
