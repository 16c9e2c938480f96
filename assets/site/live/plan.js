// A checkpoint plan and what it comes to: lessons/lesson03/plan.py and bands.py.
// `data` is what the page carries: the tiers, models and clusters of the lesson's TOML files, the
// worked example, and the record that failures are scaled from.

class Plan {
  constructor(data, fields = {}) {
    Object.assign(this, data.plan, fields);
    Object.defineProperty(this, "data", { value: data });
    const mtbf_s = this.job_mtbf_s;
    const { at_client, contention, ...numbers } = { ...this, mtbf_s };
    positive(numbers);
    non_negative({ contention });
    if (contention >= 1) throw new ValueError(`contention must be below 1, not ${contention}`);
  }

  replace(fields) {
    return new Plan(this.data, { ...this, ...fields });
  }

  get write_amplification() {
    return this.at_client ? 1 : this.media_amplification;
  }

  get written_bytes() {
    return physical_bytes(this.checkpoint_bytes, this.write_amplification);
  }

  get average_Bps() {
    return required_average_Bps(this.written_bytes, this.interval_s);
  }

  get gpus() {
    return this.nodes * this.gpus_per_node;
  }

  get job_mtbf_s() {
    if (this.mtbf_s !== null) return this.mtbf_s;
    const { nodes, gpus_per_node } = this;
    positive({ nodes, gpus_per_node });
    return job_mtbf_s(this.data.reference_mtbf_s, this.data.reference_gpus, this.gpus);
  }
}

function outlook(plan) {
  const { tiers } = plan.data;
  const copy_Bps = tiers.d2h.typical;
  const limits = bandwidth_limits_Bps({
    writers: plan.gpus,
    writer_Bps: copy_Bps,
    nodes: plan.nodes,
    nic_Bps: tiers.peer.typical,
    aggregate_Bps: plan.backend_Bps,
    contention: plan.contention,
  });
  const effective = effective_bandwidth_Bps(limits);
  const dump_s = dump_time_s(plan.written_bytes, effective);
  const blocked_s = blocked_time_s(plan.checkpoint_bytes / plan.gpus, copy_Bps);
  const restart_s = restart_time_s(plan.checkpoint_bytes, effective, plan.start_s);
  const mtbf_s = plan.job_mtbf_s;
  const young = young_interval_s(blocked_s, mtbf_s);
  const wasted = waste(blocked_s, plan.interval_s, mtbf_s, { commit_s: dump_s, restart_s });
  const on_media = physical_bytes(plan.checkpoint_bytes, plan.media_amplification);
  return {
    dump_s,
    effective_Bps: effective,
    tightest: Object.keys(limits).reduce((a, b) => (limits[b] < limits[a] ? b : a)),
    feasible: is_feasible(dump_s, plan.interval_s),
    slack: plan.interval_s / dump_s,
    blocked_s,
    best_interval_s: interval_floor_s(young, dump_s),
    restart_s,
    waste: wasted,
    short_waste: short_waste(blocked_s, plan.interval_s, mtbf_s),
    recovery_point_s: recovery_point_s(plan.interval_s, dump_s),
    retained_bytes: retained_bytes(plan.kept, on_media),
    host_ram_bytes: host_ram_bytes(
      plan.checkpoint_bytes, plan.nodes, plan.buffers, plan.overhead,
    ),
  };
}

// How long each tier would take for the whole checkpoint: min(N * per-node, aggregate).
function bands(plan) {
  const { tiers } = plan.data;
  return [
    band("host", plan, tiers["host-dram"], { gpu: tiers.d2h }),
    band("peer", plan, tiers.peer),
    band("nvme", plan, tiers.nvme),
    band("pfs", plan, tiers["pfs-node"], { cluster: tiers["pfs-cluster"] }),
    band("object", plan, tiers["object-store"]),
  ];
}

function band(id, plan, node, { gpu, cluster } = {}) {
  const amplification = node.basis === "media" ? plan.media_amplification : 1;
  const written = plan.checkpoint_bytes * amplification;
  const summed_Bps = (level) =>
    plan.nodes * (gpu ? Math.min(node[level], plan.gpus_per_node * gpu[level]) : node[level]);
  const dump_s = (level) =>
    dump_time_s(written, cluster ? Math.min(summed_Bps(level), cluster[level]) : summed_Bps(level));
  return {
    id,
    capped: cluster !== undefined && summed_Bps("typical") > cluster.typical,
    slow_s: dump_s("low"),
    typical_s: dump_s("typical"),
    fast_s: dump_s("high"),
  };
}
