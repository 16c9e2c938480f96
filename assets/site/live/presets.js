// The named choices of the notebook, lessons/lesson03/explore/dump_time.py: name -> plan -> plan.

const OWN = "自己定";
const LEVEL_NAMES = { low: "低", typical: "典型", high: "高" };

const setter = (fields) => (plan) => plan.replace(fields);

function model_presets(data) {
  const sizes = [["例题：4 TB", data.plan.checkpoint_bytes]];
  sizes.push(...data.models.map((model) => [model.name, model.checkpoint_bytes]));
  return sizes.map(([name, checkpoint_bytes]) => [name, setter({ checkpoint_bytes })]);
}

function cluster_presets(data) {
  return data.clusters.map(({ name, nodes, gpus_per_node }) => [
    name, setter({ nodes, gpus_per_node }),
  ]);
}

function backend_presets(data) {
  const choices = [["例题：10 GB/s（裸介质）", setter({ backend_Bps: 10e9, at_client: false })]];
  for (const tier of Object.values(data.tiers)) {
    if (tier.basis !== "client" || tier.scope !== "cluster") continue;
    for (const [level, name] of Object.entries(LEVEL_NAMES)) {
      const backend_Bps = tier[level];
      choices.push([
        `${tier.name}，${name}：${bandwidth_text(backend_Bps)}`,
        setter({ backend_Bps, at_client: true }),
      ]);
    }
  }
  const each = data.tiers["object-store"].typical;
  choices.push([
    `对象存储，典型：每节点 ${bandwidth_text(each)}`,
    (plan) => plan.replace({ backend_Bps: each * plan.nodes, at_client: true }),
  ]);
  return choices;
}

// How each control reads its value from a plan, and how it puts another one in.
const field = (name) => ({
  get: (plan) => plan[name],
  put: (plan, value) => plan.replace({ [name]: value }),
});

function put_gpus(plan, gpus) {
  return plan.replace({ nodes: Math.max(1, Math.ceil(gpus / plan.gpus_per_node)) });
}

// Keep the GPUs and change how many share a node.
function put_per_node(plan, value) {
  const gpus_per_node = Math.round(value);
  const nodes = Math.max(1, Math.ceil(plan.gpus / gpus_per_node));
  return plan.replace({ gpus_per_node, nodes });
}

const ACCESS = {
  checkpoint_bytes: field("checkpoint_bytes"),
  interval_s: field("interval_s"),
  kept: { ...field("kept"), put: (plan, value) => plan.replace({ kept: Math.round(value) }) },
  gpus: { get: (plan) => plan.gpus, put: put_gpus },
  gpus_per_node: { get: (plan) => plan.gpus_per_node, put: put_per_node },
  backend_Bps: field("backend_Bps"),
  at_client: field("at_client"),
  write_amplification: {
    get: (plan) => plan.write_amplification,
    put: (plan, media_amplification) => plan.replace({ media_amplification }),
    locked: (plan) => plan.at_client,
  },
  contention: field("contention"),
  mtbf_scaled: {
    get: (plan) => plan.mtbf_s === null,
    put: (plan, scaled) => plan.replace({ mtbf_s: scaled ? null : plan.job_mtbf_s }),
  },
  mtbf_s: {
    get: (plan) => plan.job_mtbf_s,
    put: (plan, mtbf_s) => plan.replace({ mtbf_s }),
    locked: (plan) => plan.mtbf_s === null,
  },
};

const CHOICES = { model: model_presets, cluster: cluster_presets, backend: backend_presets };
