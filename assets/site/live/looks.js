// How the chart looks: its axes, the tiers' colours and dashes, and a band's part that is drawn.

const INTERVALS_S = [9, 110_000];
const DUMPS_S = [0.03, 300_000];
const TIME_TICKS = new Map([
  [0.1, "0.1 秒"], [1, "1 秒"], [10, "10 秒"], [60, "1 分钟"], [600, "10 分钟"],
  [3600, "1 小时"], [21_600, "6 小时"], [86_400, "1 天"],
]);
const FEWER_TICKS = [10, 600, 21_600];
// Okabe and Ito's colours, each with dashes that hold up without colour.
const LOOKS = {
  host: { name: "主机\n内存", colour: "#56B4E9", dash: [] },
  peer: { name: "邻居\n节点", colour: "#009E73", dash: [9, 4] },
  nvme: { name: "本地\nNVMe", colour: "#E69F00", dash: [2, 3] },
  pfs: { name: "并行文\n件系统", colour: "#0072B2", dash: [12, 4, 3, 4] },
  object: { name: "对象\n存储", colour: "#CC79A7", dash: [7, 3, 2, 3, 2, 3] },
};
const LANES_FROM_PX = 620;
const LANES_PX = 270;
const AXIS_PX = 84;
const LABEL_PX = 145;
const HEIGHT = { narrow: 400, wide: 480 };

const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);

// A band's part on or below the diagonal, within the axis.
function feasible_part({ fast_s, slow_s }) {
  const [, high] = INTERVALS_S;
  const start = clamp(fast_s, INTERVALS_S);
  const end = clamp(slow_s, INTERVALS_S);
  return {
    x: [start, start, end, high, high],
    y: [fast_s, Math.min(start, slow_s), Math.min(end, slow_s), Math.min(slow_s, high), fast_s],
  };
}
