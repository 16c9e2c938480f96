"""The plot in the page: the numbers of the lesson's own model, the notebook's controls."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from autograder.project import Project
from autograder.site.live import Pyodide, live_parts
from lessons.lesson03 import bandwidth, readable
from lessons.lesson03.bands import bands
from lessons.lesson03.explore.dump_time import (
    backend_presets,
    cluster_presets,
    model_presets,
    plan_spec,
)
from lessons.lesson03.figures import dump_time_alt
from lessons.lesson03.plan import Plan, outlook
from lessons.lesson03.report import readouts
from lessons.lesson03.verdict import tiers_sentence, verdict_sentence
from tests.browser.live_page import LivePage, lesson_of, live_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

# Numbers near the largest overflow in both models alike; NumPy says so aloud.
quiet = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
INF, NAN = math.inf, math.nan
REFUSED = (0.0, -1.0, NAN, INF, -INF, -1e-300)
EDGES = (5e-324, 1e-300, 1.0, 1.5, 3600.0, 86_400.0, 1e12, 1e300, 1.7e308)
MODEL = """([name, cases]) => cases.map((given) => {
  const model = window.courseModel;
  try {
    return { value: (%s)(model, given) };
  } catch (error) {
    return { refused: error instanceof model.ValueError ? error.message : `JS: ${error}` };
  }
})"""


@pytest.fixture(scope="module")
def live(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePage]:
    none = Pyodide(version="0", python="0", script=b"")  # nothing runs here
    parts = live_parts(project, lesson_of(project), load=lambda: none)
    with live_page(project, parts, tmp_path_factory.mktemp("live")) as page:
        yield page


@pytest.fixture(scope="module")
def page(browser: Browser, live: LivePage) -> Iterator[Page]:
    context = browser.new_context(locale="zh-CN", viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.goto(live.file)
    yield opened
    context.close()


def in_page(page: Page, function: str, cases: list[Any]) -> list[dict[str, Any]]:
    """Compute cases with the page's model: `value`, or what it `refused`."""
    found: list[dict[str, Any]] = page.evaluate(MODEL % function, ["", cases])
    return found


def here(function: Callable[[Any], Any], cases: list[Any]) -> list[dict[str, Any]]:
    """Compute the same with the lesson's model."""
    found: list[dict[str, Any]] = []
    for case in cases:
        try:
            found.append({"value": function(case)})
        except ValueError as error:
            found.append({"refused": str(error)})
    return found


def same(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], cases: list[Any]) -> int:
    """Compare to the last bit, messages up to the value; return how many were refused."""
    assert len(ours) == len(theirs) == len(cases)
    for mine, other, case in zip(ours, theirs, cases, strict=True):
        if "refused" in mine:
            assert mine["refused"].split(", not")[0] == other.get("refused", "").split(", not")[0]
        else:
            assert _floats(mine) == _floats(other), case
    return sum("refused" in one for one in ours)


