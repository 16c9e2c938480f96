// Numbers as a person reads them, and the verdict in words: lessons/lesson03/readable.py,
// verdict.py and report.py, to the letter.

// Python's format(value, ".{precision}g"): half a digit goes to the even one, where JavaScript
// takes the larger; and the exponent has two digits.
function format_g(value, precision) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (value === 0) return "0";
  const [digits, exponent] = rounded(value, precision);
  if (exponent < -4 || exponent >= precision) {
    const [first, rest] = [digits[0], digits.slice(1).replace(/0+$/, "")];
    const power = String(Math.abs(exponent)).padStart(2, "0");
    return `${first}${rest && "."}${rest}e${exponent < 0 ? "-" : "+"}${power}`;
  }
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits.replace(/0+$/, "")}`;
  const fraction = digits.slice(exponent + 1).replace(/0+$/, "");
  return digits.slice(0, exponent + 1) + (fraction && `.${fraction}`);
}

// A positive number's first digits, half to even, and the power of ten of the first.
function rounded(value, precision) {
  const scientific = (count) => value.toExponential(count - 1).split("e");
  // 100 digits are all there are of a number whose remainder is exactly half a digit.
  const [exact, power] = scientific(100);
  const all = exact.replace(".", "");
  if (/^50*$/.test(all.slice(precision)) && Number(all[precision - 1]) % 2 === 0) {
    return [all.slice(0, precision), Number(power)];
  }
  const [near, exponent] = scientific(precision);
  return [near.replace(".", ""), Number(exponent)];
}

// Python's format(value, ",.0f").
function format_whole(value) {
  if (!Number.isFinite(value)) return format_g(value, 1);
  const floor = Math.floor(value);
  const half = value - floor === 0.5;
  const whole = half ? (floor % 2 === 0 ? floor : floor + 1) : Math.round(value);
  return BigInt(whole).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

const BYTE_STEPS = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
const TIME_STEPS = [[86400, "天"], [3600, "小时"], [60, "分钟"], [1, "秒"]];

function bytes_text(value) {
  for (const [step, prefix] of BYTE_STEPS) {
    if (value >= 0.9995 * step) return `${factor_text(value / step)} ${prefix}B`;
  }
  return `${factor_text(value)} B`;
}

function bandwidth_text(value_Bps) {
  return `${bytes_text(value_Bps)}/s`;
}

function seconds_text(value_s) {
  for (const [step, unit] of TIME_STEPS) {
    if (value_s >= 2 * step || value_s === step) return `${factor_text(value_s / step)} ${unit}`;
  }
  if (0 < value_s && value_s < 1e-4) return `${factor_text(value_s * 1e6)} 微秒`;
  if (0 < value_s && value_s < 0.1) return `${factor_text(value_s * 1e3)} 毫秒`;
  return `${factor_text(value_s)} 秒`;
}

function factor_text(value) {
  return value >= 99.95 ? format_whole(value) : format_g(value, 3);
}

function percent_text(share) {
  const percent = share * 100;
  if (99.9 < percent && percent < 100) return "超过 99.9 %";
  if (percent >= 1000) return `${format_whole(percent)} %`;
  return `${format_g(percent, percent >= 10 ? 3 : 2)} %`;
}

const LIMIT_NAMES = {
  writers: "显存到主机的拷贝（全部 GPU 合计）",
  nics: "节点网卡（全部节点合计）",
  aggregate: "后端的总带宽",
};
const TIER_NAMES = {
  host: "主机内存",
  peer: "邻居节点",
  nvme: "本地 NVMe",
  pfs: "并行文件系统",
  object: "对象存储",
};

function verdict_sentence(plan, result) {
  const dump = seconds_text(result.dump_s);
  const period = seconds_text(plan.interval_s);
  let verdict;
  if (!result.feasible) {
    const times = factor_text(1 / result.slack);
    verdict = `不可行：写完要 ${dump}，超过间隔 ${period}，是它的 ${times} 倍，检查点会越积越多`;
  } else if (result.dump_s === plan.interval_s) {
    verdict = `刚好可行：写完要 ${dump}，等于间隔，一点余量也没有`;
  } else {
    const slack = factor_text(result.slack);
    verdict = `可行：写完要 ${dump}，不超过间隔 ${period}，余量 ${slack} 倍`;
  }
  return (
    `${verdict}；落盘 ${bytes_text(plan.written_bytes)}，` +
    `平均要 ${bandwidth_text(plan.average_Bps)}，` +
    `最紧的一环是${LIMIT_NAMES[result.tightest]}，${bandwidth_text(result.effective_Bps)}。`
  );
}

function tiers_sentence(plan, times) {
  const named = (fits) => times.filter(fits).map((band) => TIER_NAMES[band.id]).join("、");
  const can = named((band) => band.typical_s <= plan.interval_s);
  const cannot = named((band) => band.typical_s > plan.interval_s);
  if (!cannot) return "按典型带宽（模型），五层都能在一个间隔内写完。";
  if (!can) return "按典型带宽（模型），没有一层能在一个间隔内写完。";
  return `按典型带宽（模型），一个间隔内写得完的有${can}；写不完的有${cannot}。`;
}

function readouts(plan, result) {
  return {
    "写完 T_dump": seconds_text(result.dump_s),
    "有效带宽": bandwidth_text(result.effective_Bps),
    "平均带宽 B_avg": bandwidth_text(plan.average_Bps),
    "余量": `${factor_text(result.slack)} 倍`,
    "每次停顿 δ": seconds_text(result.blocked_s),
    "最坏恢复点": seconds_text(result.recovery_point_s),
    "重启 R": seconds_text(result.restart_s),
    "无故障时间 M": seconds_text(plan.job_mtbf_s),
    "撑得住的最好间隔": seconds_text(result.best_interval_s),
    "浪费": `${percent_text(result.waste)}（短式只报 ${percent_text(result.short_waste)}）`,
    [`保留 ${plan.kept} 份要`]: bytes_text(result.retained_bytes),
    "每节点快照内存": bytes_text(result.host_ram_bytes),
  };
}
