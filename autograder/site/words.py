"""The words that a page adds, in the lesson's language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteWords:
    """What a page says by itself; `{...}` marks a value."""

    skip: str = "跳到正文"
    contents: str = "本页目录"
    all_lessons: str = "全部课程"
    theme: str = "换深浅色"
    theme_light: str = "浅色"
    theme_dark: str = "深色"
    theme_system: str = "随系统"
    show_answers: str = "展开全部答案"
    print_page: str = "打印"
    print_title: str = "打印这一课"
    print_ask: str = "参考答案要一起打印吗？你写下的作答都会印出来。"
    print_with: str = "连同参考答案"
    print_without: str = "不含参考答案"
    cancel: str = "取消"
    previous: str = "上一课"
    following: str = "下一课"
    not_here: str = "尚未发布"
    neighbours: str = "前后的课"
    answer: str = "参考答案"
    see_answer: str = "看参考答案"
    after_own: str = "先写完自己的再看"
    your_answer: str = "你的答案"
    your_answer_to: str = "你的答案：{title}"
    kept_here: str = "只存在这台设备的浏览器里。"
    kept: str = "已存下"
    not_kept: str = "这个浏览器不让网页存东西：离开前请导出。"
    no_script: str = "写作答、自评和开关需要 JavaScript；课文、提示和答案不需要。"
    own_marks: str = "自评"
    own_marks_note: str = "只给自己看，不是成绩。对照评分标准，做到的打勾，再给自己一个分。"
    aspects: str = "看看这几点写清了没有"
    score: str = "给自己几分"
    points: str = "{points} 分"
    worth: str = "{points} 分，人工评"
    total: str = "自评合计"
    of_points: str = "/ {points} 分"
    export: str = "导出作答（文本）"
    import_: str = "导入作答"
    box_title: str = "你的作答"
    imported: str = "读入了 {count} 条作答。"
    no_import: str = "这不是本课导出的作答文件，什么都没有改。"
    replace_ask: str = "导入会换掉 {count} 处已写的作答。继续吗？"
    hint: str = "提示 {number}（共 {count} 条）"
    checks: str = "看得见的检查：{name}（{points} 分）"
    normal: str = "常规输入"
    boundary: str = "边界输入"
    exercise: str = "填空"
    solution: str = "参考实现"
    code: str = "展开代码"
    in_notebook: str = "在笔记本里运行"
    guess: str = "先推测"
    guess_here: str = "写下你的推测，一句话就够，不计分"
    guess_open: str = "对照结果：{move}"
    guess_result: str = "结果（模型）"
    figure_note: str = "图里是默认的一组数。这张图在网页上不会动；想自己动控件，请打开笔记本。"
    figure_moved: str = "动过之后的同一张图。"
    carry_on: str = "在电脑上继续"
    carry_text: str = (
        "把笔记本下载到电脑上，填空、滑块和检查都能运行。解压后按 README.txt 两步打开。"
    )
    carry_link: str = "下载笔记本（zip，{size}）"
    scrolls: str = "可左右滚动"
    footnotes: str = "脚注"
    back: str = "回到正文"
    built_from: str = "由 {source} 生成。课文以 CC BY 4.0、代码以 MIT 许可发布。"
    class_edition: str = "课堂版：不含参考答案"
    answer_edition: str = "自学版：参考答案已折叠"
    about_lesson: str = "{points} 分 · {questions} 道问答 · {exercises} 处填空"
    readme: str = (
        "{title}\n\n"
        "1. 安装 Python 3.11 或更新的版本。\n"
        "2. 在这个文件夹里打开终端，运行：\n\n"
        "   python -m pip install jupyterlab ipywidgets matplotlib numpy zhplot\n"
        "   python -m jupyterlab {slug}.ipynb\n\n"
        "打开之后先运行最上面的「准备」一格，再从上往下读。\n"
    )


_ZH = SiteWords()
_EN = SiteWords(
    skip="Skip to the text",
    contents="On this page",
    all_lessons="All lessons",
    theme="Change light or dark",
    theme_light="Light",
    theme_dark="Dark",
    theme_system="System",
    show_answers="Open all answers",
    print_page="Print",
    print_title="Print this lesson",
    print_ask="Print the reference answers too? What you wrote is printed in any case.",
    print_with="With answers",
    print_without="Without answers",
    cancel="Cancel",
    previous="Previous",
    following="Next",
    not_here="not here yet",
    neighbours="Lessons before and after",
    answer="Reference answer",
    see_answer="See the reference answer",
    after_own="write your own first",
    your_answer="Your answer",
    your_answer_to="Your answer: {title}",
    kept_here="Kept in this browser only.",
    kept="Saved",
    not_kept="This browser lets no page keep anything: export before you leave.",
    no_script=(
        "Writing answers, self-assessment and switches need JavaScript; "
        "the text, hints and answers do not."
    ),
    own_marks="Self-assessment",
    own_marks_note="For yourself, no grade. Tick what you did and give yourself a score.",
    aspects="Did you make these clear?",
    score="Your score",
    points="{points} points",
    worth="{points} points, graded by a person",
    total="Self-assessment, total",
    of_points="/ {points} points",
    export="Export answers (text)",
    import_="Import answers",
    box_title="Your answers",
    imported="{count} answers were read.",
    no_import="This is no export of this lesson; nothing was changed.",
    replace_ask="Importing replaces {count} answers. Go on?",
    hint="Hint {number} of {count}",
    checks="Visible checks: {name} ({points} points)",
    normal="normal input",
    boundary="boundary input",
    exercise="Fill in",
    solution="Reference",
    code="Show the code",
    in_notebook="Runs in the notebook",
    guess="Predict first",
    guess_here="Your prediction in one sentence; not graded",
    guess_open="Compare: {move}",
    guess_result="Outcome (model)",
    figure_note="Drawn with the default numbers. It does not move here; the notebook has controls.",
    figure_moved="The same figure after the move.",
    carry_on="Continue on a computer",
    carry_text="Download the notebook: fill-ins, sliders and checks run there. See README.txt.",
    carry_link="Download the notebook (zip, {size})",
    scrolls="Scrolls sideways",
    footnotes="Footnotes",
    back="Back to the text",
    built_from="Built from {source}. Text under CC BY 4.0, code under MIT.",
    class_edition="Class edition: no reference answers",
    answer_edition="Self-study edition: answers are folded",
    about_lesson="{points} points · {questions} questions · {exercises} fill-ins",
    readme=(
        "{title}\n\n"
        "1. Install Python 3.11 or newer.\n"
        "2. Open a terminal in this folder and run:\n\n"
        "   python -m pip install jupyterlab ipywidgets matplotlib numpy zhplot\n"
        "   python -m jupyterlab {slug}.ipynb\n\n"
        "Run the cell at the top first, then read on from there.\n"
    ),
)


def site_words(lang: str) -> SiteWords:
    """Chinese for `zh` and its variants, English for every other language."""
    return _ZH if lang.lower().split("-")[0] == "zh" else _EN
