// The bandwidth model of a checkpoint, with the names of lessons/lesson03/bandwidth.py.
// Bytes, seconds and bytes per second throughout, in SI. What is refused there is refused here,
// with a ValueError that begins the same.

class ValueError extends Error {}

function checked(name, value, least, strict) {
  const fits = strict ? value > least : value >= least;
  if (!(fits && Number.isFinite(value))) {
    const bound = strict ? "above" : "at least";
    throw new ValueError(`${name} must be finite and ${bound} ${least}, not ${value}`);
  }
  return value;
}

function positive(quantities) {
  return Object.entries(quantities).map(([name, value]) => checked(name, value, 0, true));
}

function non_negative(quantities) {
  return Object.entries(quantities).map(([name, value]) => checked(name, value, 0, false));
}

function physical_bytes(checkpoint_bytes, write_amplification) {
  const [size, amplification] = positive({ checkpoint_bytes, write_amplification });
  return size * amplification;
}

function dump_time_s(written_bytes, bandwidth_Bps) {
  const [written, bandwidth] = positive({ written_bytes, bandwidth_Bps });
  return written / bandwidth;
}

function required_average_Bps(written_bytes, interval_s) {
  const [written, interval] = positive({ written_bytes, interval_s });
  return written / interval;
}

function is_feasible(dump_s, interval_s) {
  const [dump, interval] = positive({ dump_s, interval_s });
  return dump <= interval;
}

function bandwidth_limits_Bps({ writers, writer_Bps, nodes, nic_Bps, aggregate_Bps, contention = 0 }) {
  const [count, each, machines, nic, total] = positive({
    writers, writer_Bps, nodes, nic_Bps, aggregate_Bps,
  });
  const [share] = non_negative({ contention });
  if (share >= 1) throw new ValueError("contention must be below 1");
  return { writers: count * each, nics: machines * nic, aggregate: total * (1 - share) };
}

function effective_bandwidth_Bps(limits_Bps) {
  return Math.min(...positive(limits_Bps));
}

function blocked_time_s(rank_bytes, copy_Bps) {
  const [size, rate] = positive({ rank_bytes, copy_Bps });
  return size / rate;
}

function interval_floor_s(best_interval_s, slowest_stage_s) {
  return Math.max(...positive({ best_interval_s, slowest_stage_s }));
}

function recovery_point_s(interval_s, commit_s) {
  const [interval] = positive({ interval_s });
  const [commit] = non_negative({ commit_s });
  return interval + commit;
}

function restart_time_s(checkpoint_bytes, read_Bps, scheduling_s = 0, initialisation_s = 0) {
  const [size, rate] = positive({ checkpoint_bytes, read_Bps });
  const [wait, start] = non_negative({ scheduling_s, initialisation_s });
  return size / rate + wait + start;
}

function retained_bytes(kept, written_bytes) {
  const [number, written] = positive({ kept, written_bytes });
  return number * written;
}

function host_ram_bytes(checkpoint_bytes, nodes, buffers = 1, overhead = 1) {
  const [size, machines, flight, factor] = positive({ checkpoint_bytes, nodes, buffers, overhead });
  return (size / machines) * flight * factor;
}

// lessons/lesson03/interval.py

function job_mtbf_s(reference_mtbf_s, reference_gpus, gpus) {
  const [mtbf, measured, wanted] = positive({ reference_mtbf_s, reference_gpus, gpus });
  return (mtbf * measured) / wanted;
}

function young_interval_s(blocked_s, mtbf_s) {
  const [blocked, mtbf] = positive({ blocked_s, mtbf_s });
  return Math.sqrt(2 * blocked * mtbf);
}

function waste(blocked_s, interval_s, mtbf_s, { commit_s, restart_s }) {
  const [blocked, interval, mtbf] = positive({ blocked_s, interval_s, mtbf_s });
  const [commit, restart] = non_negative({ commit_s, restart_s });
  return blocked / interval + (interval / 2 + commit + restart) / mtbf;
}

function short_waste(blocked_s, interval_s, mtbf_s) {
  return waste(blocked_s, interval_s, mtbf_s, { commit_s: 0, restart_s: 0 });
}