def _floats(value: Any) -> Any:
    """Numbers as floats: a large one without a fraction arrives from the page as an int."""
    if isinstance(value, dict):
        return {name: _floats(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_floats(one) for one in value]
    return float(value) if type(value) is int else value


def quantity(rng: random.Random) -> float:
    """Any float: mostly of a plan's size, sometimes an edge, sometimes refused."""
    draw = rng.random()
    if draw < 0.06:
        return rng.choice(REFUSED)
    if draw < 0.16:
        return rng.choice(EDGES)
    return 10 ** rng.uniform(-3, 15)


@quiet
def test_bandwidth_is_bandwidth_py(page: Page) -> None:
    rng = random.Random(7)
    cases = [[quantity(rng) for _ in range(4)] for _ in range(1500)]

    def ours(case: list[float]) -> Any:
        size, factor, rate, interval = case
        written = bandwidth.physical_bytes(size, factor)
        dump = bandwidth.dump_time_s(written, rate)
        average = bandwidth.required_average_Bps(written, interval)
        return [written, dump, average, bandwidth.is_feasible(dump, interval)]

    theirs = in_page(
        page,
        """(m, [size, factor, rate, interval]) => {
          const written = m.physical_bytes(size, factor);
          const dump = m.dump_time_s(written, rate);
          const average = m.required_average_Bps(written, interval);
          return [written, dump, average, m.is_feasible(dump, interval)];
        }""",
        cases,
    )
    refused = same(here(ours, cases), theirs, cases)
    assert 200 < refused < 1000


def test_equality_is_feasible_in_both(page: Page) -> None:
    """T = T_dump, where comparing bandwidths would go wrong in one case of twenty."""
    rng = random.Random(8)
    cases = [
        [10 ** rng.uniform(9, 14), rng.uniform(1, 4), 10 ** rng.uniform(8, 12)] for _ in range(1000)
    ]
    dumps = [bandwidth.dump_time_s(size * factor, rate) for size, factor, rate in cases]
    given = [[dump, at] for dump in dumps for at in (dump, math.nextafter(dump, 0))]  # type: ignore[arg-type]
    theirs = in_page(page, "(m, [dump, at]) => m.is_feasible(dump, at)", given)
    assert [one["value"] for one in theirs] == [True, False] * 1000


@quiet
def test_limits_and_effective_bandwidth(page: Page) -> None:
    rng = random.Random(9)
    names = ("writers", "writer_Bps", "nodes", "nic_Bps", "aggregate_Bps")
    cases = []
    for _ in range(1500):
        case = {name: quantity(rng) for name in names}
        case["contention"] = rng.choice(
            (0.0, 0.5, 0.95, 1.0, 1.5, -0.1, rng.random(), rng.random())
        )
        cases.append(case)

    def ours(case: dict[str, float]) -> Any:
        limits = bandwidth.bandwidth_limits_Bps(**case)
        return [limits, bandwidth.effective_bandwidth_Bps(limits)]

    theirs = in_page(
        page,
        """(m, given) => {
          const limits = m.bandwidth_limits_Bps(given);
          return [limits, m.effective_bandwidth_Bps(limits)];
        }""",
        cases,
    )
    refused = same(here(ours, cases), theirs, cases)
    assert 500 < refused < 1200


def random_fields(rng: random.Random) -> dict[str, Any]:
    """Return the fields of a plan; one in eight is refused, some lie on a boundary."""
    found: dict[str, Any] = {
        "checkpoint_bytes": 10 ** rng.uniform(9, 14),
        "media_amplification": rng.choice((1.0, 1.25, 1.5, 3.0, rng.uniform(1, 4))),
        "at_client": rng.random() < 0.4,
        "backend_Bps": 10 ** rng.uniform(8, 13),
        "contention": rng.choice((0.0, 0.0, 0.95, rng.random())),
        "interval_s": 10 ** rng.uniform(0, 5.2),
        "nodes": rng.choice((1, 2, 64, 2048, rng.randint(1, 20_000))),
        "gpus_per_node": rng.choice((1, 4, 8, 16)),
        "mtbf_s": None if rng.random() < 0.5 else 10 ** rng.uniform(1, 8),
        "kept": rng.randint(1, 20),
    }
    if rng.random() < 0.125:
        found[rng.choice(sorted(found.keys() - {"at_client"}))] = rng.choice(
            (0, -1, NAN, INF, 1e309)
        )
    elif rng.random() < 0.1:
        found["interval_s"] = outlook(Plan(**found)).dump_s  # just in time
    return found


def test_plans_in_numbers_and_words(page: Page) -> None:
    rng = random.Random(10)
    cases = [random_fields(rng) for _ in range(1500)]

    def ours(given: dict[str, Any]) -> Any:
        plan = Plan(**given)
        result, times = outlook(plan), bands(plan)
        return {
            "outlook": asdict(result),
            "bands": [asdict(band) for band in times],
            "average_Bps": plan.average_Bps,
            "verdict": verdict_sentence(plan, result),
            "tiers": tiers_sentence(plan, times),
            "readouts": readouts(plan, result),
            "alt": dump_time_alt(plan),
        }

    theirs = in_page(
        page,
        """(m, given) => {
          const { data } = JSON.parse(document.querySelector(".live-plot .live-data").textContent);
          const plan = new m.Plan(data, given);
          const [result, times] = [m.outlook(plan), m.bands(plan)];
          return {
            outlook: result,
            bands: times,
            average_Bps: plan.average_Bps,
            verdict: m.verdict_sentence(plan, result),
            tiers: m.tiers_sentence(plan, times),
            readouts: m.readouts(plan, result),
            alt: m.dump_time_alt(plan, result),
          };
        }""",
        cases,
    )
    expected = here(ours, cases)
    refused = same(expected, theirs, cases)
    assert 100 < refused < 300
    verdicts = {one["value"]["verdict"].split("：")[0] for one in expected if "value" in one}
    assert verdicts == {"可行", "不可行", "刚好可行"}
    # A GPU copies twice what a typical NIC carries, so the writers are never the tightest here.
    tightest = {one["value"]["outlook"]["tightest"] for one in expected if "value" in one}
    assert tightest == {"nics", "aggregate"}


def test_numbers_are_written_alike(page: Page) -> None:
    """Half a digit goes to the even one: 2.125 is "2.12" and 100.5 is "100"."""
    rng = random.Random(11)
    cases = [2.125, 12.25, 100.5, 101.5, 99.95, 99.949999, 999.5, 0.5, 1e-5, 123456789.5, 1e22, 3.0]
    cases += [rng.randint(1, 4000) / 2 ** rng.randint(0, 7) for _ in range(1000)]
    cases += [10 ** rng.uniform(-8, 20) for _ in range(1000)]
    ours = [[f"{value:.3g}", f"{value:,.0f}", readable.factor_text(value)] for value in cases]
    theirs = in_page(
        page,
        """(m, value) => {
          const text = value >= 99.95 ? m.format_whole(value) : m.format_g(value, 3);
          return [m.format_g(value, 3), m.format_whole(value), text];
        }""",
        cases,
    )
    assert ours[0][:2] == ["2.12", "2"]
    assert [one["value"] for one in theirs] == ours


@pytest.mark.parametrize(
    ("name", "presets"),
    [
        ("model_presets", model_presets),
        ("cluster_presets", cluster_presets),
        ("backend_presets", backend_presets),
    ],
)
def test_presets_do_what_the_notebooks_do(
    page: Page, name: str, presets: Callable[[], dict[str, Callable[[Plan], Plan]]]
) -> None:
    plan = Plan(nodes=12, gpus_per_node=4, backend_Bps=3e9, checkpoint_bytes=5e11)
    theirs = page.evaluate(
        """([name, given]) => {
          const { data } = JSON.parse(document.querySelector(".live-plot .live-data").textContent);
          const plan = new window.courseModel.Plan(data, given);
          return window.courseModel[name](data).map(([name, how]) => [name, { ...how(plan) }]);
        }""",
        [name, asdict(plan)],
    )
    ours = [[label, asdict(choose(plan))] for label, choose in presets().items()]
    assert theirs == ours


# The controls


def control(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True)


def reset(page: Page) -> None:
    page.get_by_role("button", name="回到例题").click()


def shown(page: Page) -> tuple[str, str]:
    return page.locator(".live-verdict").inner_text(), page.locator(".live-detail").inner_text()


def said_of(plan: Plan) -> tuple[str, str]:
    return verdict_sentence(plan, outlook(plan)), tiers_sentence(plan, bands(plan))


def test_opens_on_the_worked_example(page: Page) -> None:
    reset(page)
    assert shown(page) == said_of(Plan())
    assert shown(page)[0].startswith("可行：写完要 10 分钟，不超过间隔 30 分钟，余量 3 倍；")


def test_has_the_notebooks_controls(page: Page) -> None:
    labels = []
    for one in plan_spec().controls:
        part = getattr(one, "slider", None) or one.box  # type: ignore[union-attr]
        labels.append(part.description)
    found = page.locator(".live-form label").all_inner_texts()
    assert [text.strip() for text in found] == labels


def test_a_number_in_its_box(page: Page) -> None:
    reset(page)
    control(page, "间隔 T").fill("5")
    assert shown(page) == said_of(Plan(interval_s=300.0))
    assert page.locator(".live-verdict").get_attribute("data-feasible") == "false"
    control(page, "检查点 S").fill("0.9")
    assert shown(page) == said_of(Plan(interval_s=300.0, checkpoint_bytes=9e11))


def test_a_slider_by_keyboard_stops_at_round_values(page: Page) -> None:
    reset(page)
    slider = control(page, "间隔 T，滑块")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "40 分钟"
    assert shown(page) == said_of(Plan(interval_s=2400.0))
    page.keyboard.press("Home")
    assert shown(page) == said_of(Plan(interval_s=10.0))
    page.keyboard.press("End")
    assert shown(page) == said_of(Plan(interval_s=86_400.0))


def test_what_is_out_of_range_is_said_and_taken_back(page: Page) -> None:
    reset(page)
    box = control(page, "后端带宽 B")
    box.fill("-3")
    assert shown(page) == said_of(Plan())
    box.press("Tab")
    expect(
        page.get_by_role("alert").filter(has_text="后端带宽 B要在 0.5 到 2000 GB/s之间")
    ).to_be_visible()
    assert box.input_value() == "10"
    box.fill("20")
    assert shown(page) == said_of(Plan(backend_Bps=20e9))
    expect(page.get_by_role("alert").filter(has_text="已改回")).to_have_count(0)


def test_at_the_client_w_is_one_and_locked(page: Page) -> None:
    reset(page)
    control(page, "B 是客户端实测（放大已含在内，W = 1）").check()
    assert shown(page) == said_of(Plan(at_client=True))
    expect(control(page, "写放大 W")).to_be_disabled()
    assert control(page, "写放大 W").input_value() == "1"


def test_choices_name_what_they_agree_with(page: Page) -> None:
    reset(page)
    control(page, "集群").select_option("16,384 卡（Llama 3）")
    control(page, "模型").select_option("Llama 3 405B")
    plan = model_presets()["Llama 3 405B"](cluster_presets()["16,384 卡（Llama 3）"](Plan()))
    assert shown(page) == said_of(plan)
    control(page, "GPU 总数").fill("1000")
    expect(control(page, "集群")).to_have_value("自己定")
    assert shown(page) == said_of(replace(plan, nodes=125))
    control(page, "每节点 GPU").fill("16")
    assert shown(page) == said_of(replace(plan, nodes=63, gpus_per_node=16))


def test_the_table_and_the_readouts_say_the_numbers(page: Page) -> None:
    reset(page)
    rows = page.locator(".live-tiers tbody tr")
    # min(64 * 10 GB/s, 57.5 GB/s) takes 4 TB in 69.6 s; 64 * 2 GB/s in 31.2 s.
    assert rows.nth(3).inner_text().split() == [
        *("并行文件系统", "2", "秒", "69.6", "秒", "6.67", "分钟", "集群上限", "写得完"),
    ]
    assert rows.nth(4).inner_text().split()[:5] == ["对象存储", "5", "秒", "31.2", "秒"]
    found = dict(
        zip(
            page.locator(".live-readouts dt").all_inner_texts(),
            page.locator(".live-readouts dd").all_inner_texts(),
            strict=True,
        )
    )
    assert found == readouts(Plan(), outlook(Plan()))
    assert found["平均带宽 B_avg"] == "3.33 GB/s"


def test_the_verdict_is_spoken_when_the_slider_rests(page: Page) -> None:
    reset(page)
    page.wait_for_timeout(900)
    control(page, "间隔 T").fill("5")
    plan = Plan(interval_s=300.0)
    expect(page.locator(".live-announce")).to_have_text("".join(said_of(plan)))
    assert page.locator(".live-announce").get_attribute("role") == "status"


# The chart


def in_chart(page: Page, name: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = page.evaluate(
        "(name) => { const { data } = Bokeh.documents[0].get_model_by_name(name);"
        " const plain = data instanceof Map ? Object.fromEntries(data) : data;"
        " return Object.fromEntries(Object.entries(plain).map(([k, v]) => [k, [...v]])); }",
        name,
    )
    return found


def drawn(page: Page) -> Locator:
    page.locator(".live-plot").scroll_into_view_if_needed()
    chart = page.locator(".live-chart")
    chart.locator("canvas").first.wait_for(timeout=60_000)
    return chart


def test_the_chart_comes_with_the_reader(live: LivePage, new_page: Callable[..., Page]) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda wanted: asked.append(wanted.url))
    page.goto(live.served)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    assert not [url for url in asked if url.endswith("bokeh.js")]
    drawn(page)
    assert [url for url in asked if url.endswith("bokeh.js")]
    origin = live.served.rsplit("/", 2)[0]
    assert [url for url in asked if not url.startswith((origin, "data:", "blob:"))] == []
    expect(page.locator(".live-static").first).to_be_hidden()


def test_the_chart_stands_where_the_plan_does(page: Page) -> None:
    reset(page)
    chart = drawn(page)
    assert in_chart(page, "point") == {"x": [1800], "y": [600]}
    assert in_chart(page, "slack") == {"x": [1800, 1800], "y": [600, 1800]}
    control(page, "写放大 W").fill("3")
    control(page, "间隔 T").fill("10")
    plan = Plan(media_amplification=3.0, interval_s=600.0)
    assert in_chart(page, "point") == {"x": [600], "y": [1200]}
    for band in bands(plan):
        assert in_chart(page, f"typical-{band.id}")["y"] == [band.typical_s] * 2
        bar = in_chart(page, f"bar-{band.id}")
        assert (bar["bottom"], bar["top"]) == ([band.fast_s], [band.slow_s])
    expect(chart).to_have_attribute("aria-label", dump_time_alt(plan))
    expect(chart).to_have_attribute("role", "img")


def test_the_chart_follows_the_theme(page: Page) -> None:
    drawn(page)
    background = "Bokeh.documents[0].roots()[0].children[0].background_fill_color"
    colours = []
    for theme in ("light", "dark", "light"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        page.wait_for_timeout(200)
        value = page.evaluate(background)
        colours.append(value if isinstance(value, str) else value["value"])
    page.evaluate("delete document.documentElement.dataset.theme")
    assert colours == ["#ffffff", "#1d2024", "#ffffff"]


def test_lanes_stand_beside_the_plot_only_where_there_is_room(
    live: LivePage, new_page: Callable[..., Page]
) -> None:
    for width, figures in ((1200, 2), (390, 1)):
        page = new_page(width=width)
        page.goto(live.file)
        drawn(page)
        assert page.evaluate("Bokeh.documents[0].roots()[0].children.length") == figures
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_the_notebooks_figure_is_there(browser: Browser, live: LivePage) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live.file)
    expect(page.locator(".live-plot img")).to_have_attribute("src", "figures/dump_time.svg")
    expect(page.locator(".live-plot img")).to_be_visible()
    expect(page.locator(".live-form")).to_be_hidden()
    expect(page.locator(".live-tiers")).to_be_hidden()
    context.close()


def test_without_the_chart_the_numbers_are_there(
    project: Project, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    none = Pyodide(version="0", python="0", script=b"")
    parts = live_parts(project, lesson_of(project), load=lambda: none)
    with live_page(project, parts, tmp_path) as live:
        live.path.parent.joinpath("../live/bokeh.js").resolve().unlink()
        page = new_page()
        page.goto(live.served)
        page.locator(".live-plot").scroll_into_view_if_needed()
        expect(page.locator(".live-late")).to_be_visible()
        expect(page.locator(".live-static").first).to_be_visible()
        control(page, "间隔 T").fill("5")
        assert shown(page) == said_of(Plan(interval_s=300.0))
