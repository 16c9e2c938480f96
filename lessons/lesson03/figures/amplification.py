"""Figure (e): one file followed to the media, under copies and under an erasure code."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from matplotlib.text import Text

from lessons.lesson03 import bandwidth
from lessons.lesson03.figures import style
from lessons.lesson03.readable import bandwidth_text, bytes_text, factor_text, seconds_text

MOST_COPIES, MOST_DATA, MOST_PARITY = 4, 16, 4
_RIGHT = 6.3
_DATA, _EXTRA = style.SKY, "#F2C879"
_FILE_ROW, _COPIES_ROW, _ERASURE_ROW = 0, 1, 2
_HALF = 0.24


@dataclass(frozen=True, kw_only=True)
class AmplificationCase:
    """A file, a bandwidth, and how the media keep what is written.

    Attributes:
        file_bytes: S.
        bandwidth_Bps: B.
        at_client: Whether B was measured at the client; else it is raw media bandwidth.
        copies: Full copies under replication.
        data_chunks: k of the erasure code.
        parity_chunks: m of it.
    """

    file_bytes: float = 4e12
    bandwidth_Bps: float = 10e9  # noqa: N815 - B/s
    at_client: bool = False
    copies: int = 3
    data_chunks: int = 8
    parity_chunks: int = 4

    def __post_init__(self) -> None:
        bandwidth.positive(file_bytes=self.file_bytes, bandwidth_Bps=self.bandwidth_Bps)
        for name, most in (
            ("copies", MOST_COPIES),
            ("data_chunks", MOST_DATA),
            ("parity_chunks", MOST_PARITY),
        ):
            if not 1 <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be from 1 to {most}, not {getattr(self, name)}")

    @property
    def amplifications(self) -> tuple[float, float]:
        """What a byte takes on the media: under copies, under the erasure code."""
        return (
            float(bandwidth.replication_amplification(self.copies)),
            float(bandwidth.erasure_amplification(self.data_chunks, self.parity_chunks)),
        )

    def dump_s(self, amplification: float) -> float:
        """Return T_dump; a bandwidth from the client has paid the amplification already."""
        paid = 1.0 if self.at_client else amplification
        written = bandwidth.physical_bytes(self.file_bytes, paid)
        return float(bandwidth.dump_time_s(written, self.bandwidth_Bps))


class AmplificationPlot:
    """The figure; `update` moves its artists to another case."""

    def __init__(self, case: AmplificationCase) -> None:
        self._page = style.Page("一份文件，介质上要写多少？", height=4.6)
        self.figure = self._page.figure
        axes = self._page.axes((0.03, 0.13, 0.95, 0.7), xlim=(-0.95, _RIGHT), ylim=(2.75, -0.55))
        axes.grid(visible=False)
        axes.set_axis_off()
        self._flows = [self._flow(axes, row) for row in (_COPIES_ROW, _ERASURE_ROW)]
        self._file = self._chunk(axes, _FILE_ROW, _DATA, "")
        self._copies = [
            self._chunk(axes, _COPIES_ROW, *((_EXTRA, "////") if n else (_DATA, "")))
            for n in range(MOST_COPIES)
        ]
        self._data = [self._chunk(axes, _ERASURE_ROW, _DATA, "") for _ in range(MOST_DATA)]
        self._parity = [self._chunk(axes, _ERASURE_ROW, _EXTRA, "////") for _ in range(MOST_PARITY)]
        self._names = [self._text(axes, -0.07, row, ha="right") for row in range(3)]
        self._says = [self._text(axes, 0, row) for row in range(3)]
        self._add_key(axes)
        self.moving: list[Artist] = [*self._flows, self._file, *self._copies, *self._data]
        self.moving += [*self._parity, *self._names, *self._says, self._page.subtitle]
        self.update(case)

    def _flow(self, axes: Axes, row: int) -> Polygon:
        flow = Polygon([(0, 0)], facecolor=style.SKY, alpha=0.18, linewidth=0, zorder=1)
        flow.set_gid(str(row))
        axes.add_patch(flow)
        return flow

    def _chunk(self, axes: Axes, row: int, colour: str, hatch: str) -> Rectangle:
        chunk = Rectangle((0, row - _HALF), 0, 2 * _HALF, facecolor=colour, hatch=hatch, zorder=3)
        chunk.set(edgecolor="#333333", linewidth=0.9)
        axes.add_patch(chunk)
        return chunk

    def _text(self, axes: Axes, x: float, row: int, ha: str = "left") -> Text:
        return axes.text(x, row, "", ha=ha, va="center", linespacing=1.45, **self._page.type(9.6))

    def _add_key(self, axes: Axes) -> None:
        for x, colour, hatch, text in (
            (0.0, _DATA, "", "文件本身的字节"),
            (1.35, _EXTRA, "////", "多写的：副本或校验块"),
        ):
            key = Rectangle((x, 2.56), 0.2, 0.16, facecolor=colour, hatch=hatch)
            key.set(edgecolor="#333333", linewidth=0.9)
            axes.add_patch(key)
            axes.text(x + 0.27, 2.64, text, va="center", **self._page.type(9, style.SOFT))

    def update(self, case: AmplificationCase) -> None:
        """Move the artists to another case."""
        by_copies, by_erasure = case.amplifications
        self._file.set_bounds(0, _FILE_ROW - _HALF, 1, 2 * _HALF)
        for number, chunk in enumerate(self._copies):
            chunk.set_bounds(number, _COPIES_ROW - _HALF, int(number < case.copies), 2 * _HALF)
            chunk.set_visible(number < case.copies)
        size = 1 / case.data_chunks
        for number, chunk in enumerate((*self._data, *self._parity)):
            parity = number - MOST_DATA
            at = (case.data_chunks + parity if parity >= 0 else number) * size
            shown = parity < case.parity_chunks if parity >= 0 else number < case.data_chunks
            chunk.set_bounds(at, _ERASURE_ROW - _HALF, size, 2 * _HALF)
            chunk.set_visible(shown)
        # Under copies the file goes down whole; the erasure code's share is drawn past them.
        self._flows[0].set_xy([(0, _HALF), (1, _HALF), (1, 1 - _HALF), (0, 1 - _HALF)])
        self._flows[1].set_xy([(0, 1 + _HALF), (1, 1 + _HALF), (1, 2 - _HALF), (0, 2 - _HALF)])
        self._say(case, by_copies, by_erasure)

    def _say(self, case: AmplificationCase, by_copies: float, by_erasure: float) -> None:
        self._page.subtitle.set_text(
            f"B = {bandwidth_text(case.bandwidth_Bps)}，"
            + (
                "在客户端量得：放大已含在内，时间按 W = 1 算"
                if case.at_client
                else "裸介质口径：时间要乘 W"
            )
            + "；模型，不是实测"
        )
        k, m = case.data_chunks, case.parity_chunks
        names = ("客户端\n写一份", f"{case.copies} 副本", f"纠删码\n{k}+{m}")
        for text, name in zip(self._names, names, strict=True):
            text.set_text(name)
        self._says[0].set_x(1.08)
        self._says[0].set_text(f"{bytes_text(case.file_bytes)}")
        for text, amplification in zip(self._says[1:], (by_copies, by_erasure), strict=True):
            on_media = float(bandwidth.physical_bytes(case.file_bytes, amplification))
            paid = 1.0 if case.at_client else amplification
            text.set_x(amplification + 0.08)
            text.set_text(
                f"介质上 {bytes_text(on_media)}（{factor_text(amplification)} 倍）\n"
                f"算时间用 W = {factor_text(paid)}：{seconds_text(case.dump_s(amplification))}"
            )


def amplification_figure(case: AmplificationCase) -> Figure:
    """Return one file and what the media write for it."""
    return AmplificationPlot(case).figure


def amplification_alt(case: AmplificationCase) -> str:
    """Return what the figure shows, in words."""
    by_copies, by_erasure = case.amplifications
    basis = "在客户端量得，W = 1" if case.at_client else "裸介质口径"
    return (
        f"一份 {bytes_text(case.file_bytes)} 的文件写到介质（模型）：{case.copies} 副本写 "
        f"{factor_text(by_copies)} 倍，纠删码 {case.data_chunks}+{case.parity_chunks} 写 "
        f"{factor_text(by_erasure)} 倍。B = {bandwidth_text(case.bandwidth_Bps)}，{basis}，"
        f"分别要 {seconds_text(case.dump_s(by_copies))}和{seconds_text(case.dump_s(by_erasure))}。"
    )
