"""Writing, serving and taking along."""

from __future__ import annotations

import io
import json
import socket
import threading
import urllib.request
import zipfile
from pathlib import Path

import pytest

from autograder.errors import CourseError
from autograder.site.build import Site
from autograder.site.folder import MANIFEST, read_manifest, write_site
from autograder.site.server import address, open_server


def test_only_what_an_earlier_build_wrote_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "_site"
    write_site(folder, {"a/b.html": b"1", "c.html": b"2"}, answers=True)
    (folder / "a" / "mine.txt").write_text("mine")
    done = write_site(folder, {"c.html": b"3"}, answers=False)
    assert (done.changed, done.removed) == (1, 1)
    assert not (folder / "a" / "b.html").exists()
    assert (folder / "a" / "mine.txt").read_text() == "mine"
    manifest = read_manifest(folder)
    assert manifest is not None
    assert list(manifest.files) == ["c.html"]
    assert manifest.answers is False


def test_a_file_of_somebody_else_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(CourseError, match=r"index\.html stood there before"):
        write_site(tmp_path, {"index.html": b"ours"}, answers=True)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_a_manifest_that_leads_outside_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "_site"
    folder.mkdir()
    outside = tmp_path / "kept.txt"
    outside.write_text("kept")
    said = {"answers": True, "vendored": [], "files": {"../kept.txt": "0"}}
    (folder / MANIFEST).write_text(json.dumps(said))
    with pytest.raises(CourseError, match="is not what `course site` wrote"):
        write_site(folder, {"a.html": b""}, answers=True)
    assert outside.read_text() == "kept"


@pytest.mark.parametrize("what", ["_site", "inner"])
def test_a_link_is_not_written_through(tmp_path: Path, what: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "_site"
    if what == "inner":
        folder.mkdir()
    (folder if what == "_site" else folder / "a").symlink_to(elsewhere)
    with pytest.raises(CourseError):
        write_site(folder, {"a/b.html": b"1"}, answers=True)
    assert list(elsewhere.iterdir()) == []


def test_a_file_where_a_folder_goes_stops_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "tiny").write_text("mine")
    with pytest.raises(CourseError, match=r"tiny: stands where a folder goes"):
        write_site(tmp_path, {"a.html": b"1", "tiny/index.html": b"2"}, answers=True)
    assert [one.name for one in tmp_path.iterdir()] == ["tiny"]


def test_a_folder_where_a_file_goes_stops_before_anything_is_written(tmp_path: Path) -> None:
    write_site(tmp_path, {"index.html": b"1"}, answers=True)
    (tmp_path / "index.html").unlink()
    (tmp_path / "index.html").mkdir()
    with pytest.raises(CourseError, match=r"index\.html: is a folder where a file goes"):
        write_site(tmp_path, {"a.html": b"1", "index.html": b"2"}, answers=True)
    assert not (tmp_path / "a.html").exists()


def test_the_server_takes_the_next_port_and_stays_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("hello")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with open_server(tmp_path, port) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            assert server.server_address[0] == "127.0.0.1"
            assert int(server.server_address[1]) > port
            with urllib.request.urlopen(address(server)) as answer:  # noqa: S310  our own
                assert answer.read() == b"hello"
            server.shutdown()


def test_the_zip_holds_the_notebook_and_how_to_open_it(site: Site) -> None:
    with zipfile.ZipFile(io.BytesIO(site.files["tiny/tiny.zip"])) as archive:
        assert archive.namelist() == ["course-tiny/README.txt", "course-tiny/tiny.ipynb"]
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert "jupyterlab tiny.ipynb" in archive.read("course-tiny/README.txt").decode()


def test_the_font_holds_what_the_pages_say(site: Site) -> None:
    from fontTools.ttLib import TTFont  # noqa: PLC0415

    data = site.files["assets/course-han.woff2"]
    assert data[:4] == b"wOF2"
    known = TTFont(io.BytesIO(data)).getBestCmap()
    assert {ord(char) for char in "矿工为什么要带一盏灯？。，"} <= set(known)
    assert ord("齉") not in known
