// Who runs where: ranks, nodes, devices and process groups of one simulated job.

const buses = ['07:00', '0f:00', '47:00', '4e:00', '87:00', '90:00', 'b7:00', 'bd:00'];

function splitWorld(random, world, perNode) {
  if (world < 16 || random.chance(0.5)) return { tp: 1, pp: 1, dp: world };
  const tp = random.pick([1, 2, perNode]);
  const pp = random.pick(
    [1, 2, 4].filter((size) => world % (tp * size) === 0 && world / (tp * size) >= 4),
  );
  return { tp, pp: pp ?? 1, dp: world / (tp * (pp ?? 1)) };
}

/** Megatron's order: tensor parallel ranks are neighbors, pipeline stages lie furthest apart. */
function buildGroups(world, { tp, pp, dp }) {
  const groups = [{ id: 0, kind: 'default', desc: 'default_pg', members: range(world) }];
  const of = (t, p, d) => p * dp * tp + d * tp + t;
  const add = (kind, desc, members) => {
    if (members.length > 1) groups.push({ id: groups.length, kind, desc, members });
  };
  if (tp * pp === 1) return groups;
  for (let p = 0; p < pp; p++) {
    for (let d = 0; d < dp; d++)
      add(
        'tp',
        'TENSOR_MODEL_PARALLEL_GROUP',
        range(tp).map((t) => of(t, p, d)),
      );
    for (let t = 0; t < tp; t++)
      add(
        'dp',
        'DATA_PARALLEL_GROUP',
        range(dp).map((d) => of(t, p, d)),
      );
  }
  for (let d = 0; d < dp; d++)
    for (let t = 0; t < tp; t++)
      add(
        'pp',
        'PIPELINE_MODEL_PARALLEL_GROUP',
        range(pp).map((p) => of(t, p, d)),
      );
  return groups;
}

export function range(count) {
  return Array.from({ length: count }, (_, i) => i);
}

/** {world, perNode, nodes: [{index, host, ip, skew}], ranks: [{rank, node, local, pid, device}], groups, sizes} */
export function makeLayout(random, world, allowGroups) {
  const perNode = world % 8 === 0 && random.chance(0.6) ? 8 : 4;
  const style = random.pick([
    (n) => `gpu-b${String(n + 1).padStart(2, '0')}`,
    (n) => `node${n}`,
    (n) => `dgx-a${n + 11}`,
  ]);
  const skewed = random.chance(0.5);
  const nodes = range(world / perNode).map((index) => ({
    index,
    host: style(index),
    ip: `10.${(index >> 8) + 4}.${index & 255}.11`,
    skew: skewed
      ? Math.round(random.between(-180, 180) * 1000) / 1000
      : random.between(-0.02, 0.02),
  }));
  const pidBase = nodes.map(() => random.int(3000, 90000));
  const ranks = range(world).map((rank) => {
    const node = nodes[Math.floor(rank / perNode)];
    const local = rank % perNode;
    return {
      rank,
      node,
      local,
      pid: pidBase[node.index] + 1 + local,
      device: `0000:${buses[local]}.0`,
    };
  });
  const sizes = allowGroups ? splitWorld(random, world, perNode) : { tp: 1, pp: 1, dp: world };
  const groups = buildGroups(world, sizes);
  const groupsOf = ranks.map(() => []);
  const kinds = [...new Set(groups.map((group) => group.kind))];
  for (const group of groups) group.local = kinds.indexOf(group.kind); // a process numbers only its own groups
  for (const group of groups) for (const rank of group.members) groupsOf[rank].push(group);
  return { world, perNode, nodes, pidBase, ranks, groups, groupsOf, sizes };
}
